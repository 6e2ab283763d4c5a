import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

@Suite("run --limit, --full, --only") struct RunOptionTests {
  @Test("a limit stops after so many documents, deletes nothing, and is not resumed", arguments: [1, 3, 4, 7, 100])
  func limit(limit: Int) async throws {
    let source = Source(0..<20)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set(5..<30)
    store.wipe()
    let report = await bench.run(RunOptions(limit: limit))
    #expect(report.exitCode == 0)
    #expect(store.documents.count == min(limit, 25))
    #expect(store.deletes == 0)
    #expect(report.notes.contains { $0.contains("--limit") })
    let whole = await bench.run()
    #expect(whole.resumedPages == 0)
    #expect(store.documents.count == 25)
  }

  @Test("a limit replaces nothing")
  func limitOfReplaced() async throws {
    let source = Source(0..<20)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.publish = .replace
    await bench.run()
    source.set(0..<19)
    let report = await bench.run(RunOptions(limit: 5))
    #expect(report.exitCode == 0 && !report.sinks[0].isPublished)
    #expect(store.documents.count == 20 && store.publications == 1)
  }

  @Test("a full run writes everything again, also where it is stopped and taken up by a plain one")
  func full() async throws {
    let store = RecordingStore()
    let bench = Bench(Source(0..<20).script, into: store)
    await bench.run()
    #expect(await bench.run().sinks[0].writes == 0)
    #expect(await bench.run(RunOptions(full: true)).sinks[0].writes == 20)
    let before = store.writes
    bench.state.fail(fromSave: 6)
    #expect(await bench.run(RunOptions(full: true)).exitCode == 1)
    bench.state.fail(fromSave: nil)
    let resumed = await bench.run()
    #expect(resumed.resumedPages > 0)
    #expect(store.writes - before >= 20)
    #expect(await bench.run().sinks[0].writes == 0)
  }

  @Test("a full run publishes what is published already")
  func fullOfReplaced() async throws {
    let store = RecordingStore()
    var bench = Bench(Source(0..<20).script, into: store)
    bench.publish = .replace
    await bench.run()
    await bench.run()
    #expect(store.publications == 1)
    await bench.run(RunOptions(full: true))
    #expect(store.publications == 2)
  }

  @Test("single keys are written or deleted, and the saved listing stays as it is", arguments: Mode.allCases)
  func only(mode: Mode) async throws {
    let source = Documents(0..<20)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = mode
    await bench.run()
    let saved = try #require(try await bench.state.checkpoints().first)
    source.change { all in
      all[key("3")] = [Field("n", .int(-3))]
      all[key("4")] = nil
      all[key("5")] = [Field("n", .int(-5))]
      all[key("50")] = [Field("n", .int(50))]
    }
    bench.script.reset()
    let report = await bench.run(RunOptions(only: [key("3"), key("4"), key("50"), key("51")]))
    #expect(report.exitCode == 0)
    #expect(report.sinks[0].writes == 2)
    #expect(report.sinks[0].deletes == (mode == .mirror ? 1 : 0))
    #expect(store.documents[key("3")] == [Field("n", .int(-3))])
    #expect(store.documents[key("5")] == [Field("n", .int(5))], "not named")
    #expect(store.documents[key("50")] != nil)
    let after = try #require(try await bench.state.checkpoints().first)
    #expect(after.listing == saved.listing && after.counters == saved.counters && after.phase == saved.phase)
    let run = await bench.run()
    #expect(run.sinks[0].writes == 1, "what was brought is known")
  }

  @Test("single keys in the middle of a listing do not keep it from going on")
  func onlyInTheMiddle() async throws {
    let source = Documents(0..<20)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    bench.state.fail(fromSave: 4)
    #expect(await bench.run().exitCode == 1)
    bench.state.fail(fromSave: nil)
    #expect(await bench.run(RunOptions(only: [key("19")])).exitCode == 0)
    let report = await bench.run()
    #expect(report.exitCode == 0 && report.resumedPages > 0)
    #expect(store.documents.count == 20)
  }

  @Test("single keys of a sink that was emptied make the listing begin anew")
  func onlyOfAnother() async throws {
    let store = RecordingStore()
    let bench = Bench(Source(0..<20).script, into: store)
    bench.state.fail(fromSave: 4)
    await bench.run()
    bench.state.fail(fromSave: nil)
    store.wipe()
    #expect(await bench.run(RunOptions(only: [key("19")])).exitCode == 0)
    let report = await bench.run()
    #expect(report.resumedPages == 0)
    #expect(store.documents.count == 20)
  }

  @Test("single keys need a look-up, and a sink that takes changes")
  func onlyRefused() async throws {
    var bench = Bench(Source(0..<20).script, into: RecordingStore())
    bench.publish = .replace
    let report = await bench.run(RunOptions(only: [key("1")]))
    #expect(report.exitCode == 2)
    #expect(report.error?.message.contains("replaced as a whole") == true)
  }

  @Test("adopting learns what a sink holds, and the first run writes only the rest")
  func adopt() async throws {
    let source = Documents(0..<20)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    store.change { shown in
      for (key, fields) in documents(0..<18) { shown[key] = fields }
      shown[key("4")] = [Field("n", .int(-4))]
      shown[Key("foreign")] = []
    }
    let adopted = await bench.engine.adopt(bench.plan)
    #expect(adopted.exitCode == 0)
    #expect(adopted.sinks[0].unchanged == 17 && adopted.sinks[0].writes == 0)
    #expect(store.writes == 0)
    let plan = await bench.plan()
    #expect(plan.sinks.first?.adds == 3 && plan.sinks.first?.deletes == 0)
    let run = await bench.run()
    #expect(run.sinks[0].writes == 3 && run.sinks[0].deletes == 0)
    #expect(store.documents[Key("foreign")] != nil, "what nobody of us wrote stays")
    source.change { $0[key("7")] = nil }
    #expect(await bench.run().sinks[0].deletes == 1, "what was adopted is deleted like what was written")
  }

  @Test("runs are remembered, with how they ended")
  func runs() async throws {
    let source = Source(0..<20)
    var bench = Bench(source.script, into: RecordingStore())
    bench.mode = .mirror
    await bench.run()
    source.set(0..<5)
    await bench.run()
    let runs = try await bench.state.runs(limit: 10)
    #expect(runs.map(\.exitCode) == [3, 0])
    #expect(runs.map(\.error) == ["too_many_deletes", nil])
    #expect(runs.last?.counters.documents == 20 && runs.last?.generation == 1)
    #expect(try RunRecord(savedForm: runs[0].savedForm) == runs[0])
  }
}
