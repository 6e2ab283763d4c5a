import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite state file") struct StateFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() async throws -> SQLiteStateStore {
    var config = SQLiteStateStore.Config()
    config.path = "state.db"
    return try await SQLiteStateStore(config, context: StateContext(baseDirectory: folder.path))
  }

  /// Opening must fail, name the file, and change nothing.
  private func refuses(_ message: String) async throws {
    let before = try folder.read("state.db")
    let error = try await failure { _ = try await self.open() }
    #expect(error.code == .invalidState)
    #expect(error.place.file == folder.file("state.db"))
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.hint != nil)
    #expect(try folder.read("state.db") == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.db"])
  }

  @Test("a file that is no state database is refused and left as it is")
  func refusesForeign() async throws {
    let cases: [(bytes: [UInt8], message: String)] = [
      ([], "is empty"), (Array("hello, I am a diary".utf8), "no SQLite database"),
      ([UInt8](repeating: 0, count: 4096), "no SQLite database"),
      ((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }, "no SQLite database"),
      (Array("SQLite format 3\0".utf8), "no SQLite database"),
    ]
    for (bytes, message) in cases {
      try folder.write(bytes, to: "state.db")
      try await refuses(message)
    }
  }

  #if os(Linux)
    // Whoever closes a file loses all locks that his process holds on it: with the store's lock gone, another process
    // could take itself for the last one and clear the log away.
    @Test("opening a job leaves the store's lock on the database in place")
    func keepsLocks() async throws {
      let store = try await open()
      _ = try await store.checkpoints()
      let job = try await store.open(job: "job")
      let inode = try FileManager.default.attributesOfItem(atPath: folder.file("state.db"))[.systemFileNumber] as? Int
      let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
      // Where SQLite's shared lock lies, counted in bytes: its lock-byte page.
      let place = ":\(try #require(inode)) 1073741826 "
      #expect(locks.contains { $0.contains(place) }, "\(locks)")
      await job.close()
      await store.close()
    }
  #endif

  @Test("another program's database is refused")
  func refusesOther() async throws {
    try folder.connection("state.db").execute("CREATE TABLE t (x)")
    try await refuses("another program")
  }

  @Test("a newer database is refused", arguments: [StateSchema.version + 1, 99])
  func refusesNewer(version: Int) async throws {
    await (try await open()).close()
    try folder.connection("state.db").execute("PRAGMA user_version = \(version)")
    try await refuses("format \(version)")
  }

  @Test("a newer form that only the log knows of is refused too")
  func refusesNewerInLog() async throws {
    await (try await open()).close()
    let other = try folder.connection("state.db")
    try other.execute("PRAGMA user_version = 7")
    let error = try await failure { _ = try await self.open() }
    #expect(error.code == .invalidState && error.message.contains("format 7"))
    #expect(try other.first("PRAGMA user_version") { $0.int(0) } == 7)
  }

  @Test("a database that was never completed is refused")
  func refusesIncomplete() async throws {
    try folder.connection("state.db").execute("PRAGMA application_id = \(StateFile.applicationID); CREATE TABLE t (x)")
    try await refuses("never completed")
  }

  @Test("a log without its database is not played into a new one")
  func refusesStrayLog() async throws {
    try folder.write([1, 2, 3], to: "state.db-wal")
    let error = try await failure { _ = try await self.open() }
    #expect(error.code == .invalidState)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.db-wal"])
  }

  @Test("a damaged page is found, and nothing is repaired behind the back")
  func findsDamage() async throws {
    let store = try await open()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1)))
    await job.close()
    await store.close()
    var bytes = try folder.read("state.db")
    for index in 100..<bytes.count { bytes[index] = 0xA5 }
    try folder.write(bytes, to: "state.db")
    let error = try await failure {
      let job = try await self.open().open(job: "job")
      _ = try await job.checkpoint()
    }
    #expect(error.code == .invalidState)
    #expect(error.place.file == folder.file("state.db"))
  }

  @Test("a damaged or newer checkpoint is refused, with the file", arguments: ["{", "[]", #"{"format":2}"#, "\u{0}"])
  func refusesCheckpoint(text: String) async throws {
    let store = try await open()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1)))
    try folder.connection("state.db").run("UPDATE jobs SET checkpoint = ?", .text(text))
    for read in [{ _ = try await job.checkpoint() }, { _ = try await store.checkpoints() }] {
      let error = try await failure(read)
      #expect(error.code == .invalidState)
      #expect(error.place.file == folder.file("state.db"))
      #expect(error.hint != nil || text.contains("format"))
    }
    let saved = try folder.connection("state.db").first("SELECT checkpoint FROM jobs") { $0.text(0) }
    #expect(saved == text)
  }

  @Test("a database in a folder that cannot be made is an error with the path")
  func saysWhatFails() async throws {
    try folder.write([], to: "file")
    var config = SQLiteStateStore.Config()
    config.path = "file/state.db"
    let error = try await failure {
      _ = try await SQLiteStateStore(config, context: StateContext(baseDirectory: self.folder.path))
    }
    #expect(error.code == .io)
    #expect(error.place.file?.hasPrefix(folder.file("file")) == true)
  }
}
