import SluiceCore
import SluiceEngine
import SluiceTesting
import Synchronization
import Testing

@Suite struct MirrorTests {
  @Test func deletesExactlyWhatIsGone() async {
    let source = Source(0..<100)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set(Array(0..<100).filter { $0 % 20 != 7 } + [200])
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(report.sinks[0].deletes == 5)
    #expect(report.sinks[0].writes == 1)
    #expect(Set(store.documents.keys) == Set(documents(Array(0..<100).filter { $0 % 20 != 7 } + [200]).map(\.key)))
    let again = await bench.run()
    #expect(again.sinks[0].writes == 0)
    #expect(again.sinks[0].deletes == 0)
  }

  @Test("C82 copy, the default, only adds and changes") func copyDeletesNothing() async {
    let source = Source(0..<10)
    let store = RecordingStore()
    let bench = Bench(source.script, into: store)
    await bench.run()
    source.set(0..<5)
    #expect(await bench.run().exitCode == 0)
    #expect(store.documents.count == 10)
  }

  @Test func deletesOnlyWhatThisJobWrote() async {
    let source = Source(0..<10)
    let store = RecordingStore()
    var first = Bench(Source(100..<110).script, into: store)
    first.mode = .mirror
    await first.run()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    #expect(store.documents.count == 20)
  }

  @Test func aResumedListingDeletesExactlyTheAbsentKeys() async {
    let source = Source(0..<60)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set(Array(0..<60).filter { $0 != 3 && $0 != 40 })
    let saves = bench.state.history.count
    bench.state.fail(fromSave: 8)
    #expect(await bench.run().exitCode == 1)
    #expect(bench.state.history.count == saves + 7)
    bench.state.fail(fromSave: nil)
    let resumed = await bench.run()
    #expect(resumed.exitCode == 0)
    #expect(resumed.resumedPages > 0)
    #expect(store.deletes == 2)
    #expect(Set(store.documents.keys) == Set(documents(Array(0..<60).filter { $0 != 3 && $0 != 40 }).map(\.key)))
  }

  @Test("C86 a document that moved past the reader is looked at again before it is deleted")
  func unstableOrderNeedsASecondLook() async {
    let source = Source(0..<30)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    bench.order = .unstable
    await bench.run()
    // The listing misses 5 and 6; 5 is still there, 6 is not.
    let listed = Source(Array(0..<30).filter { $0 != 5 && $0 != 6 }).script
    bench.script = PageScript(lookup: { $0 == key("5") ? [Field("n", .int(5))] : nil }) { request in
      try await answer(listed, request)
    }
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(store.documents[key("5")] != nil)
    #expect(store.documents[key("6")] == nil)
  }

  @Test("C83 one upsert that fails for another reason than its content: nothing is deleted")
  func aFailedWriteMeansNoDeletes() async {
    let source = Source(0..<30)
    let failing = Failing()
    let store = RecordingStore { _ in try failing.check() }
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set(Array(0..<28) + [40])
    failing.isOn = true
    #expect(await bench.run().exitCode == 1)
    #expect(store.deletes == 0)
    failing.isOn = false
    #expect(await bench.run().exitCode == 0)
    #expect(store.deletes == 2)
  }

  @Test func aRejectedDocumentIsLeftOutAndItsKeyNeverDeleted() async {
    let source = Source(0..<30)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    bench.onReject = .skip
    await bench.run()
    store.reject([key("7")])
    // Another content, so that the sink is asked to take it.
    bench.script = .documents {
      documents(0..<30).map { ($0.key, [Field("n", .int(-1))]) }
    }
    let report = await bench.run()
    #expect(report.exitCode == 6)
    #expect(store.deletes == 0)
    #expect(store.documents[key("7")] == [Field("n", .int(7))])
    #expect(store.documents[key("8")] == [Field("n", .int(-1))])
  }

  @Test func aRejectedDocumentStopsTheRunByDefault() async {
    let store = RecordingStore()
    store.reject([key("7")])
    let bench = Bench(Source(0..<30).script, into: store)
    let report = await bench.run()
    #expect(report.exitCode == 1)
    #expect(report.error?.place.key == "k0007")
    #expect(report.error?.place.page == 3)
  }

  @Test func aLostPositionBeginsAnewOnceAndThenFails() async {
    let lost = SluiceError(.positionLost, "the token is no longer accepted")
    let failures = Countdown(1)
    let good = Source(0..<20).script
    let script = PageScript { request in
      if request.position == .token("9"), failures.tick() { throw lost }
      return try await answer(good, request)
    }
    var bench = Bench(script, into: RecordingStore())
    bench.publish = .replace
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(bench.stores[0].documents.count == 20)
    #expect(report.notes.contains { $0.contains("begins anew") })

    let forever = PageScript { request in
      if request.position != .start { throw lost }
      return try await answer(good, request)
    }
    var other = Bench(forever, into: RecordingStore())
    other.publish = .replace
    let failed = await other.run()
    #expect(failed.code == .positionLost)
    #expect(failed.error?.place.page == 2)
    #expect(forever.requests.count == 4)
    // The refused position is dropped: the next run begins at page 1.
    forever.reset()
    await other.run()
    #expect(forever.requests.first == .start)
  }
}

private final class Failing: @unchecked Sendable {
  // Set between runs, read within.
  var isOn = false
  func check() throws { if isOn { throw SluiceError(.io, "the disk is full") } }
}

private final class Countdown: @unchecked Sendable {
  // Used by the one task that fetches.
  private var left: Int
  init(_ count: Int) { left = count }
  func tick() -> Bool {
    left -= 1
    return left >= 0
  }
}

extension MirrorTests {
  @Test func aWriteWhoseConfirmationWasLostIsNotTakenForUnchanged() async {
    // The sink takes the new content, the run dies before the save, and the source then shows the old content again.
    let content = Content(1)
    let store = RecordingStore()
    let bench = Bench(content.script, into: store)
    await bench.run()
    content.set(2)
    bench.state.fail(fromSave: 2)
    #expect(await bench.run().exitCode == 1)
    #expect(store.documents[key("0")] == [Field("n", .int(2))])
    bench.state.fail(fromSave: nil)
    content.set(1)
    #expect(await bench.run().exitCode == 0)
    #expect(store.documents.values.allSatisfy { $0 == [Field("n", .int(1))] })
  }
}

/// Nine documents that all have the same number.
private final class Content: Sendable {
  private let number: Mutex<Int64>
  init(_ number: Int64) { self.number = Mutex(number) }
  func set(_ new: Int64) { number.withLock { $0 = new } }
  var script: PageScript {
    .documents { documents(0..<9).map { ($0.key, [Field("n", .int(self.number.withLock { $0 }))]) } }
  }
}
