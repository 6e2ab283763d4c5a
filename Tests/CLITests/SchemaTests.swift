import Foundation
import SluiceBuiltin
import SluiceCore
import SluiceEngine
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("sluice schema") struct SchemaTests {
  private let schema = FileSchema.value(of: .builtin)

  private func definition(_ name: String) throws -> Value { try #require(schema["definitions"]?[name], "\(name)") }

  /// The schema of a component's settings in a place.
  private func properties(_ slot: ComponentSlot, _ name: String) throws -> Value {
    try #require(try definition("\(slot.rawValue).\(name)")["properties"])
  }

  @Test("prints JSON, and the same each time")
  func printed() async throws {
    let run = await InProcess.sluice("schema")
    #expect(run.exitCode == 0)
    #expect(run.errors.isEmpty)
    #expect(try JSON.parse(run.output) == schema)
    #expect(await InProcess.sluice("schema").output == run.output)
  }

  @Test("every component stands in each place that takes it, with all its settings and nothing else")
  func components() throws {
    for slot in ComponentSlot.allCases {
      let known = Catalog.builtin.components(for: slot)
      // A job has no key for it yet.
      if known.isEmpty { continue }
      // The object of one key comes first among what the place takes.
      let named = try #require(try definition(slot.rawValue)["anyOf"]?.items.first)
      #expect(fields(named["properties"]).map(\.name) == known.map(\.name))
      #expect(named["additionalProperties"] == .bool(false))
      #expect(named["maxProperties"]?.int == 1)
      for component in known {
        let settings = component.settings(as: slot.role)
        #expect(fields(try properties(slot, component.name)).map(\.name) == settings.map(\.key))
        #expect(try definition("\(slot.rawValue).\(component.name)")["additionalProperties"] == .bool(false))
        let required = try definition("\(slot.rawValue).\(component.name)")["required"]?.items.compactMap(\.string)
        #expect(required ?? [] == settings.filter(\.isRequired).map(\.key))
      }
    }
    #expect(try definition("sink")["anyOf"]?.items.first?["properties"]?["firestore"] == nil, "it cannot be written")
    #expect(try definition("source")["anyOf"]?.items.first?["properties"]?["stdout"] == nil, "it cannot be read")
  }

  @Test("every key of a job that takes a component has its place")
  func slots() {
    for setting in JobPlan.schema.settings {
      switch setting.type {
      case .component, .list(.component): #expect(ComponentSlot(key: setting.key) != nil, "\(setting.key)")
      default: #expect(ComponentSlot(key: setting.key) == nil, "\(setting.key)")
      }
    }
  }

  @Test("names, docs, defaults, ranges and examples are those of the spec")
  func settings() throws {
    let size = try #require(try properties(.paging, "page_token")["size"])
    #expect(size["default"]?.int == 300)
    #expect(size["description"]?.string?.hasPrefix("Documents to ask for in a page.") == true)
    #expect(String(describing: size).contains("100000"))
    let firestore = try properties(.source, "firestore")
    #expect(firestore["collection"]?["examples"]?.items.compactMap(\.string) == ["users", "users/u1/reviews"])
    #expect(firestore["database"]?["default"]?.string == "(default)")
    #expect(firestore["show_missing"]?["default"] == .bool(false))
    #expect(firestore["token"]?["default"] == nil)
    let file = try properties(.source, "file")
    #expect(file["publish"] == nil, "a setting of sinks only")
    #expect(file["max_line"] != nil)
    let encoding = try #require(file["encoding"]?["anyOf"]?.items.first)
    #expect(encoding["enum"]?.items.compactMap(\.string) == ["plain", "typed"])
  }

  @Test("a bare name is offered only where it is enough")
  func bareNames() throws {
    func bare(_ slot: ComponentSlot) throws -> [String] {
      try definition(slot.rawValue)["anyOf"]?.items.compactMap { $0["enum"] }.flatMap(\.items).compactMap(\.string)
        ?? []
    }
    #expect(try bare(.sink) == ["stdout"])
    #expect(try bare(.source) == [])
    #expect(try bare(.transform) == [], "not even where: it needs a condition")
    #expect(try bare(.paging) == Catalog.builtin.pagingStrategies.map(\.name))
    #expect(try bare(.state) == ["sqlite"])
  }

  @Test("every reference leads somewhere")
  func references() throws {
    var names: Set<String> = []
    func gather(_ value: Value) {
      switch value {
      case .map(let fields):
        for field in fields {
          if field.name == "$ref", let name = field.value.string { names.insert(name) }
          gather(field.value)
        }
      case .array(let items): for item in items { gather(item) }
      default: break
      }
    }
    gather(schema)
    #expect(names.count > 20)
    for name in names {
      #expect(name.hasPrefix("#/definitions/"))
      _ = try definition(String(name.dropFirst("#/definitions/".count)))
    }
  }

  private func fields(_ value: Value?) -> [Field] { if case .map(let fields)? = value { fields } else { [] } }
}

// MARK: An independent validator

extension SchemaTests {
  /// Files that `check` takes must be taken; the others are refused where a schema can see the mistake.
  @Test(
    "an independent validator agrees with sluice check",
    .enabled(if: Validator.isThere, "not with python3, jsonschema and yaml on this machine"))
  func validator() async throws {
    let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden").path
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path
    var files = GoldenTests.names.map { "\(golden)/\($0).yaml" } + ["\(root)/config.yaml"]
    files += (FileManager.default.enumerator(atPath: "\(root)/examples")?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".yaml") }.map { "\(root)/examples/\($0)" }
    let verdicts = try await Validator.verdicts(of: files, schema: PrettyJSON.text(schema))
    for file in files {
      let name = URL(filePath: file).deletingPathExtension().lastPathComponent
      let check = await InProcess.sluice("check", file)
      let verdict = try #require(verdicts[file], "\(file)")
      if check.exitCode == 0 {
        #expect(verdict == "ok", "\(name) is good: \(verdict)")
      } else {
        #expect((verdict == "ok") == Self.invisible.contains(name), "\(name): \(verdict) \(check.errors)")
      }
    }
    #expect(Self.invisible.isSubset(of: GoldenTests.names))
  }

  /// Broken files whose mistake a schema cannot see, by kind.
  private static let invisible: Set<String> = [
    // What a mapping means together, or with another.
    "budget", "firestore-settings", "firestore-plain-http", "firestore-order", "mode", "paging-not-possible",
    "rename-clash",
    // What comes from outside.
    "empty-secret", "env-file", "env-spelling", "env-type",
    // YAML that this program takes more strictly than others.
    "yaml-jobs-twice", "yaml-merge-twice",
  ]

  @Test(
    "what an editor must accept and refuse",
    .enabled(if: Validator.isThere, "not with python3, jsonschema and yaml on this machine"))
  func cases() async throws {
    func job(_ text: String) -> String {
      "version: 1\njobs:\n  a:\n    source: { memory: { name: users } }\n    sink: stdout\n\(text)\n"
    }
    let accepted = [
      job("    paging: { page_token: { size: \"${env:SIZE}\" } }"), job("    paging: { page_token: { size: '20' } }"),
      job("    paging: page_token"), job("    paging:"), job("    paging: { page_token: }"),
      job("    limits: { max_delete: 5, reads_per_run: unlimited, time_per_run: 1h30m, bytes_per_run: 64MB }"),
      job("    limits: { max_delete: 10%, reads_per_run: 7, bytes_per_run: 100 }"),
      job("    enabled: \"${env:ON:-true}\""), job("    mode: \"${file:mode.txt}\""),
      job(
        "    transforms: [{ where: { field: a, type: null } }, { where: { not: { all: [{ field: b, eq: null }] } } }]"),
      job("    transforms: [{ set: { fields: { a: 1, b: [x, { c: null }] } } }, { drop: { fields: [0510, no] } }]"),
      "x-names: &n { name: users }\nversion: 1\ndefaults: { sink: stdout }\njobs: { a: { source: { memory: *n } } }",
      "version: 1\ndefaults: { source: { memory: { name: a } }, sink: stdout }\njobs: { a: }",
      "version: 1\njobs: { a: { source: { firestore: { project: 12, collection: no } }, sinks: [stdout] } }",
    ]
    let refused = [
      "", "[]", "jobs: {}", "version: 1", "version: 2\njobs: { a: { source: { memory: { name: a } }, sink: stdout } }",
      "version: 1\njobs: { A: { source: { memory: { name: a } }, sink: stdout } }",
      "version: 1\njobs: { a: { sink: stdout } }", "version: 1\njobs: { a: { source: { memory: { name: a } } } }",
      "version: 1\njob: {}\njobs: { a: { source: { memory: { name: a } }, sink: stdout } }",
      "version: 1\njobs: { a: { source: memory, sink: stdout } }",
      "version: 1\njobs: { a: { source: { stdout: }, sink: stdout } }",
      job("    paging: { page_szie: { size: 1 } }"), job("    paging: { page_token: { page_szie: 1 } }"),
      job("    paging: { page_token: {}, keyset: {} }"), job("    paging: { page_token: { size: 0 } }"),
      job("    paging: { page_token: { size: 1_000 } }"), job("    enabled: yes"), job("    mode: copies"),
      job("    limits: { time_per_run: 10 }"), job("    limits: { bytes_per_run: 10 apples }"),
      job("    limits: { max_delete: many }"), job("    transforms: drop"), job("    transforms: [{ drop: }]"),
      job("    transforms: [{ where: { fild: a } }]"), job("    sinks: []\n    sinc: stdout"),
      job("    retry: { attempts: 0 }"), job("    retry: 5"), job("    http: { idle_timeout: -1s }"),
    ]
    let folder = try TemporaryFolder()
    for (index, text) in (accepted + refused).enumerated() { try folder.write(text, to: "\(index).yaml") }
    let files = (accepted + refused).indices.map { folder.file("\($0).yaml") }
    let verdicts = try await Validator.verdicts(of: files, schema: PrettyJSON.text(schema))
    for (index, text) in (accepted + refused).enumerated() {
      let verdict = try #require(verdicts[files[index]])
      #expect((verdict == "ok") == (index < accepted.count), "\(text)\n\(verdict)")
    }
  }
}

