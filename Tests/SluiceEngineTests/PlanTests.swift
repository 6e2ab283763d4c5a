import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

@Suite("plan") struct PlanTests {
  /// A first run of 0…29, then documents that are new, changed and gone.
  private func changed(mode: Mode = .mirror) async -> (bench: Bench, store: RecordingStore, source: Documents) {
    let source = Documents(0..<30)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = mode
    await bench.run()
    source.change { all in
      all[key("40")] = [Field("n", .int(40))]
      all[key("41")] = [Field("n", .int(41))]
      all[key("7")] = [Field("n", .int(-7))]
      all[key("3")] = nil
    }
    return (bench, store, source)
  }

  @Test("C82 a plan says what a run then does, to the number, and changes nothing", arguments: Mode.allCases)
  func foresees(mode: Mode) async throws {
    let (bench, store, _) = await changed(mode: mode)
    let (documents, saved) = (store.documents, bench.state.history.count)
    let plan = await bench.plan(keys: 5)
    #expect(plan.exitCode == 0)
    let sink = try #require(plan.sinks.first)
    #expect(sink.adds == 2 && sink.updates == 1 && sink.deletes == (mode == .mirror ? 1 : 0) && sink.unchanged == 28)
    #expect(sink.keys.adds == [key("40"), key("41")])
    #expect(sink.keys.updates == [key("7")])
    #expect(sink.keys.deletes == (mode == .mirror ? [key("3")] : []))
    #expect(store.documents == documents && bench.state.history.count == saved, "nothing is changed")
    let run = await bench.run()
    #expect(run.sinks[0].writes == sink.adds + sink.updates)
    #expect(run.sinks[0].deletes == sink.deletes)
    #expect(run.sinks[0].unchanged == sink.unchanged)
    let after = await bench.plan()
    #expect(after.sinks.first?.isCurrent == true)
  }

  @Test("a plan of a first run adds everything, and reads no ledger that is not there")
  func first() async throws {
    let store = RecordingStore()
    let bench = Bench(Source(0..<10).script, into: store)
    let plan = await bench.plan()
    #expect(plan.sinks.first?.adds == 10)
    #expect(store.deliveries.isEmpty && bench.state.history.isEmpty)
    #expect(try await bench.state.checkpoints().isEmpty)
  }

  @Test("a replaced set is compared with what the sink shows")
  func replaced() async throws {
    let source = Documents(0..<30)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.publish = .replace
    await bench.run()
    #expect(await bench.plan().sinks.first?.isCurrent == true)
    source.change { $0[key("3")] = nil }
    let sink = try #require(await bench.plan(keys: 3).sinks.first)
    #expect(sink.deletes == 1 && sink.unchanged == 29 && sink.adds == 0 && !sink.isCurrent)
    #expect(sink.keys.deletes == [key("3")])
    #expect(store.publications == 1)
  }

  @Test("a guard that would refuse the run refuses the plan, with the number", arguments: [true, false])
  func refused(replaces: Bool) async throws {
    let source = Source(0..<30)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    bench.publish = replaces ? .replace : .inPlace
    await bench.run()
    source.set(0..<15)
    let plan = await bench.plan()
    #expect(plan.run.code == .tooManyDeletes)
    #expect(plan.exitCode == 3)
    #expect(plan.sinks.first?.deletes == 15)
    #expect(await bench.run().exitCode == 3)
    #expect(await bench.plan(RunOptions(maxDelete: .count(15))).exitCode == 0)
    source.set([])
    #expect(await bench.plan().run.code == .emptySource)
  }

  @Test("what is read for a plan counts in the day's budget, and ends it like a run")
  func budget() async throws {
    var bench = Bench(Source(0..<30).script, into: RecordingStore())
    bench.account = "firestore:a"
    bench.limits.readsPerDay = 50
    let plan = await bench.plan()
    #expect(plan.run.spending.reads == 30)
    let day = Day(Timestamp(seconds: 1_800_000_000, nanoseconds: 0))
    #expect(try await bench.state.spent(account: "firestore:a", day: day).reads == 30)
    let second = await bench.plan()
    #expect(second.exitCode == 4)
    #expect(second.sinks.first?.isCompared == true)
    #expect(try await bench.state.spent(account: "firestore:a", day: day).reads <= 50)
  }

  @Test("a listing in circles ends a plan as it ends a run")
  func circles() async {
    let bench = Bench(
      PageScript { _ in try PageScript.page([(key("1"), [])], nextToken: "again") }, into: RecordingStore())
    #expect(await bench.plan().exitCode == 3)
  }

  @Test("keys that an unstable listing missed are looked up before they count as gone")
  func secondLook() async throws {
    let store = RecordingStore()
    var bench = Bench(Source(0..<30).script, into: store)
    bench.mode = .mirror
    bench.order = .unstable
    await bench.run()
    let listed = Source(Array(0..<30).filter { $0 != 5 && $0 != 6 }).script
    bench.script = PageScript(lookup: { $0 == key("5") ? [Field("n", .int(5))] : nil }) { request in
      try await answer(listed, request)
    }
    #expect(await bench.plan(keys: 3).sinks.first?.keys.deletes == [key("6")])
  }

  @Test("a plan does not take up a listing that was begun, says so, and leaves it to be taken up")
  func unfinished() async throws {
    let store = RecordingStore()
    let bench = Bench(Source(0..<30).script, into: store)
    bench.state.fail(fromSave: 5)
    #expect(await bench.run().exitCode == 1)
    bench.state.fail(fromSave: nil)
    let plan = await bench.plan()
    #expect(plan.run.counters.documents == 30)
    #expect(plan.run.notes.contains { $0.contains("would go on after page") }, "\(plan.run.notes)")
    #expect(await bench.run().resumedPages > 0)
  }

  @Test("the same plan of a job that another process runs ends as the run would")
  func busy() async throws {
    let bench = Bench(Source(0..<3).script, into: RecordingStore())
    let state = try await bench.state.open(job: "job")
    #expect(await bench.plan().exitCode == 7)
    await state.close()
  }
}

extension Bench {
  func plan(_ options: RunOptions = RunOptions(), keys: Int = 0) async -> PlanReport {
    await engine.plan(plan, options: options, keys: keys)
  }

  func verify(_ options: VerifyOptions = VerifyOptions()) async -> VerifyReport {
    await engine.verify(plan, options: options)
  }

  var engine: Engine {
    let events = events
    return Engine(
      store: state,
      environment: RunEnvironment(
        now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) }, observe: { events.add($0) }, stop: stop))
  }
}
