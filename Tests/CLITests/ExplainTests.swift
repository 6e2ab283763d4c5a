import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("sluice explain") struct ExplainTests {
  private static let text = """
    version: 1
    defaults:
      paging: { page_token: { size: 50 } }
      limits: { max_delete: 5, allow_empty: true }
      retry: { attempts: 3 }
      sink: { file: { path: all.jsonl } }
    jobs:
      inheriting:
        source: { firestore: { project: demo, collection: users, endpoint: "${env:SLUICE_TEST_UNSET:-}" } }
        limits: { max_delete: 7% }
      own:
        source: { memory: { name: "${env:SLUICE_TEST_NAME}" } }
        paging: keyset
        transforms:
          - drop: { fields: [a, b.c] }
          - where: { not: { field: x, eq: null } }
        sinks: [{ sqlite: { path: a.db, table: t } }, stdout]
        mode: mirror
        retry: { attempts: null }
    """

  /// The settings of a job by their paths: value, origin, and `line:column` where there is a place.
  private func explained(_ job: String, _ folder: TemporaryFolder) async throws -> [String: String] {
    let run = try await explain(folder, job, "--output", "json")
    #expect(run.exitCode == 0, "\(run.errorText)")
    let value = try #require(try JSON.parse(run.outputText).items.first)
    #expect(value["job"]?.string == job)
    var result: [String: String] = [:]
    for setting in value["settings"]?.items ?? [] {
      let path = try #require(setting["setting"]?.string)
      var text = "\(setting["value"]?.string ?? "none") \(setting["origin"]?.string ?? "")"
      if let line = setting["line"]?.int, let column = setting["column"]?.int { text += " \(line):\(column)" }
      if let expression = setting["expression"]?.string { text += " \(expression)" }
      result[path] = text
    }
    return result
  }

  private func explain(_ folder: TemporaryFolder, _ arguments: String...) async throws -> ChildProcess.Result {
    try await ChildProcess(
      try SluiceExecutable.path(), ["explain", "--config", folder.file("c.yaml")] + arguments,
      environment: ["SLUICE_TEST_NAME": "a-name-from-outside"]
    ).wait()
  }

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(Self.text, to: "c.yaml")
    return folder
  }

  @Test("C77 what a job inherits, what it overrides, and what is a default: each with its place")
  func inherited() async throws {
    let folder = try folder()
    let settings = try await explained("inheriting", folder)
    #expect(settings["paging"] == "page_token defaults 3:13")
    #expect(settings["paging.page_token.size"] == "50 defaults 3:33")
    #expect(settings["limits.max_delete"] == "7% job 10:27")
    #expect(settings["limits.allow_empty"] == "true defaults 4:41")
    #expect(settings["limits.reads_per_run"] == "auto built_in")
    #expect(settings["limits.reads_per_day"] == "none built_in")
    #expect(settings["retry.attempts"] == "3 defaults 5:22")
    #expect(settings["sink"] == "file defaults 6:11")
    #expect(settings["sink.file.path"] == "all.jsonl defaults 6:25")
    #expect(settings["sink.file.encoding"] == "plain built_in")
    #expect(settings["source.firestore.project"] == "demo job 9:37")
    #expect(settings["source.firestore.endpoint"] == "none job 9:72 ${env:SLUICE_TEST_UNSET:-}")
    #expect(settings["source.firestore.database"] == "(default) built_in")
    #expect(settings["mode"] == "copy built_in")
    #expect(settings["enabled"] == "true built_in")
  }

  @Test("C77 a job's own settings win; what came from outside is its expression")
  func own() async throws {
    let folder = try folder()
    let settings = try await explained("own", folder)
    #expect(settings["paging"] == "keyset job 13:13")
    #expect(settings["paging.keyset.size"] == "300 built_in")
    #expect(settings["source.memory.name"] == "${env:SLUICE_TEST_NAME} job 12:31 ${env:SLUICE_TEST_NAME}")
    #expect(settings["transforms.0.drop.fields"] == "[a, b.c] job 15:25")
    #expect(settings["transforms.1.where.not.field"] == "x job 16:32")
    #expect(settings["sinks.0.sqlite.table"] == "t job 17:44")
    #expect(settings["sinks.1"] == "stdout job 17:51")
    #expect(settings["sink"] == nil, "the inherited one is displaced")
    #expect(settings["mode"] == "mirror job 18:11")
    #expect(settings["retry.attempts"] == "3 defaults 5:22", "null gives way to what is inherited")
    let all = try await explain(folder, "own")
    #expect(!all.outputText.contains("a-name-from-outside"))
  }

  @Test("C77 the text has file, line and column, and the state store")
  func text() async throws {
    let folder = try folder()
    let path = folder.file("c.yaml")
    let run = try await explain(folder)
    #expect(run.exitCode == 0)
    let lines = run.outputText.split(separator: "\n")
    func line(_ start: String) -> String { lines.first { $0.contains(start) }.map(String.init) ?? "" }
    #expect(lines.first == "inheriting (\(path):8:3)")
    #expect(line("limits.allow_empty").hasSuffix("\(path):4:41 (defaults)"))
    #expect(line("firestore.endpoint").hasSuffix("\(path):9:72, ${env:SLUICE_TEST_UNSET:-} is empty"))
    #expect(line("firestore.api_key").hasSuffix("not set"))
    #expect(line("state.sqlite.path").hasSuffix("built-in default"))
    #expect(run.errorText.isEmpty)
  }

  @Test("the natural paging is named, a secret in the file is not shown, an unknown job is refused")
  func secrets() async throws {
    let folder = try TemporaryFolder()
    let secret = "MARK3R-s3cret"
    try folder.write(
      """
      version: 1
      jobs:
        a:
          source: { firestore: { project: p, collection: c, token: \(secret) } }
          http: { proxy: "http://user:\(secret)@proxy:1" }
          sink: stdout
      """, to: "c.yaml")
    let settings = try await explained("a", folder)
    #expect(settings["paging"] == "page_token chosen")
    #expect(settings["source.firestore.token"] == "*** job 4:62")
    #expect(settings["http.proxy"] == "*** job 5:20")
    let text = try await explain(folder)
    #expect(!text.outputText.contains(secret))
    let unknown = try await explain(folder, "b")
    #expect(unknown.exitCode == 2)
    #expect(unknown.errorText.contains("there is no job \"b\""))
    try folder.write("version: 1\njobs: { a: { source: nothing, sink: stdout } }", to: "c.yaml")
    #expect(try await explain(folder).exitCode == 2)
  }
}
