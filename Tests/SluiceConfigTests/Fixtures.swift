import SluiceConfig
import SluiceCore

/// A job of the shape the real one has, small enough to see whole.
struct Job: Configurable {
  enum Mode: String, CaseIterable, ConfigValue { case copy, mirror }

  struct Limits: Configurable {
    var deletes: CountOrPercentage?
    var reads: Int?
    static let spec = ConfigSpec<Limits>(
      "Limits.", [Setting("max_delete", \.deletes, "Deletes."), Setting("reads", \.reads, "Reads.", range: 1...)])
  }

  var source: ComponentChoice?
  var paging: ComponentChoice?
  var sink: ComponentChoice?
  var sinks: [ComponentChoice] = []
  var mode = Mode.copy
  var limits = Limits()
  static let spec = ConfigSpec<Job>(
    "A job.",
    [
      Setting("source", \.source, "Source."), Setting("paging", \.paging, "Paging."), Setting("sink", \.sink, "Sink."),
      Setting("sinks", \.sinks, "Sinks."), Setting("mode", \.mode, "Mode."), Setting("limits", \.limits, "Limits."),
    ])
}

/// A component's settings.
struct Store: Configurable {
  var path = ""
  var size = 300
  var names: [String] = []
  var password: Secret?
  static let spec = ConfigSpec<Store>(
    "A store.",
    [
      Setting("path", \.path, "Path.", required: true, examples: ["out.jsonl"]),
      Setting("page_size", \.size, "Size.", range: 1...1000), Setting("names", \.names, "Names."),
      Setting("password", \.password, "Password."),
    ])
}

/// A file that was read, with no environment but the one given.
struct Loaded {
  var load: ConfigLoad

  init(_ text: String, environment: [String: String] = [:], files: [String: String] = [:], path: String = "job.yaml") {
    self.init(bytes: Array(text.utf8), environment: environment, files: files, path: path)
  }

  init(bytes: [UInt8], environment: [String: String] = [:], files: [String: String] = [:], path: String = "job.yaml") {
    let inputs = ConfigInputs(
      variable: { (name) throws(SluiceError) in environment[name] },
      file: { (path, _) throws(SluiceError) in
        guard let text = files[path] else { throw SluiceError(.io, "cannot read \(path): No such file or directory") }
        return Array(text.utf8)
      })
    load = ConfigFile.read(bytes, path: path, job: Job.spec.schema, inputs: inputs)
  }

  /// `line:column: code: message (suggestion)` of each problem, in reading order.
  var problems: [String] { Self.describe(load.diagnostics) }

  /// The only job.
  var job: ConfigNode? { load.file?.jobs.first?.node }

  /// The settings of the one component that the only job has under `key`, decoded.
  func decode<V: Configurable>(_ key: String, as type: V.Type = V.self) -> (value: V?, problems: [String]) {
    var diagnostics = load.diagnostics
    let context = ConfigContext(key, at: Mark(file: "job.yaml", line: 1, column: 1))
    guard let node = job?[key], let choice = ComponentChoice.decode(node, in: context, into: &diagnostics) else {
      return (nil, Self.describe(diagnostics))
    }
    let value = V.decode(choice.settings, in: ConfigContext(choice.name, at: choice.mark), into: &diagnostics)
    return (value, Self.describe(diagnostics))
  }

  static func describe(_ diagnostics: Diagnostics) -> [String] {
    diagnostics.sorted.map { problem in
      let place = problem.mark.map { "\($0.line):\($0.column)" } ?? "-"
      return "\(place): \(problem.code): \(problem.message)\(problem.suggestion.map { " (\($0))" } ?? "")"
    }
  }
}

/// One job whose source is a store with the given settings, each line of them indented as it must be.
func jobFile(_ settings: String) -> String {
  let lines = settings.split(separator: "\n", omittingEmptySubsequences: false).map { "        \($0)" }
  return "version: 1\njobs:\n  a:\n    source:\n      store:\n\(lines.joined(separator: "\n"))\n"
}

extension ConfigNode {
  /// The tree in one line, for comparing: text in quotes unless it was plain.
  var sketch: String {
    switch content {
    case .scalar(let scalar): scalar.isPlain ? scalar.text : "'\(scalar.text)'"
    case .sequence(let items): "[\(items.map(\.sketch).joined(separator: ", "))]"
    case .mapping(let entries):
      "{\(entries.map { "\($0.isInherited ? "^" : "")\($0.key): \($0.value.sketch)" }.joined(separator: ", "))}"
    }
  }
}
