import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite state: runs, rename, reset") struct StateMoveTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(creates: Bool = true) async throws -> SQLiteStateStore {
    try await SQLiteStateStore(
      SQLiteStateStore.Config(), context: StateContext(baseDirectory: folder.path, creates: creates))
  }

  private func record(_ number: Int, job: String = "job") -> RunRecord {
    RunRecord(
      job: job, startedAt: Timestamp(seconds: Int64(number), nanoseconds: 5), milliseconds: number,
      outcome: "failed", exitCode: 1, error: "network", generation: UInt64(number),
      spending: Spending(reads: 1, writes: 2, deletes: 3, requests: 4, bytes: 5))
  }

  private let identity = SinkIdentity("the store")

  /// A job with a checkpoint, two pages, a ledger of two keys, a run.
  private func fill(_ store: SQLiteStateStore, _ job: String) async throws {
    let state = try await store.open(job: job)
    _ = try await state.ledger(sink: "sink", identity: identity)
    let record = PageRecord(generation: 1, request: fingerprints(5..<6)[0], keys: fingerprints(1..<3))
    try await state.save(
      StateCommit(
        Samples.checkpoint(1, job: job), ledgers: [Samples.page(try Samples.batch(["a", "b"]), identity: identity)],
        page: record))
    try await state.record(self.record(1, job: job))
    await state.close()
  }

  @Test("a store that is not there is empty, and looking makes nothing")
  func looking() async throws {
    let store = try await store(creates: false)
    #expect(try await store.checkpoints().isEmpty)
    #expect(try await store.runs(limit: 5).isEmpty)
    try await store.reset(job: "job")
    #expect(try await failure { try await store.rename(job: "job", to: "other") }.code == .stateConflict)
    await store.close()
    #expect(try folder.names() == [])
  }

  @Test("the last 50 runs of each job are kept, the newest first")
  func runs() async throws {
    let store = try await store()
    for job in ["b", "a"] {
      let state = try await store.open(job: job)
      for number in 1...60 { try await state.record(record(number, job: job)) }
      await state.close()
    }
    let runs = try await store.runs(limit: 100)
    #expect(runs.map(\.job) == Array(repeating: "a", count: 50) + Array(repeating: "b", count: 50))
    #expect(runs.first == record(60, job: "a") && runs.last == record(11, job: "b"))
    #expect(try await store.runs(limit: 2).map(\.milliseconds) == [60, 59, 60, 59])
    await store.close()
  }

  @Test("a rename takes along all there is of a job")
  func rename() async throws {
    let store = try await store()
    try await fill(store, "job")
    try await store.rename(job: "job", to: "other")
    #expect(try await store.checkpoints() == [Samples.checkpoint(1, job: "other")])
    #expect(try await store.runs(limit: 5) == [record(1, job: "other")])
    let state = try await store.open(job: "other")
    #expect(try await state.requests(generation: 1) == fingerprints(5..<6))
    #expect(try await state.countUnseen(fingerprints(1..<5), generation: 1) == 2)
    #expect(try await state.ledger(sink: "sink", identity: identity).liveCount() == 2)
    try await state.save(StateCommit(Samples.checkpoint(2, job: "other")))
    await state.close()
    await store.close()
  }

  @Test("a rename onto a job with state, of a job without, or of one that runs, is refused and changes nothing")
  func renameRefused() async throws {
    let store = try await store()
    try await fill(store, "job")
    try await fill(store, "other")
    #expect(try await failure { try await store.rename(job: "job", to: "other") }.code == .stateConflict)
    #expect(try await failure { try await store.rename(job: "none", to: "more") }.code == .stateConflict)
    let state = try await store.open(job: "job")
    #expect(try await failure { try await store.rename(job: "job", to: "more") }.code == .alreadyRunning)
    #expect(try await failure { try await store.reset(job: "job") }.code == .alreadyRunning)
    await state.close()
    #expect(try await store.checkpoints().map(\.job) == ["job", "other"])
    await store.close()
  }

  @Test("a reset forgets one job, and leaves its runs, what was spent, and other jobs")
  func reset() async throws {
    let store = try await store()
    try await fill(store, "job")
    try await fill(store, "other")
    let charge = Charge(account: "a", day: Day(number: 3), amount: Spending(reads: 7))
    try await store.charge([charge, charge])
    try await store.reset(job: "job")
    #expect(try await store.checkpoints().map(\.job) == ["other"])
    #expect(try await store.runs(limit: 5).map(\.job) == ["job", "other"])
    #expect(try await store.spent(account: "a", day: Day(number: 3)).reads == 14)
    let state = try await store.open(job: "job")
    #expect(try await state.checkpoint() == nil)
    #expect(try await state.requests(generation: 1) == [])
    #expect(try await state.ledger(sink: "sink", identity: identity).liveCount() == 0)
    await state.close()
    let other = try await store.open(job: "other")
    #expect(try await other.ledger(sink: "sink", identity: identity).liveCount() == 2)
    await other.close()
    await store.close()
  }
}
