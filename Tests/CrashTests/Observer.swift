import Foundation
import SluiceCore
import SluiceTesting
import Synchronization
import Testing

@testable import SluiceSQLite

/// Looks at what a running program shows, again and again.
final class Observer: Sendable {
  /// What it saw, and how often.
  struct Sights: Equatable {
    var absent = 0
    var old = 0
    var new = 0
    /// What should never be seen.
    var torn: [String] = []
  }

  private struct State {
    var isDone = false
    var file = Sights()
    var table = Sights()
  }

  private let folder: TemporaryFolder
  private let judgeFile: (@Sendable ([UInt8]?) -> Sight)?
  private let judgeTable: @Sendable ([TableRow]?) -> Sight
  private let state = Mutex(State())

  /// What one look saw.
  enum Sight {
    case absent
    case old
    case new
    case torn(String)
  }

  init(
    _ folder: TemporaryFolder, file: (@Sendable ([UInt8]?) -> Sight)?, table: @escaping @Sendable ([TableRow]?) -> Sight
  ) {
    self.folder = folder
    judgeFile = file
    judgeTable = table
  }

  var file: Sights { state.withLock { $0.file } }
  var table: Sights { state.withLock { $0.table } }

  /// Watches while `body` works.
  func watching<R>(_ body: () async throws -> R) async throws -> R {
    async let watch: Void = look()
    defer { state.withLock { $0.isDone = true } }
    let result = try await body()
    state.withLock { $0.isDone = true }
    try await watch
    return result
  }

  private func look() async throws {
    let window = TableWindow(folder.file("out/users.db"))
    var identity = FileIdentity?.none
    var isFirst = true
    while !state.withLock({ $0.isDone }) {
      let now = FileIdentity(of: folder.file("out/users.jsonl"))
      if let judgeFile, isFirst || now != identity {
        let sight = judgeFile(try lookAtFile())
        state.withLock { $0.file.note(sight) }
      }
      identity = now
      isFirst = false
      if let rows = try window.look() {
        let sight = judgeTable(rows.isAbsent ? nil : rows.rows)
        state.withLock { $0.table.note(sight) }
      }
      // Not to wait for anything: only so that the program under test has the machine too.
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private func lookAtFile() throws -> [UInt8]? {
    folder.exists("out/users.jsonl") ? try folder.read("out/users.jsonl") : nil
  }
}

/// What changes with a file's content.
struct FileIdentity: Equatable {
  private let number: UInt64
  private let size: Int
  private let time: [Int]

  /// Nil where there is no file.
  init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    number = UInt64(status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      time = [status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
    #else
      time = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    #endif
  }
}

extension Observer.Sights {
  fileprivate mutating func note(_ sight: Observer.Sight) {
    switch sight {
    case .absent: absent += 1
    case .old: old += 1
    case .new: new += 1
    case .torn(let what): torn.append(what)
    }
  }
}

/// A row as a reader sees it.
struct TableRow: Sendable, Equatable {
  var key: String
  var document: String
}

/// A reader's own connection to a table.
final class TableWindow {
  private let path: String
  private var connection: Connection?
  private var version: Int64?

  init(_ path: String) { self.path = path }

  /// The rows in their order, once the database can be read; nil where there is no table.
  func settled() throws -> [TableRow]? {
    while true { if let seen = try look() { return seen.isAbsent ? nil : seen.rows } }
  }

  /// The rows in their order, read in one snapshot; nil where nothing was committed since the last look, and where the
  /// database is locked at this moment.
  func look() throws -> (isAbsent: Bool, rows: [TableRow])? {
    guard connection != nil || FileManager.default.fileExists(atPath: path) else { return (true, []) }
    do {
      let connection = try self.connection ?? Connection(path: path, creating: false, synchronous: .normal)
      self.connection = connection
      try connection.execute("BEGIN")
      defer { connection.rollBack() }
      let version = try connection.first("PRAGMA data_version") { $0.int(0) }
      if version == self.version { return nil }
      self.version = version
      guard try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'users'", read: { _ in }) != nil else {
        return (true, [])
      }
      return (
        false,
        try connection.all("SELECT key, document FROM users ORDER BY rowid") {
          TableRow(key: $0.text(0), document: $0.text(1))
        }
      )
    } catch let error as SluiceError where error.retry == .transient {
      return nil
    }
  }
}
