import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

/// Two sinks, the second of which lags. Ten pages of three documents, unless a test says otherwise.
@Suite("A sink that lags", .timeLimit(.minutes(5))) struct SpoolTests {
  static let modes = [Capabilities.PublishMode.inPlace, .replace]

  @Test("does not hold the others back, and gets every page in order", arguments: modes)
  func laggingSink(publish: Capabilities.PublishMode) async {
    let gate = Gate()
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in if sequence == 2 { await gate.waitUntilOpen() } }
    let bench = bench(Source(0..<30), publish, fast, slow)
    async let running = bench.run()
    await until { bench.state.history.last?.listing.hasEnded == true }
    // All is read, and saved, and the other sink has it all.
    #expect(fast.deliveries == Array(1...10))
    #expect(slow.deliveries == [1])
    #expect(bench.state.spooled(job: "job") == Array(2...10))
    #expect(bench.state.history.last?.sinks["sink0"]?.sequence == 10)
    #expect(bench.state.history.last?.sinks["sink1"]?.sequence == 1)
    #expect(bench.state.history.last?.pagesWaiting(for: "sink1") == 9)
    #expect(fast.publications == 0)
    gate.open()
    let report = await running
    #expect(report.exitCode == 0)
    #expect(slow.deliveries == Array(1...10))
    #expect(slow.documents == fast.documents)
    #expect(slow.documents.count == 30)
    #expect(bench.state.spooled(job: "job").isEmpty)
    #expect(report.sinks.map(\.writes) == [30, 30])
    #expect(report.sinks[0].spooled == 0)
    #expect(report.sinks[1].spooled > 9 * 3 * 16)
    #expect(report.counters.writes == 60)
    #expect(report.counters.documents == 30)
    #expect(bench.script.requests.count == 10)
  }

  @Test("catches up, and then takes pages from memory again")
  func catchingUp() async {
    let gate = Gate()
    let fast = RecordingStore { sequence in if sequence == 6 { await gate.waitUntilOpen() } }
    let slow = RecordingStore { sequence in if sequence == 2 { while fast.deliveries.count < 5 { await Task.yield() } }
    }
    let bench = bench(Source(0..<30), .inPlace, fast, slow)
    async let running = bench.run()
    await until { slow.deliveries.count == 6 }
    #expect(bench.state.spooled(job: "job").isEmpty)
    #expect(bench.state.history.last?.sinks["sink1"]?.sequence == 5)
    gate.open()
    #expect(await running.exitCode == 0)
    #expect(slow.documents == fast.documents)
  }

  @Test("C97 the source waits when the spool is full")
  func fullSpool() async {
    let gate = Gate()
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in if sequence == 2 { await gate.waitUntilOpen() } }
    var bench = bench(Source(0..<30), .inPlace, fast, slow)
    bench.limits.spool = ByteCount(1)
    let full = bench
    async let running = full.run()
    await until { full.state.spooled(job: "job") == [2] && full.script.requests.count == 4 }
    for _ in 0..<1_000 { await Task.yield() }
    // One page in the spool, one in hand, one fetched ahead.
    #expect(full.state.spooled(job: "job") == [2])
    #expect(fast.deliveries == [1, 2])
    #expect(full.script.requests.count == 4)
    gate.open()
    #expect(await running.exitCode == 0)
    #expect(slow.documents == fast.documents)
    #expect(full.state.history.allSatisfy { $0.pagesWaiting(for: "sink1") <= 1 })
  }

  @Test("is spooled for only as long as another keeps up")
  func theFastestSetsThePace() async {
    let gate = Gate()
    let first = RecordingStore { sequence in if sequence == 2 { await gate.waitUntilOpen() } }
    let second = RecordingStore { sequence in if sequence == 2 { await gate.waitUntilOpen() } }
    let bench = bench(Source(0..<30), .inPlace, first, second)
    async let running = bench.run()
    await until { bench.script.requests.count == 3 }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(bench.script.requests.count == 3)
    #expect(bench.state.spooled(job: "job").isEmpty)
    gate.open()
    #expect(await running.exitCode == 0)
    #expect(first.documents == second.documents)
  }

  @Test("that fails fails the run; what the others confirmed is kept", arguments: modes)
  func failingSink(publish: Capabilities.PublishMode) async {
    let gate = Gate()
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in
      guard sequence == 2, !gate.isOpen else { return }
      await gate.waitUntilOpen()
      throw SluiceError(.io, "the disk is full")
    }
    let bench = bench(Source(0..<30), publish, fast, slow)
    async let running = bench.run()
    await until { bench.state.history.last?.listing.hasEnded == true }
    gate.open()
    let failed = await running
    #expect(failed.code == .io)
    #expect(failed.error?.place.component == "sink1")
    #expect(failed.error?.place.page == 2)
    #expect(fast.publications == 0)
    bench.script.reset()
    let second = await bench.run()
    #expect(second.exitCode == 0)
    #expect(bench.script.requests.isEmpty)
    #expect(fast.deliveries == Array(1...10))
    #expect(slow.deliveries == Array(1...10))
    #expect(slow.documents == fast.documents)
    #expect(second.sinks[0].writes == (publish == .replace ? 30 : 0))
    #expect(second.sinks[1].writes == (publish == .replace ? 30 : 27))
  }

  @Test("is brought on after a run that died at any save", arguments: 1...26, modes)
  func dying(save: Int, publish: Capabilities.PublishMode) async {
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in
      while fast.deliveries.last ?? 0 < min(10, sequence + 2) {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    let bench = bench(Source(0..<30), publish, fast, slow)
    bench.state.fail(fromSave: save)
    let first = await bench.run()
    bench.state.fail(fromSave: nil)
    let confirmed = bench.state.history.last?.listing.pages ?? 0
    bench.script.reset()
    let second = await bench.run()
    #expect(second.exitCode == 0)
    #expect(fast.documents.count == 30)
    #expect(slow.documents == fast.documents)
    #expect(bench.state.spooled(job: "job").isEmpty)
    guard first.exitCode != 0 else { return }
    #expect(bench.script.requests.count == 10 - confirmed)
    // In order, and none left out; one that was applied but not confirmed comes again.
    for (before, next) in zip(slow.deliveries, slow.deliveries.dropFirst()) {
      #expect(next == before || next == before + 1)
    }
    #expect(Set(slow.deliveries) == Set(1...10))
    #expect(slow.deliveries.count <= 11)
  }

  @Test("gets nothing of an earlier listing once a new one has begun", arguments: modes)
  func newGeneration(publish: Capabilities.PublishMode) async {
    let source = Source(0..<30)
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in
      guard sequence == 2, fast.deliveries.count <= 10 else { return }
      while fast.deliveries.count < 10 { await Task.yield() }
      throw SluiceError(.io, "the disk is full")
    }
    let bench = bench(source, publish, fast, slow)
    #expect(await bench.run().code == .io)
    #expect(!bench.state.spooled(job: "job").isEmpty)
    source.set(0..<6)
    let report = await bench.run(RunOptions(restart: true, maxDelete: .count(100)))
    #expect(report.exitCode == 0)
    #expect(bench.state.history.last?.listing.generation == 2)
    #expect(bench.state.spooled(job: "job").isEmpty)
    #expect(Set(slow.documents.keys) == Set(documents(0..<6).map(\.key)))
  }

  @Test("deletes what is gone once it has caught up")
  func mirror() async {
    let source = Source(0..<60)
    let gate = Gate()
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in if sequence == 2, fast.deliveries.count > 20 { await gate.waitUntilOpen() }
    }
    var bench = bench(source, .inPlace, fast, slow)
    bench.mode = .mirror
    let mirror = bench
    #expect(await mirror.run().exitCode == 0)
    source.set(Array(0..<60).filter { $0 % 30 != 7 } + [100])
    let before = mirror.state.history.count
    async let running = mirror.run()
    await until { mirror.state.history.count > before && mirror.state.history.last?.listing.hasEnded == true }
    #expect(fast.deletes == 0)
    gate.open()
    let report = await running
    #expect(report.exitCode == 0)
    #expect(report.sinks.map(\.deletes) == [2, 2])
    #expect(report.sinks.map(\.writes) == [1, 1])
    #expect(slow.documents.count == 59)
    #expect(slow.documents == fast.documents)
    let again = await mirror.run()
    #expect(again.sinks.map(\.writes) == [0, 0])
    #expect(again.sinks.map(\.deletes) == [0, 0])
  }

  @Test("ends a run that is asked to stop at once")
  func stopping() async {
    let stop = StopSignal()
    let fast = RecordingStore()
    let slow = RecordingStore { sequence in
      while sequence == 2, stop.reason == nil || !Task.isCancelled { await Task.yield() }
      try Task.checkCancellation()
    }
    var bench = bench(Source(0..<30), .inPlace, fast, slow)
    bench.stop = stop
    let stopped = bench
    async let running = stopped.run()
    await until { stopped.state.history.last?.listing.hasEnded == true }
    stop.request(15)
    #expect(await running.exitCode == 143)
    #expect(stopped.state.history.last?.pagesWaiting(for: "sink1") == 9)
    #expect(stopped.state.history.last?.sinks["sink0"]?.sequence == 10)
  }

  @Test("gets no older content over keys that were brought one by one")
  func singleKeys() async {
    let fast = RecordingStore()
    let isMended = Gate()
    let slow = RecordingStore { sequence in
      guard sequence == 2, !isMended.isOpen else { return }
      while fast.deliveries.count < 10 { await Task.yield() }
      throw SluiceError(.io, "the disk is full")
    }
    let bench = bench(Source(0..<30), .inPlace, fast, slow)
    #expect(await bench.run().code == .io)
    #expect(bench.state.history.last?.pagesWaiting(for: "sink1") == 9)
    isMended.open()
    #expect(await bench.run(RunOptions(only: [key("20")])).exitCode == 0)
    #expect(slow.documents.count == 4)
    #expect(await bench.run().exitCode == 0)
    #expect(bench.state.history.last?.listing.generation == 2)
    #expect(bench.state.spooled(job: "job").isEmpty)
    #expect(slow.documents.count == 30)
    #expect(slow.documents == fast.documents)
  }

  private func bench(
    _ source: Source, _ publish: Capabilities.PublishMode, _ stores: RecordingStore...
  ) -> Bench {
    var bench = Bench(source.script, into: stores[0], stores[1])
    bench.publish = publish
    return bench
  }
}

/// Waits for a condition.
func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }
