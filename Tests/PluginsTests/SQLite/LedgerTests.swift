import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite ledger") struct LedgerTests {
  let folder: TemporaryFolder
  let identity = SinkIdentity("one")

  init() throws { folder = try TemporaryFolder() }

  private func open() async throws -> any JobState {
    var config = SQLiteStateStore.Config()
    config.path = "state.db"
    let store = try await SQLiteStateStore(config, context: StateContext(baseDirectory: folder.path))
    let job = try await store.open(job: "job")
    await store.close()
    return job
  }

  private func save(_ page: LedgerPage, _ job: any JobState) async throws {
    let revision = try await job.checkpoint()?.revision ?? 0
    try await job.save(StateCommit(Samples.checkpoint(revision + 1, generation: page.generation), ledgers: [page]))
  }

  private func allUnseen(_ ledger: any Ledger, _ generation: UInt64, limit: Int = 7) async throws -> [String] {
    var keys: [String] = []
    var last: Key?
    while true {
      let rows = try await ledger.unseen(generation: generation, after: last, limit: limit)
      keys += rows.map(\.key.description)
      last = rows.last?.key
      if rows.count < limit { return keys }
    }
  }

  @Test("entries come back with version, fingerprint and status, after reopening too")
  func keepsEntries() async throws {
    var job = try await open()
    var ledger = try await job.ledger(sink: "sink", identity: identity)
    let versions: [Version] = [
      .none, .sequence(0), .sequence(.max), .time(Timestamp(seconds: -1, nanoseconds: 999_999_999)),
    ]
    var builder = BatchBuilder()
    for (index, version) in versions.enumerated() {
      builder.add(key: Key("k\(index)"), header: DocumentHeader(version: version), [Field("n", .int(Int64(index)))])
    }
    let batch = try builder.finish()
    #expect(try await ledger.entries(for: batch) == [nil, nil, nil, nil])
    try await save(Samples.page(batch, identity: identity), job)
    let expected = batch.indices.map {
      LedgerEntry(version: versions[$0], fingerprint: batch.fingerprint(at: $0), status: .live)
    }
    #expect(try await ledger.entries(for: batch) == expected)
    await job.close()

    job = try await open()
    ledger = try await job.ledger(sink: "sink", identity: identity)
    #expect(try await ledger.entries(for: batch) == expected)
    #expect(try await ledger.liveCount() == 4)
    #expect(try await ledger.entries(for: Samples.batch(["x", "k1"])).map { $0 == nil } == [true, false])
    await job.close()
  }

  @Test("what no page of a generation brought is unseen, across chunks of marks and in the order of keys")
  func findsUnseen() async throws {
    var job = try await open()
    var ledger = try await job.ledger(sink: "sink", identity: identity)
    let keys = Samples.keys(0..<40_000)
    // Backwards, so that ids and keys are in opposite orders.
    for start in stride(from: 39_000, through: 0, by: -1_000) {
      try await save(Samples.page(try Samples.batch(Array(keys[start..<start + 1_000])), identity: identity), job)
    }
    #expect(try await ledger.unseen(generation: 1, after: nil, limit: 10).isEmpty)
    #expect(try await ledger.liveCount() == 40_000)

    let gone = Set([0, 1, 16_383, 16_384, 20_000, 39_998, 39_999])
    for start in stride(from: 0, to: 40_000, by: 1_000) {
      let part = (start..<start + 1_000).filter { !gone.contains($0) }.map { keys[$0] }
      let batch = try Samples.batch(part)
      _ = try await ledger.entries(for: batch)
      try await save(Samples.page(batch, identity: identity, generation: 2, updating: false), job)
    }
    for limit in [1, 3, 7, 100] {
      #expect(try await allUnseen(ledger, 2, limit: limit) == gone.sorted().map { keys[$0] })
    }
    await job.close()
    job = try await open()
    ledger = try await job.ledger(sink: "sink", identity: identity)
    #expect(try await allUnseen(ledger, 2) == gone.sorted().map { keys[$0] })
    #expect(try await ledger.unseen(generation: 3, after: nil, limit: 50_000).count == 40_000)
    await job.close()
  }

  @Test("pending is durable, is unseen until its page is saved, and has no version")
  func marksPending() async throws {
    var job = try await open()
    var ledger = try await job.ledger(sink: "sink", identity: identity)
    let old = try Samples.batch(["a", "b"], version: .sequence(5))
    try await save(Samples.page(old, identity: identity), job)
    let batch = try Samples.batch(["b", "c"], "new", version: .sequence(6))
    let page = Samples.page(batch, identity: identity, generation: 2)
    _ = try await ledger.entries(for: batch)
    try await ledger.markPending(page)
    await job.close()

    job = try await open()
    ledger = try await job.ledger(sink: "sink", identity: identity)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.pending, .pending])
    #expect(try await ledger.entries(for: batch).map { $0?.version } == [Version.none, Version.none])
    #expect(try await allUnseen(ledger, 2) == ["a", "b", "c"])
    #expect(try await ledger.liveCount() == 1)
    try await ledger.markPending(page)
    try await save(page, job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.live, .live])
    #expect(try await allUnseen(ledger, 2) == ["a"])
    #expect(try await ledger.liveCount() == 3)
    await job.close()
  }

  @Test("a rejected document stays seen and pending")
  func keepsRejectedSeen() async throws {
    let job = try await open()
    let ledger = try await job.ledger(sink: "sink", identity: identity)
    let batch = try Samples.batch(["a", "b"])
    var page = Samples.page(batch, identity: identity)
    _ = try await ledger.entries(for: batch)
    try await ledger.markPending(page)
    page.updates[1] = nil
    try await save(page, job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.live, .pending])
    #expect(try await ledger.unseen(generation: 1, after: nil, limit: 9).isEmpty)
    #expect(try await ledger.liveCount() == 1)
    await job.close()
  }

  @Test("tombstones are no unseen keys, and go with the generation after next")
  func dropsTombstones() async throws {
    let job = try await open()
    let ledger = try await job.ledger(sink: "sink", identity: identity)
    let batch = try Samples.batch(["a", "b"])
    let stays = try Samples.batch(["c"])
    try await save(Samples.page(batch, identity: identity, generation: 1), job)
    try await save(Samples.page(batch, identity: identity, generation: 2, status: .tombstone), job)
    #expect(try await ledger.liveCount() == 0)
    #expect(try await ledger.unseen(generation: 2, after: nil, limit: 9).isEmpty)
    try await save(Samples.page(stays, identity: identity, generation: 3), job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.tombstone, .tombstone])
    // What comes again lives, and is no tombstone any more.
    try await save(Samples.page(try batch.slicedTo("b"), identity: identity, generation: 3), job)
    try await save(Samples.page(stays, identity: identity, generation: 4), job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [nil, .live])
    #expect(try await ledger.liveCount() == 2)
    await job.close()
  }

  @Test("a tombstone that comes back with the page that ends its time lives")
  func revivesTombstones() async throws {
    let job = try await open()
    let ledger = try await job.ledger(sink: "sink", identity: identity)
    let batch = try Samples.batch(["a", "b"])
    try await save(Samples.page(batch, identity: identity, generation: 1, status: .tombstone), job)
    let page = Samples.page(batch, identity: identity, generation: 3)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.tombstone, .tombstone])
    try await ledger.markPending(page)
    try await save(page, job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.live, .live])
    try await save(Samples.page(batch, identity: identity, generation: 4, status: .tombstone), job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.tombstone, .tombstone])
    // Looked up before, as the engine does: these rows are gone when the page is written.
    try await save(Samples.page(batch, identity: identity, generation: 6), job)
    #expect(try await ledger.entries(for: batch).map { $0?.status } == [.live, .live])
    #expect(try await ledger.liveCount() == 2)
    await job.close()
  }

  @Test("another identity empties the ledger, that of another sink stays")
  func bindsToIdentity() async throws {
    let job = try await open()
    let batch = try Samples.batch(["a", "b"])
    _ = try await job.ledger(sink: "sink", identity: identity)
    let other = try await job.ledger(sink: "other", identity: identity)
    try await save(Samples.page(batch, identity: identity), job)
    var page = Samples.page(batch, identity: identity)
    page.sink = "other"
    try await save(page, job)
    let ledger = try await job.ledger(sink: "sink", identity: SinkIdentity("two"))
    #expect(try await ledger.entries(for: batch) == [nil, nil])
    #expect(try await ledger.liveCount() == 0)
    #expect(try await other.liveCount() == 2)
    let error = try await failure { try await self.save(Samples.page(batch, identity: self.identity), job) }
    #expect(error.code == .stateConflict)
    await job.close()
  }

  @Test("a page that names a key twice is counted once")
  func countsTwins() async throws {
    let job = try await open()
    let ledger = try await job.ledger(sink: "sink", identity: identity)
    let batch = try Samples.batch(["a", "a", "b"])
    for generation in 1...2 as ClosedRange<UInt64> {
      _ = try await ledger.entries(for: batch)
      try await save(Samples.page(batch, identity: identity, generation: generation), job)
      #expect(try await ledger.liveCount() == 2)
    }
    var page = Samples.page(batch, identity: identity, generation: 2)
    page.updates[0]?.status = .tombstone
    _ = try await ledger.entries(for: batch)
    try await save(page, job)
    #expect(try await ledger.liveCount() == 2)
    await job.close()
  }

  @Test("what was looked up before is not trusted once the ledger has changed")
  func looksAgain() async throws {
    let job = try await open()
    let ledger = try await job.ledger(sink: "sink", identity: identity)
    let batch = try Samples.batch(["a"])
    _ = try await ledger.entries(for: batch)
    let other = try folder.connection("state.db", busyTimeout: 1000)
    try other.execute(
      """
      BEGIN IMMEDIATE;
      INSERT INTO ledger_1 (id, key, fingerprint_high, fingerprint_low, status) VALUES (77, CAST('a' AS BLOB), 1, 2, 1);
      UPDATE ledgers SET live = 1, revision = revision + 1;
      COMMIT
      """)
    try await save(Samples.page(batch, identity: identity), job)
    #expect(try await ledger.liveCount() == 1)
    #expect(try other.all("SELECT id FROM ledger_1") { $0.int(0) } == [77])
    await job.close()
  }
}

extension Batch {
  /// The entry of one key.
  fileprivate func slicedTo(_ key: String) throws -> Batch {
    let index = try #require(indices.first { self.key(at: $0) == Key(key) })
    return slice(index..<index + 1)
  }
}
