import FirestoreServer
import Foundation
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceSQLite

/// A server with users, and a folder in which the real program runs.
final class Bench: Sendable {
  let server: FirestoreServer
  let folder: TemporaryFolder
  private let program: String

  init(users: Int = 100, _ configure: (inout Configuration) -> Void = { _ in }) throws {
    var configuration = Configuration()
    configure(&configuration)
    server = try FirestoreServer(configuration: configuration)
    folder = try TemporaryFolder()
    program = try SluiceExecutable.path()
    let lines = (0..<users).map { "{\"_key\":\"\(String(format: "u%04d", $0))\",\"n\":\($0)}" }
    try server.store.seed(lines.joined(separator: "\n"), into: "users")
  }

  deinit { server.stop() }

  /// Writes a configuration with one job, `users`. `source` comes into the braces of the source, `job` below it.
  func configure(source: String = "", _ job: String) throws {
    try write(jobs: ["users": (source, job)])
  }

  /// Writes a configuration with several jobs, in the order of their names.
  func write(jobs: [String: (source: String, job: String)]) throws {
    var text = "version: 1\njobs:\n"
    for (name, settings) in jobs.sorted(by: { $0.key < $1.key }) {
      let endpoint = settings.source.contains("endpoint:") ? "" : ", endpoint: \"127.0.0.1:\(server.port)\""
      let more = settings.source.isEmpty ? "" : ", \(settings.source)"
      text += "  \(name):\n    source: { firestore: { project: demo, collection: users\(endpoint)\(more) } }\n"
      for line in settings.job.split(separator: "\n") { text += "    \(line)\n" }
    }
    try folder.write(text, to: "config.yaml")
  }

  /// The variables of this process but for those that Sluice looks at, and some more.
  private func environment(_ more: [String: String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["FIRESTORE_EMULATOR_HOST"] = nil
    return variables.merging(more) { $1 }
  }

  /// Starts the program, in the folder.
  func start(_ arguments: String..., environment more: [String: String] = [:]) throws -> ChildProcess {
    try start(arguments, more)
  }

  private func start(_ arguments: [String], _ more: [String: String]) throws -> ChildProcess {
    try ChildProcess(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder.path, program] + arguments, environment: environment(more))
  }

  /// Runs the program in the folder, to its end.
  func sluice(_ arguments: String..., environment more: [String: String] = [:]) async throws -> ChildProcess.Result {
    await (try start(arguments, more)).wait()
  }

  /// The same, with a list of arguments.
  func run(_ arguments: [String], _ more: [String: String] = [:]) async throws -> ChildProcess.Result {
    await (try start(arguments, more)).wait()
  }

  /// Runs a line of a shell in the folder, with `sluice` as a command.
  func shell(_ line: String) async throws -> ChildProcess.Result {
    let text = "cd '\(folder.path)'; sluice() { '\(program)' \"$@\"; }; \(line)"
    return await (try ChildProcess("/usr/bin/env", ["bash", "-c", text], environment: environment([:]))).wait()
  }

  /// The list requests so far.
  var listTokens: [String] {
    server.log.requests.filter { $0.method == .list }.map { $0.parameter("pageToken") ?? "" }
  }

  /// The published lines.
  func lines(of name: String = "out/users.jsonl") throws -> [String] {
    try folder.text(name).split(separator: "\n").map(String.init)
  }

  /// The saved checkpoint of a job, as `state show` gives it; nil where there is none.
  func saved(_ job: String = "users") async throws -> Value? {
    let shown = try await sluice("state", "show", job, "--output", "json")
    try #require(shown.exitCode == 0, "\(shown.errorText)")
    return try JSON.parse(shown.output).items.first
  }

  /// Pages that the saved listing of `users` has confirmed.
  func savedPages() async throws -> Int? {
    guard case .int(let pages)? = try await saved()?["listing"]?["partitions"]?.items.first?["pages"] else {
      return nil
    }
    return Int(pages)
  }
}

extension Value {
  subscript(name: String) -> Value? {
    if case .map(let fields) = self { fields.first { $0.name == name }?.value } else { nil }
  }
  var items: [Value] { if case .array(let items) = self { items } else { [] } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var int: Int64? { if case .int(let number) = self { number } else { nil } }
}

/// Jobs that several tests use.
enum Job {
  static let file = "paging: { page_token: { size: 20 } }\nsink: { file: { path: out/users.jsonl } }"
  static let table = "paging: { page_token: { size: 20 } }\nsink: { sqlite: { path: out/users.db, table: users } }"
  /// For runs that a test holds up, on a machine that may have much else to do.
  static let patient = "\nretry: { attempts: 100 }"
  static let noRetry = "\nretry: { attempts: 1 }"
}