/// Python's `jsonschema`, with YAML read by the core rules of YAML 1.2 as editors do.
enum Validator {
  private static let script = """
    import json, re, sys, yaml
    from jsonschema import Draft7Validator
    class Loader(yaml.SafeLoader): pass
    Loader.yaml_implicit_resolvers = {}
    for tag, pattern, first in [
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]), ("merge", r"<<", ["<"]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
        ("float", r"[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\\.inf|\\.nan", list("-+.0123456789"))]:
        Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile("^(?:" + pattern + ")$"), first)
    Loader.add_constructor("tag:yaml.org,2002:int", lambda l, n: int(n.value, 0 if n.value[:2] in ("0x", "0o") else 10))
    schema = json.load(open(sys.argv[1]))
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    for path in sys.argv[2:]:
        try:
            errors = [e.message[:300] for e in validator.iter_errors(yaml.load(open(path), Loader))]
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            errors = ["no YAML: %s" % error]
        print(json.dumps([path, errors[0] if errors else "ok"]))
    """

  static let isThere: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import jsonschema, yaml; jsonschema.Draft7Validator"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// What the validator says of each file: `ok`, or the first thing it does not like.
  static func verdicts(of files: [String], schema: String) async throws -> [String: String] {
    let folder = try TemporaryFolder()
    try folder.write(schema, to: "schema.json")
    try folder.write(script, to: "validate.py")
    let run = try ChildProcess(
      "/usr/bin/env", ["python3", folder.file("validate.py"), folder.file("schema.json")] + files,
      environment: ProcessInfo.processInfo.environment)
    let result = await run.wait()
    try #require(result.exitCode == 0, "\(result.errorText)")
    var verdicts: [String: String] = [:]
    for line in result.outputText.split(separator: "\n") {
      let pair = try JSON.parse(String(line)).items
      if pair.count == 2, let path = pair[0].string { verdicts[path] = pair[1].string }
    }
    return verdicts
  }
}
