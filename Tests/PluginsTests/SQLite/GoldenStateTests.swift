import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

/// Databases of every released form, kept as files. Set SLUICE_RECORD=1 to write that of the present form, once, before
/// a release; never again after it.
@Suite("SQLite state of earlier versions") struct GoldenStateTests {
  let folder: TemporaryFolder
  static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/SQLite")

  init() throws { folder = try TemporaryFolder() }

  private func open() async throws -> SQLiteStateStore {
    var config = SQLiteStateStore.Config()
    config.path = "state.db"
    return try await SQLiteStateStore(config, context: StateContext(baseDirectory: folder.path))
  }

  private let requests = fingerprints(5..<8)
  private let keys = fingerprints(100..<110)
  private let charge = Charge(
    account: "firestore:a", day: Day(number: 19_000),
    amount: Spending(reads: 1, writes: 2, deletes: 3, requests: 4, bytes: 5))
  private let identity = SinkIdentity("the store")

  private func batch() throws -> Batch {
    var builder = BatchBuilder()
    builder.add(key: Key("a"), header: DocumentHeader(version: .sequence(7)), [Field("n", .int(1))])
    builder.add(
      key: Key("b"), header: DocumentHeader(version: .time(Timestamp(seconds: 5, nanoseconds: 6))),
      [Field("n", .int(2))])
    builder.add(key: Key("c"), header: DocumentHeader(), [])
    return try builder.finish()
  }

  private func page() throws -> LedgerPage {
    var page = Samples.page(try batch(), identity: identity, generation: 7)
    // Of this test's own: what a fingerprint is made of is not the database's business.
    for index in page.updates.indices { page.updates[index]?.fingerprint = Fingerprint(high: UInt64(index), low: .max) }
    page.updates[1]?.status = .tombstone
    page.seen = [true, false, false]
    return page
  }

  private func write() async throws {
    let store = try await open()
    var checkpoint = SavedFormTests.full(.watching(after: WatchPosition("w")), .byKey)
    checkpoint.job = "job"
    let job = try await store.open(job: "job")
    for (index, request) in requests.enumerated() {
      checkpoint.revision = UInt64(index + 1)
      if index == 0 { _ = try await job.ledger(sink: "sink", identity: identity) }
      let record = PageRecord(generation: 7, request: request, keys: index == 0 ? keys : [])
      try await job.save(
        StateCommit(
          checkpoint, ledgers: index == 0 ? [try page()] : [], page: record, charges: index == 0 ? [charge] : []))
    }
    try await job.record(run)
    await job.close()
    await store.close()
  }

  private let run = RunRecord(
    job: "job", startedAt: Timestamp(seconds: 1_800_000_000, nanoseconds: 1), milliseconds: 2, outcome: "failed",
    exitCode: 3, error: "too_many_deletes", generation: 7,
    spending: Spending(reads: 1, writes: 2, deletes: 3, requests: 4, bytes: 5))

  @Test("the present form can still be written as its golden file has it")
  func records() async throws {
    try await write()
    let file = Self.fixtures.appendingPathComponent("state-\(StateSchema.version).db")
    if ProcessInfo.processInfo.environment["SLUICE_RECORD"] == "1" {
      try FileManager.default.createDirectory(at: Self.fixtures, withIntermediateDirectories: true)
      try Data(try folder.read("state.db")).write(to: file)
    }
    let schema = "SELECT type || name || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    let now = try folder.connection("state.db").all(schema) { $0.text(0) }
    try folder.write([UInt8](try Data(contentsOf: file)), to: "golden.db")
    #expect(try folder.connection("golden.db").all(schema) { $0.text(0) } == now)
  }

  @Test("a database of an earlier form is read, and written on", arguments: 1...StateSchema.version)
  func reads(form: Int) async throws {
    let file = Self.fixtures.appendingPathComponent("state-\(form).db")
    try folder.write([UInt8](try Data(contentsOf: file)), to: "state.db")
    let store = try await open()
    let job = try await store.open(job: "job")
    var expected = SavedFormTests.full(.watching(after: WatchPosition("w")), .byKey)
    expected.job = "job"
    expected.revision = 3
    #expect(try await job.checkpoint() == expected)
    #expect(try await store.checkpoints() == [expected])
    #expect(try await job.requests(generation: 7) == requests)
    #expect(try await job.countUnseen(keys + fingerprints(0..<2), generation: 7) == 2)
    #expect(try await store.spent(account: "firestore:a", day: Day(number: 19_000)) == charge.amount)
    let ledger = try await job.ledger(sink: "sink", identity: identity)
    #expect(try await ledger.entries(for: try batch()) == (try page()).updates)
    #expect(try await ledger.liveCount() == 2)
    #expect(try await ledger.unseen(generation: 7, after: nil, limit: 9).map(\.key) == [Key("c")])
    #expect(try await store.runs(limit: 9) == (form < 3 ? [] : [run]))
    expected.revision = 4
    try await job.save(StateCommit(expected))
    await job.close()
    await store.close()
    #expect(try folder.connection("state.db").first("PRAGMA user_version") { $0.int(0) } == Int64(StateSchema.version))
  }
}
