import FirestoreServer
import Foundation
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceSQLite

/// A folder with a configuration, in which the real program runs.
struct Workshop: Sendable {
  let folder: TemporaryFolder
  private let program: String

  /// `job` is what follows the job's source.
  init(_ server: FirestoreServer, job: String) throws {
    folder = try TemporaryFolder()
    program = try SluiceExecutable.path()
    try folder.write(
      """
      version: 1
      jobs:
        users:
          source: { firestore: { project: demo, collection: users, endpoint: "127.0.0.1:\(server.port)" } }
      \(job.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))

      """, to: "config.yaml")
  }

  /// Starts `sluice run`.
  func start() throws -> ChildProcess {
    try ChildProcess(
      program, ["run", "--config", folder.file("config.yaml"), "--output", "json"],
      environment: ProcessInfo.processInfo.environment)
  }

  /// Where the saved listing stands, as the next run will find it: of the state store and of a table that keeps its own
  /// checkpoint, the newer one. Looks at copies, so that the next run recovers by itself what a killed one left.
  func standing(table: Bool) async throws -> Standing {
    let copy = try TemporaryFolder()
    var isAhead = false
    var newest = try await checkpoint(from: ".sluice/state.db", in: copy, "SELECT checkpoint FROM jobs")
    if table, let saved = newest,
      let ahead = try await checkpoint(from: "out/users.db", in: copy, "SELECT checkpoint FROM _sluice_checkpoints"),
      ahead.listing.generation == saved.listing.generation, saved.isOneDeliveryBehind(ahead)
    {
      newest = ahead
      isAhead = true
    }
    return Standing(newest, isAhead: isAhead)
  }

  private func checkpoint(from name: String, in copy: TemporaryFolder, _ sql: String) async throws -> Checkpoint? {
    guard let path = try copied(name, to: copy) else { return nil }
    let connection = try Connection(path: path, creating: false, synchronous: .normal)
    guard
      try connection.first(
        "SELECT 1 FROM sqlite_schema WHERE name = 'pages' OR name = '_sluice_checkpoints'", read: { _ in })
        != nil
    else { return nil }
    return try connection.first(sql) { try Checkpoint(savedForm: JSON.parse(Array($0.text(0).utf8))) }
  }

  /// Copies a database with its log; nil where there is none.
  private func copied(_ name: String, to copy: TemporaryFolder) throws -> String? {
    guard folder.exists(name) else { return nil }
    let last = (name as NSString).lastPathComponent
    for suffix in ["", "-wal"] where folder.exists(name + suffix) {
      try copy.write(try folder.read(name + suffix), to: last + suffix)
    }
    return copy.file(last)
  }

  /// Names in a folder, sorted.
  func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file(name)).sorted()
  }

  /// What somebody sees who comes now. Reads a copy of the database: the next run is to find it as it was left.
  func shown() throws -> Published {
    let copy = try TemporaryFolder()
    return Published(
      file: folder.exists("out/users.jsonl") ? try folder.read("out/users.jsonl") : nil,
      table: try copied("out/users.db", to: copy).flatMap { try TableWindow($0).settled() })
  }
}

extension Checkpoint {
  /// Whether a table has committed a delivery that the state store was not told of.
  fileprivate func isOneDeliveryBehind(_ other: Checkpoint) -> Bool {
    guard let own = sinks["sqlite"]?.sequence, let theirs = other.sinks["sqlite"]?.sequence else { return false }
    return theirs == own + 1
  }
}

/// Where a job stands.
struct Standing: Equatable, CustomStringConvertible {
  /// The newest listing's number.
  var generation: UInt64 = 0
  /// Its pages that were confirmed, as long as it is not finished.
  var pages = 0
  /// Whether the listing is at its end and only the completion is left.
  var hasEnded = false
  /// Whether the job is done: the next run begins a listing.
  var isFinished = true
  /// Whether the table knows of it, and the state store does not yet.
  var isAhead: Bool
  /// Pages that wait for the table.
  var waiting = 0

  init(_ checkpoint: Checkpoint?, isAhead: Bool) {
    self.isAhead = isAhead
    guard let checkpoint else { return }
    generation = checkpoint.listing.generation
    isFinished = checkpoint.phase == .finished
    guard !isFinished else { return }
    pages = checkpoint.listing.pages
    hasEnded = checkpoint.listing.hasEnded
    waiting = checkpoint.pagesWaiting(for: "sqlite")
  }

  var description: String {
    "listing \(generation): " + (isFinished ? "finished" : "\(pages) pages\(hasEnded ? ", ended" : "")")
  }
}

/// What is published.
struct Published: Equatable, Sendable {
  var file: [UInt8]?
  /// The rows in their order.
  var table: [TableRow]?
}

/// Looks at tables with another program than Sluice: CPython and the SQLite it comes with.
enum IndependentReader {
  private static let script = """
    import sqlite3, sys
    tables = []
    for path in sys.argv[1:]:
        db = sqlite3.connect(path)
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "damaged"
        assert [name for (name,) in db.execute("SELECT name FROM sqlite_schema") if "stage" in name] == [], "a stage is left"
        rows = db.execute("SELECT * FROM users ORDER BY key").fetchall()
        assert len(rows) == len(set(row[0] for row in rows)), "a key twice"
        tables.append(rows)
    assert tables[0] == tables[1], "other rows"
    print(len(tables[0]))
    """

  /// Compares the tables of two databases, row by row with all columns. Answers how many rows each has.
  static func rows(ofBoth paths: String...) async throws -> Int? {
    let reader = try ChildProcess(
      "/usr/bin/env", ["python3", "-I", "-S", "-B", "-c", script] + paths,
      environment: ProcessInfo.processInfo.environment)
    let result = await reader.wait()
    try #require(result.exitCode == 0, "\(result.errorText)")
    return Int(result.outputText.prefix { $0 != "\n" })
  }
}
