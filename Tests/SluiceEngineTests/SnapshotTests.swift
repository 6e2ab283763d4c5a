import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

@Suite struct SnapshotTests {
  @Test(arguments: [0, 1, 2, 3, 4, 6, 7, 100], [Capabilities.PublishMode.inPlace, .replace])
  func bringsEverything(count: Int, publish: Capabilities.PublishMode) async {
    let store = RecordingStore()
    var bench = Bench(Source(0..<count).script, into: store)
    bench.publish = publish
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(store.documents.count == count)
    #expect(report.counters.documents == count)
    #expect(bench.script.requests.count == max(1, (count + 2) / 3))
    #expect(store.publications == (publish == .replace ? 1 : 0))
  }

  @Test func publishesOnceAndOnlyAtTheEnd() async throws {
    let seen = Shown()
    let store = RecordingStore { _ in seen.look() }
    seen.store = store
    var bench = Bench(Source(0..<10).script, into: store)
    bench.publish = .replace
    await bench.run()
    #expect(seen.counts == [0, 0, 0, 0])
    #expect(store.documents.count == 10)
  }

  @Test(arguments: [Capabilities.PublishMode.inPlace, .replace])
  func aSecondRunWritesNothing(publish: Capabilities.PublishMode) async {
    let store = RecordingStore()
    var bench = Bench(Source(0..<10).script, into: store)
    bench.publish = publish
    await bench.run()
    let again = await bench.run()
    #expect(again.exitCode == 0)
    #expect(again.sinks[0].writes == 0)
    #expect(again.sinks[0].unchanged == 10)
    #expect(store.publications == (publish == .replace ? 1 : 0))
    if publish == .inPlace { #expect(store.writes == 10) }
  }

  @Test(arguments: [Capabilities.PublishMode.inPlace, .replace])
  func aSinkEmptiedBehindOurBackIsFilledAgain(publish: Capabilities.PublishMode) async {
    let store = RecordingStore()
    var bench = Bench(Source(0..<10).script, into: store)
    bench.publish = publish
    bench.mode = publish == .inPlace ? .mirror : .copy
    await bench.run()
    store.wipe()
    let again = await bench.run()
    #expect(again.exitCode == 0)
    #expect(store.documents.count == 10)
    #expect(store.deletes == 0)
  }

  @Test(arguments: 1...12, [Capabilities.PublishMode.inPlace, .replace])
  func aRunThatDiesAtAnySaveGoesOnWhereItWas(save: Int, publish: Capabilities.PublishMode) async {
    let store = RecordingStore()
    var bench = Bench(Source(0..<20).script, into: store)
    bench.publish = publish
    bench.state.fail(fromSave: save)
    let first = await bench.run()
    bench.state.fail(fromSave: nil)
    let confirmed = bench.state.history.last?.listing.pages ?? 0
    bench.script.reset()
    let second = await bench.run()
    #expect(second.exitCode == 0)
    #expect(store.documents.count == 20)
    #expect(store.publications <= 2)
    guard first.exitCode != 0 else { return }
    // No page whose checkpoint was saved is asked for again.
    let asked = bench.script.requests
    #expect(asked.count == 7 - confirmed)
    if confirmed > 0, confirmed < 7 { #expect(asked.first == .token(String(confirmed * 3))) }
  }

  @Test func anotherSourceIsRefusedUntilRestarted() async {
    let store = RecordingStore()
    var bench = Bench(Source(0..<5).script, into: store)
    await bench.run()
    bench.identity = "another"
    let refused = await bench.run()
    #expect(refused.exitCode == 2)
    #expect(refused.error?.message.contains("identity: scripted → another") == true)
    let restarted = await bench.run(RunOptions(restart: true))
    #expect(restarted.exitCode == 0)
  }

  @Test func withoutASpoolTheSlowerSinkHoldsTheOtherBack() async throws {
    let gate = Gate()
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in if sequence == 2 { await gate.waitUntilOpen() } }
    var bench = Bench(Source(0..<30).script, into: fast, slow)
    bench.limits.spool = ByteCount(0)
    let held = bench
    async let report = held.run()
    // The fast sink gets the page the slow one is stuck at, and no further one.
    while fast.deliveries.count < 2 { await Task.yield() }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(fast.deliveries.count == 2)
    #expect(bench.script.requests.count == 3)
    gate.open()
    #expect(await report.exitCode == 0)
    #expect(fast.documents == slow.documents)
    #expect(bench.script.requests.count == 10)
  }

  @Test func aStopLetsThePageInHandFinish() async {
    let stop = StopSignal()
    let store = RecordingStore { sequence in if sequence == 3 { stop.request(15) } }
    var bench = Bench(Source(0..<30).script, into: store)
    bench.stop = stop
    let report = await bench.run()
    #expect(report.exitCode == 143)
    #expect(bench.state.history.last?.listing.pages == 3)
    #expect(store.documents.count == 9)
    bench.stop = StopSignal()
    bench.script.reset()
    #expect(await bench.run().exitCode == 0)
    #expect(bench.script.requests.first == .token("9"))
  }

  @Test func aStopDoesNotWaitForASlowAnswer() async {
    let stop = StopSignal()
    let script = PageScript { request in
      if request.position == .start {
        return try PageScript.page(documents(0..<3).map { ($0.key, $0.fields) }, nextToken: "1")
      }
      stop.request(2)
      try await Task.sleep(for: .seconds(3600))
      return Page(Batch(), signals: PageSignals(count: 0))
    }
    var bench = Bench(script, into: RecordingStore())
    bench.stop = stop
    #expect(await bench.run().exitCode == 130)
    #expect(bench.state.history.last?.listing.pages == 1)
  }
}

/// Looks at what a store shows.
private final class Shown: @unchecked Sendable {
  // Set before the run begins, read by the one task that applies.
  var store: RecordingStore?
  private(set) var counts: [Int] = []
  func look() { counts.append(store?.documents.count ?? -1) }
}
