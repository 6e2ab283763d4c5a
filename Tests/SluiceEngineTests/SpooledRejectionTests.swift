import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

/// Documents that are left out, on their way through the spool.
@Suite("Left out on the way to a sink that lags", .timeLimit(.minutes(5))) struct SpooledRejectionTests {
  /// Leaves out every seventh document, and cannot take every eleventh.
  struct Picky: Transform {
    typealias Config = NoSettings
    static let name = "picky"
    static let summary = "Leaves documents out. For tests."
    init(_ config: NoSettings) {}
    func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
      var rejected: [Rejection] = []
      let page = batch
      batch = page.resolving { index, kind in
        guard let number = Int(page.key(at: index).id.dropFirst()) else { return kind }
        if number % 11 == 3 {
          rejected.append(Rejection(page.key(at: index), SluiceError(.rejected, "not taken")))
          return .dropped
        }
        return number % 7 == 5 ? .dropped : kind
      }
      rejections += rejected
    }
  }

  /// A sink that waits at its second page, and others, until the first sink has all pages of a run.
  private func lagging(behind fast: RecordingStore) -> RecordingStore {
    RecordingStore { sequence in
      while sequence > 1, (fast.deliveries.last ?? 0) < 10 {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  @Test("they are seen as without a spool: those rejected are kept, those left out deleted")
  func transforms() async {
    let source = Source(0..<30)
    let fast = RecordingStore()
    let slow = lagging(behind: fast)
    var bench = Bench(source.script, into: fast, slow)
    bench.mode = .mirror
    bench.onReject = .skip
    #expect(await bench.run().exitCode == 0)
    #expect(slow.documents.count == 30)
    bench.transforms = [TransformPlan(Picky.self, NoSettings())]
    let report = await bench.run(RunOptions(maxDelete: .count(10)))
    #expect(report.exitCode == 6)
    #expect(report.counters.rejects == 3)
    #expect(report.counters.dropped == 4)
    #expect(report.sinks.map(\.deletes) == [4, 4])
    let kept = documents((0..<30).filter { $0 % 7 != 5 || $0 % 11 == 3 }).map(\.key)
    #expect(Set(slow.documents.keys) == Set(kept))
    #expect(slow.documents == fast.documents)
  }

  @Test("by the sink itself, with on_reject: skip")
  func skipping() async {
    let fast = RecordingStore()
    let slow = lagging(behind: fast)
    slow.reject([key("13"), key("20")])
    var bench = Bench(Source(0..<30).script, into: fast, slow)
    bench.onReject = .skip
    let report = await bench.run()
    #expect(report.exitCode == 6)
    #expect(report.counters.rejects == 2)
    #expect(report.sinks.map(\.writes) == [30, 28])
    #expect(report.sinks[1].spooled > 0)
    #expect(slow.documents.count == 28)
  }

  @Test("by the sink itself, with on_reject: stop")
  func stopping() async {
    let fast = RecordingStore()
    let slow = lagging(behind: fast)
    slow.reject([key("13")])
    let bench = Bench(Source(0..<30).script, into: fast, slow)
    let failed = await bench.run()
    #expect(failed.code == .rejected)
    #expect(failed.error?.hint?.contains("--restart") == true)
    #expect(bench.state.history.last?.sinks["sink1"]?.sequence == 4)
    #expect(bench.state.history.last?.sinks["sink0"]?.sequence == 10)
    #expect(await bench.run().code == .rejected)
    slow.reject([])
    bench.script.reset()
    #expect(await bench.run().exitCode == 0)
    #expect(bench.script.requests.isEmpty)
    #expect(slow.documents == fast.documents)
  }
}
