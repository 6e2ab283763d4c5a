import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

@Suite("What a mirror deletes, and when it deletes nothing") struct DeletesTests {
  private static func mirror(_ source: Source, _ store: RecordingStore, _ deletes: DeleteStyle = .hard) -> Bench {
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    bench.deletes = deletes
    return bench
  }

  @Test("soft: gone documents stay, marked with the time; one that comes back is unmarked")
  func soft() async {
    let source = Source(0..<40)
    let store = RecordingStore()
    let bench = Self.mirror(source, store, .soft)
    await bench.run()
    source.set(Array(0..<40).filter { $0 != 7 && $0 != 8 })
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(report.sinks[0].deletes == 2)
    #expect(store.documents.count == 40)
    let time = Timestamp(seconds: 1_800_000_000, nanoseconds: 0)
    #expect(store.deletedAt == [key("7"): time, key("8"): time])
    // Marked once: the next run has nothing to do.
    #expect(await bench.run().sinks[0].deletes == 0)
    source.set(Array(0..<40).filter { $0 != 8 })
    #expect(await bench.run().sinks[0].writes == 1)
    #expect(store.deletedAt == [key("8"): time])
  }

  @Test("ignore: gone documents stay as they are, also all of them")
  func ignore() async {
    let source = Source(0..<40)
    let store = RecordingStore()
    let bench = Self.mirror(source, store, .ignore)
    await bench.run()
    source.set(10..<12)
    #expect(await bench.run().exitCode == 0)
    source.set([])
    #expect(await bench.run().exitCode == 0)
    #expect(store.documents.count == 40)
    #expect(store.deletes == 0)
  }

  @Test(
    "51 % of the source gone, or all of it: refused with exit 3, the number and the way to allow it once",
    arguments: [DeleteStyle.hard, .soft])
  func refusesMany(style: DeleteStyle) async {
    let source = Source(0..<100)
    let store = RecordingStore()
    let bench = Self.mirror(source, store, style)
    await bench.run()
    source.set(51..<100)
    let refused = await bench.run()
    #expect(refused.exitCode == 3)
    #expect(refused.error?.message.contains("51 of 100") == true)
    #expect(refused.error?.hint?.contains("--max-delete 51") == true)
    source.set([])
    let empty = await bench.run()
    #expect(empty.exitCode == 3)
    #expect(empty.error?.hint?.contains("allow_empty: true") == true)
    #expect(store.deletes == 0)
    source.set(51..<100)
    var options = RunOptions()
    options.maxDelete = .count(51)
    #expect(await bench.run(options).exitCode == 0)
    #expect(store.deletes == 51)
    // For once: the next such loss is refused again.
    source.set(90..<100)
    #expect(await bench.run().exitCode == 3)
  }

  /// Ways in which a listing ends early, or is not known to have brought everything.
  enum Cut: String, CaseIterable {
    case capped, cutByError, cutByLoop, restarted
  }

  @Test("C85 a capped, cut or tainted listing, and one that was begun anew, delete nothing", arguments: Cut.allCases)
  func provesNothing(cut: Cut) async {
    let source = Source(0..<60)
    let store = RecordingStore()
    var bench = Self.mirror(source, store)
    await bench.run()
    // Two documents are gone; what is listed lacks more than those.
    source.set(2..<60)
    let whole = source.script
    switch cut {
    case .capped: bench.limits.maxResults = 58
    case .cutByError:
      bench.script = PageScript { request in
        if request.position == .token("30") { throw SluiceError(.network, "the connection broke") }
        return try await answer(whole, request)
      }
    case .cutByLoop:
      bench.script = PageScript { request in
        var page = try await answer(whole, request)
        if request.position == .token("30") { page.signals.nextToken = "3" }
        return page
      }
    case .restarted:
      // The saved position is refused twice: the second time the run gives up, with a new listing at its beginning.
      bench.script = PageScript { request in
        if request.position == .token("30") { throw SluiceError(.positionLost, "the token is no longer accepted") }
        return try await answer(whole, request)
      }
    }
    let report = await bench.run()
    #expect(store.deletes == 0)
    #expect(store.documents.count == 60)
    #expect((report.exitCode == 0) == (cut == .capped))
    if cut == .capped {
      #expect(report.notes.contains { $0.contains("max_results") && $0.contains("no deletes") })
    }
    // What stood in the way is gone: exactly the two that are absent go.
    bench.limits.maxResults = 59
    bench.script = whole
    #expect(await bench.run().exitCode == 0)
    #expect(Set(store.documents.keys) == Set(documents(2..<60).map(\.key)))
  }

  @Test("a capped listing replaces nothing either") func cappedReplacing() async {
    let source = Source(0..<60)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.publish = .replace
    await bench.run()
    source.set(0..<59)
    bench.limits.maxResults = 59
    let report = await bench.run()
    #expect(report.code == .limitExceeded)
    #expect(store.documents.count == 60)
  }

  @Test("a document that a transform now leaves out leaves the mirror") func leftOut() async {
    let store = RecordingStore()
    var bench = Self.mirror(Source(0..<40), store)
    await bench.run()
    bench.transforms = [TransformPlan(LeaveOut.self, LeaveOut.Config())]
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(report.sinks[0].deletes == 2)
    #expect(store.documents[key("3")] == nil)
    #expect(store.documents.count == 38)
  }

  @Test("what a sink does not keep of a time makes no difference") func precision() async {
    let store = RecordingStore()
    func script(_ nanoseconds: UInt32) -> PageScript {
      .documents { [(key("1"), [Field("at", .timestamp(Timestamp(seconds: 5, nanoseconds: nanoseconds)))])] }
    }
    var bench = Bench(script(123_456_700), into: store)
    bench.timestampDigits = 6
    await bench.run()
    bench.script = script(123_456_799)
    #expect(await bench.run().sinks[0].writes == 0)
    bench.script = script(123_457_000)
    #expect(await bench.run().sinks[0].writes == 1)
    bench.timestampDigits = 9
    bench.script = script(123_457_001)
    #expect(await bench.run().sinks[0].writes == 1)
  }
}

/// Leaves out the documents 3 and 4.
private final class LeaveOut: Transform {
  struct Config: Configurable {
    static let spec = ConfigSpec<Config>("Leaves out two documents.", [])
  }
  static let name = "leave_out"
  static let summary = "Leaves out two documents."
  init(_ config: Config) {}
  func apply(to batch: inout Batch, rejections: inout [Rejection]) {
    let gone = [key("3"), key("4")]
    batch = batch.resolving { index, kind in gone.contains(batch.key(at: index)) ? .dropped : kind }
  }
}
