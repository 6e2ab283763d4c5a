import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite state store") struct StateStoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(_ path: String = ".sluice/state.db") async throws -> SQLiteStateStore {
    var config = SQLiteStateStore.Config()
    config.path = path
    return try await SQLiteStateStore(config, context: StateContext(baseDirectory: folder.path))
  }

  @Test("only its user can read the folder, the database and its logs")
  func rights() async throws {
    let store = try await store()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1)))
    #expect(try folder.rights(".sluice") == 0o700)
    for name in ["state.db", "state.db-wal", "state.db-shm", "locks/job.lock"] {
      #expect(try folder.rights(".sluice/\(name)") == 0o600, "\(name)")
    }
    #expect(try folder.rights(".sluice/locks") == 0o700)
    await job.close()
    await store.close()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.file(".sluice"))
    #expect(left.sorted() == ["locks", "state.db"])
  }

  @Test("a checkpoint is there after reopening, and each save must follow the one before")
  func savesInOrder() async throws {
    let store = try await store()
    var job = try await store.open(job: "job")
    #expect(try await job.checkpoint() == nil)
    for revision in 1...3 as ClosedRange<UInt64> { try await job.save(StateCommit(Samples.checkpoint(revision))) }
    for wrong in [1, 3, 5] as [UInt64] {
      let error = try await failure { try await job.save(StateCommit(Samples.checkpoint(wrong))) }
      #expect(error.code == .stateConflict)
    }
    await job.close()
    await store.close()

    let again = try await self.store()
    job = try await again.open(job: "job")
    #expect(try await job.checkpoint() == Samples.checkpoint(3))
    #expect(try await again.checkpoints() == [Samples.checkpoint(3)])
    await job.close()
    await again.close()
  }

  @Test("a failed save leaves nothing behind")
  func savesWholly() async throws {
    let store = try await store()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1)))
    let page = PageRecord(generation: 1, request: Fingerprint(high: 1, low: 1), keys: fingerprints(0..<3))
    let charge = Charge(account: "a", day: Day(number: 5), amount: Spending(reads: 7))
    // A ledger that was never opened makes the last part of the commit fail.
    let stray = Samples.page(try Samples.batch(["a"]), identity: SinkIdentity("x"))
    _ = try await failure {
      try await job.save(StateCommit(Samples.checkpoint(2), ledgers: [stray], page: page, charges: [charge]))
    }
    #expect(try await job.checkpoint()?.revision == 1)
    #expect(try await job.requests(generation: 1) == [])
    #expect(try await job.countUnseen(fingerprints(0..<3), generation: 1) == 3)
    #expect(try await store.spent(account: "a", day: Day(number: 5)) == Spending())
    await job.close()
    await store.close()
  }

  @Test("requests and keys of a generation are remembered, and go with it")
  func remembersPages() async throws {
    let store = try await store()
    var job = try await store.open(job: "job")
    func save(_ revision: UInt64, _ generation: UInt64, _ keys: Range<UInt64>) async throws {
      let page = PageRecord(
        generation: generation, request: Fingerprint(high: revision, low: 0), keys: fingerprints(keys))
      try await job.save(StateCommit(Samples.checkpoint(revision, generation: generation), page: page))
    }
    try await save(1, 1, 0..<10)
    try await save(2, 1, 10..<20)
    #expect(try await job.countUnseen(fingerprints(5..<25), generation: 1) == 5)
    try await save(3, 1, 20..<23)
    #expect(try await job.countUnseen(fingerprints(5..<25), generation: 1) == 2)
    #expect(try await job.requests(generation: 1).map(\.high) == [1, 2, 3])
    await job.close()

    job = try await store.open(job: "job")
    #expect(try await job.countUnseen(fingerprints(5..<25), generation: 1) == 2)
    try await save(4, 2, 100..<101)
    #expect(try await job.requests(generation: 1) == [])
    #expect(try await job.requests(generation: 2).map(\.high) == [4])
    #expect(try await job.countUnseen(fingerprints(5..<25), generation: 2) == 20)
    #expect(try await job.countUnseen(fingerprints(100..<101), generation: 2) == 0)
    await job.close()
    await store.close()
  }

  @Test("spending adds up over jobs, and can be given back")
  func addsSpending() async throws {
    let store = try await store()
    for (name, reads) in [("a", 300), ("b", 20), ("c", -5)] {
      let job = try await store.open(job: name)
      let charge = Charge(
        account: "db", day: Day(number: 9), amount: Spending(reads: reads, writes: 1, deletes: 2, requests: 3, bytes: 4)
      )
      let other = Charge(account: "db", day: Day(number: 10), amount: Spending(reads: 1))
      try await job.save(StateCommit(Samples.checkpoint(1, job: name), charges: [charge, other]))
      await job.close()
    }
    let spent = try await store.spent(account: "db", day: Day(number: 9))
    #expect(spent == Spending(reads: 315, writes: 3, deletes: 6, requests: 9, bytes: 12))
    #expect(try await store.spent(account: "db", day: Day(number: 10)) == Spending(reads: 3))
    #expect(try await store.spent(account: "other", day: Day(number: 9)) == Spending())
    #expect(try await store.checkpoints().map(\.job) == ["a", "b", "c"])
    await store.close()
  }

  @Test("a job is opened once; the next one hears who has it")
  func locks() async throws {
    let store = try await store()
    let other = try await self.store()
    let job = try await store.open(job: "a/b ü")
    let error = try await failure { _ = try await other.open(job: "a/b ü") }
    #expect(error.code == .alreadyRunning)
    #expect(error.message.contains("a/b ü") && error.message.contains("\(getpid())"))
    let free = try await other.open(job: "a/b")
    await free.close()
    await job.close()
    await (try await other.open(job: "a/b ü")).close()
  }

  @Test(
    "a lock's name tells the job and stays in its folder",
    arguments: [
      ("users", "users.lock"), ("..", "%2E..lock"), ("a/b", "a%2Fb.lock"), ("é%", "%C3%A9%25.lock"),
      (".x", "%2Ex.lock"), ("a.b-c_D9", "a.b-c_D9.lock"), ("", ".lock"),
    ])
  func namesLocks(job: String, file: String) { #expect(JobLock.fileName(of: job) == file) }

  @Test("a lock file that is a link is not followed")
  func followsNoLink() async throws {
    let store = try await store()
    try FileManager.default.createDirectory(atPath: folder.file(".sluice/locks"), withIntermediateDirectories: true)
    try folder.write(Array("mine".utf8), to: "precious")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(".sluice/locks/job.lock"), withDestinationPath: folder.file("precious"))
    let error = try await failure { _ = try await store.open(job: "job") }
    #expect(error.code == .io)
    #expect(try folder.read("precious") == Array("mine".utf8))
  }
}
