import FirestoreServer
import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("signals") struct SignalTests {
  static let signals: [Int32] = [SIGINT, SIGTERM]

  /// A run whose third page is being written and cannot be: another connection holds the table's database.
  private func heldAtThirdPage(_ bench: Bench) async throws -> (run: ChildProcess, lock: Connection) {
    try bench.configure(Job.table + Job.patient)
    let gates = (third: FaultGate(), fourth: FaultGate())
    bench.server.script(
      FaultScript(
        FaultRule(.method(.list) && .page(3), .hold(gates.third)),
        FaultRule(.method(.list) && .page(4) && .attempts(upTo: 1), .hold(gates.fourth))))
    let run = try bench.start("run")
    await gates.third.arrived()
    while try await bench.savedPages() != 2 { try #require(!run.hasEnded) }
    let lock = try Connection(path: bench.folder.file("out/users.db"), creating: false, synchronous: .normal)
    try lock.execute("BEGIN IMMEDIATE")
    gates.third.open()
    // Asked for while the third one is applied.
    await gates.fourth.arrived()
    return (run, lock)
  }

  private func expectToGoOn(_ bench: Bench, from page: Int) async throws {
    #expect(try await bench.savedPages() == page - 1)
    bench.server.script(FaultScript())
    bench.server.log.reset()
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(bench.listTokens.count == 5 - (page - 1), "goes on at page \(page)")
    let table = try Connection(path: bench.folder.file("out/users.db"), creating: false, synchronous: .normal)
    #expect(try table.first("SELECT count(*) FROM users") { $0.int(0) } == 100)
  }

  @Test("C94 the first signal lets the page in hand finish and saves it", arguments: signals)
  func first(signal: Int32) async throws {
    let bench = try Bench()
    let (run, lock) = try await heldAtThirdPage(bench)
    run.signal(signal)
    #expect(await run.waitForError("stopping after the page in hand"))
    #expect(!run.hasEnded)
    lock.rollBack()
    let result = await run.wait()
    #expect(result.ending == .exited(128 + signal), "\(result.errorText)")
    #expect(result.errorText.contains("run again to go on after page 3"), "\(result.errorText)")
    try await expectToGoOn(bench, from: 4)
  }

  @Test("C94 a second signal leaves at once, and what was saved is whole", arguments: signals)
  func second(signal: Int32) async throws {
    let bench = try Bench()
    let (run, lock) = try await heldAtThirdPage(bench)
    run.signal(signal)
    #expect(await run.waitForError("stopping after the page in hand"))
    run.signal(signal)
    // The table is still locked: nobody could have finished the page.
    #expect(await run.wait().ending == .exited(128 + signal))
    lock.rollBack()
    try await expectToGoOn(bench, from: 3)
  }

  @Test("a signal ends the wait for an answer, and for a retry")
  func waiting() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let gate = FaultGate()
    bench.server.script(FaultScript(FaultRule(.method(.list) && .page(2), .hold(gate))))
    let waiting = try bench.start("run")
    await gate.arrived()
    waiting.signal(SIGTERM)
    #expect(await waiting.wait().ending == .exited(143))
    gate.open()
    bench.server.script(try .named("r429forever", page: 3, retryAfter: 60))
    let retrying = try bench.start("run")
    #expect(await retrying.waitForError("retry after try 1"))
    retrying.signal(SIGINT)
    #expect(await retrying.wait().ending == .exited(130))
    bench.server.script(FaultScript())
    #expect(try await bench.sluice("run").exitCode == 0)
    #expect(try bench.lines().count == 100)
  }

  @Test("a job that a signal kept from beginning is no success, though the one before it was finished")
  func between() async throws {
    let bench = try Bench(users: 10)
    try bench.write(jobs: ["a": ("", Job.table + Job.patient), "b": ("", Job.file)])
    // The only page of the first job cannot be written until the lock is free: by then the signal has come.
    #expect(try await bench.sluice("run", "a").exitCode == 0)
    for number in 0..<10 { try bench.server.store.set("users/u000\(number)", [Field("n", .int(-1))]) }
    let lock = try Connection(path: bench.folder.file("out/users.db"), creating: false, synchronous: .normal)
    let gate = FaultGate()
    bench.server.script(FaultScript(FaultRule(.method(.list), .hold(gate))))
    let run = try bench.start("run")
    await gate.arrived()
    try lock.execute("BEGIN IMMEDIATE")
    bench.server.log.reset()
    gate.open()
    #expect(await run.waitForError("database is locked"))
    run.signal(SIGTERM)
    #expect(await run.waitForError("stopping after the page in hand"))
    lock.rollBack()
    let result = await run.wait()
    #expect(result.errorText.contains("a: done"), "\(result.errorText)")
    #expect(result.ending == .exited(143), "\(result.errorText)")
    #expect(result.errorText.contains("not run: b"), "\(result.errorText)")
    #expect(!bench.folder.exists("out/users.jsonl"))
  }

  @Test("sluice demo --serve serves until a signal comes")
  func serving() async throws {
    let bench = try Bench(users: 0)
    let serving = try bench.start("demo", "--serve")
    #expect(await serving.waitForError("it ends with Ctrl-C"))
    serving.signal(SIGINT)
    #expect(await serving.wait().ending == .exited(0))
  }
}
