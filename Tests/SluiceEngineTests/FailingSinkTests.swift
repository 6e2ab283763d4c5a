import SluiceCore
import SluiceEngine
import SluiceTesting
import Synchronization
import Testing

@Suite("When a sink fails") struct FailingSinkTests {
  @Test("C95 the source is left at once, although a page is on its way, and the sink's error is the one told")
  func leavesTheSource() async {
    let source = Source(0..<60).script
    let wasLeft = Flag()
    // The page after the one that fails never comes: it only ends by being given up.
    let script = PageScript { request in
      if request.position == .token("30") {
        do { try await Task.sleep(for: .seconds(3600)) } catch {
          wasLeft.set()
          throw error
        }
      }
      return try await answer(source, request)
    }
    let store = RecordingStore { if $0 == 10 { throw SluiceError(.io, "the disk is full") } }
    let bench = Bench(script, into: store)
    let report = await bench.run()
    #expect(report.exitCode == 1)
    #expect(report.error?.code == .io)
    #expect(report.error?.message == "the disk is full")
    #expect(report.error?.place.page == 10)
    #expect(wasLeft.isSet)
    // What was confirmed before is kept.
    #expect(bench.state.history.last?.listing.pages == 9)
    #expect(store.documents.count == 27)
  }

  @Test("C91 a page that one of two sinks lost comes again, to that sink; jobs do not disturb each other")
  func comesAgain() async {
    let source = Source(0..<30)
    let failing = Flag()
    let lost = RecordingStore { if $0 == 4, failing.isSet { throw SluiceError(.io, "the disk is full") } }
    let kept = RecordingStore()
    let bench = Bench(source.script, into: kept, lost)
    var other = Bench(Source(100..<130).script, into: RecordingStore())
    other.name = "other"
    other.state = bench.state
    failing.set()
    #expect(await bench.run().exitCode == 1)
    #expect(await other.run().exitCode == 0)
    #expect(lost.documents.count == 9)
    failing.clear()
    bench.script.reset()
    #expect(await bench.run().exitCode == 0)
    #expect(lost.documents == kept.documents)
    #expect(lost.documents.count == 30)
    // The page that only one sink had is not lost, and none that both had is read again.
    #expect(lost.deliveries.filter { $0 == 4 } == [4])
    let again = bench.script.requests
    #expect(!again.contains(.start) && !again.contains(.token("3")) && !again.contains(.token("6")))
    // The other job's state is its own.
    other.script.reset()
    #expect(await other.run().sinks[0].unchanged == 30)
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
  func clear() { value.store(false, ordering: .releasing) }
}
