import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

@Suite struct GuardTests {
  /// Pages 0, 1, … with one document each; after page `last` the tokens go round in a cycle.
  func cycle(of length: Int, from last: Int) -> PageScript {
    PageScript { request in
      let page = if case .token(let token) = request.position { Int(token) ?? 0 } else { 0 }
      let next = page < last ? page + 1 : last + (page - last + 1) % length
      return try PageScript.page([(key(String(page)), [])], nextToken: String(next))
    }
  }

  @Test(arguments: [1, 2, 3, 50], [Capabilities.PublishMode.inPlace, .replace])
  func aCycleStopsAtItsFirstRepeat(length: Int, publish: Capabilities.PublishMode) async {
    let script = cycle(of: length, from: 4)
    let store = RecordingStore()
    var bench = Bench(script, into: store)
    bench.publish = publish
    let report = await bench.run()
    #expect(report.exitCode == 3)
    #expect(report.code == .loopDetected)
    #expect(script.requests.count == 4 + length)
    #expect(report.error?.hint?.contains("unstopped, at the rate seen") == true)
    #expect(store.publications == 0)
    if publish == .replace { #expect(store.documents.isEmpty) }
  }

  @Test("C69 the tokens A, B, A end after exactly three requests")
  func tokensABA() async {
    let script = PageScript { request in
      switch request.position {
      case .token("A"): try PageScript.page([(key("2"), [])], nextToken: "B")
      case .token("B"): try PageScript.page([(key("3"), [])], nextToken: "A")
      default: try PageScript.page([(key("1"), [])], nextToken: "A")
      }
    }
    let report = await Bench(script, into: RecordingStore()).run()
    #expect(report.code == .loopDetected)
    #expect(script.requests.count == 3)
  }

  @Test("the cost of a loop names the source's free reads of a day where it has such, and no number of another's")
  func cost() async throws {
    let script = PageScript { request in
      try PageScript.page([(key(request.position == .start ? "1" : "2"), [])], nextToken: "A")
    }
    var bench = Bench(script, into: RecordingStore())
    let plain = try #require(await bench.run().error?.hint)
    #expect(plain.hasSuffix(" reads an hour"), "\(plain)")
    bench.freeReadsPerDay = 12_345
    bench.state = MemoryStateStore()
    let billed = try #require(await bench.run().error?.hint)
    #expect(billed.contains(" reads an hour, and scripted's free 12,345 of a day gone in "), "\(billed)")
  }

  @Test func aServerThatRepeatsItsContentUnderNewTokensIsStopped() async {
    let script = PageScript { request in
      let page = if case .token(let token) = request.position { Int(token) ?? 0 } else { 0 }
      return try PageScript.page(
        documents((page % 3) * 3..<(page % 3) * 3 + 3).map { ($0.key, $0.fields) }, nextToken: String(page + 1))
    }
    let report = await Bench(script, into: RecordingStore()).run()
    #expect(report.exitCode == 3)
    #expect(report.code == .noProgress)
    #expect(script.requests.count <= 5)
  }

  @Test func pagesThatGoBackButBringNewKeysAreFine() async {
    let script = PageScript { request in
      let page = if case .token(let token) = request.position { Int(token) ?? 0 } else { 0 }
      return try PageScript.page(
        [(key(String(9 - page)), [])], nextToken: page < 9 ? String(page + 1) : nil)
    }
    let store = RecordingStore()
    #expect(await Bench(script, into: store).run().exitCode == 0)
    #expect(store.documents.count == 10)
  }

  @Test("C73 an empty page with a token is not the end")
  func anEmptyPageWithATokenGoesOn() async {
    let script = PageScript { request in
      request.position == .start
        ? try PageScript.page([], nextToken: "t2")
        : try PageScript.page(documents(0..<5).map { ($0.key, $0.fields) }, nextToken: nil)
    }
    let store = RecordingStore()
    #expect(await Bench(script, into: store).run().exitCode == 0)
    #expect(store.documents.count == 5)
  }

  @Test(arguments: [100, 101]) func emptyPagesInARow(count: Int) async {
    let script = PageScript { request in
      let page = if case .token(let token) = request.position { Int(token) ?? 0 } else { 0 }
      return page < count
        ? try PageScript.page([], nextToken: String(page + 1))
        : try PageScript.page([(key("1"), [])], nextToken: nil)
    }
    let report = await Bench(script, into: RecordingStore()).run()
    #expect(report.exitCode == (count > 100 ? 3 : 0))
    if count > 100 { #expect(report.code == .tooManyEmptyPages) }
  }

  @Test func aReadBudgetEndsTheRunCleanlyAndTheNextGoesOn() async {
    let store = RecordingStore()
    var bench = Bench(Source(0..<20).script, into: store)
    bench.publish = .replace
    bench.limits.readsPerRun = .count(9)
    bench.account = "db"
    var runs = 0
    var report = await bench.run()
    while report.exitCode == 4, runs < 10 {
      #expect(report.code == .budgetReached)
      #expect(report.spending.reads == 9)
      #expect(store.publications == 0)
      runs += 1
      report = await bench.run()
    }
    #expect(report.exitCode == 0)
    #expect(runs == 2)
    #expect(store.documents.count == 20)
    #expect(bench.script.requests.count == 7)
  }

  @Test func aDailyBudgetIsSharedAndNeverUnderCounted() async throws {
    var bench = Bench(Source(0..<20).script, into: RecordingStore())
    bench.account = "db"
    bench.limits.readsPerDay = 12
    let report = await bench.run()
    #expect(report.exitCode == 4)
    #expect(report.spending.reads == 12)
    let day = Day(Timestamp(seconds: 1_800_000_000, nanoseconds: 0))
    #expect(try await bench.state.spent(account: "db", day: day).reads == 12)
    #expect(await bench.run().exitCode == 4)
  }

  @Test func aKilledRunHasChargedAtLeastWhatItAskedFor() async throws {
    for save in 1...6 {
      var bench = Bench(Source(0..<20).script, into: RecordingStore())
      bench.account = "db"
      let script = bench.script
      bench.state.fail(fromSave: save)
      await bench.run()
      let day = Day(Timestamp(seconds: 1_800_000_000, nanoseconds: 0))
      let charged = try await bench.state.spent(account: "db", day: day).reads
      #expect(charged >= script.requests.count * 3, "at save \(save)")
    }
  }

  @Test("C81 a source that lost everything is refused, with the way to allow it")
  func anEmptySourceIsRefused() async {
    let source = Source(0..<10)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set([])
    let refused = await bench.run()
    #expect(refused.exitCode == 3)
    #expect(refused.code == .emptySource)
    #expect(store.documents.count == 10)
    bench.limits.allowEmpty = true
    #expect(await bench.run(RunOptions(maxDelete: .count(10))).exitCode == 0)
    #expect(store.documents.isEmpty)
  }

  @Test(arguments: [Capabilities.PublishMode.inPlace, .replace])
  func moreDeletesThanTheCapAreRefused(publish: Capabilities.PublishMode) async {
    let source = Source(0..<100)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.publish = publish
    bench.mode = .mirror
    await bench.run()
    source.set(0..<49)
    let refused = await bench.run()
    #expect(refused.exitCode == 3)
    #expect(refused.code == .tooManyDeletes)
    #expect(refused.error?.message.contains("51 of 100") == true)
    #expect(store.documents.count == 100)
    let allowed = await bench.run(RunOptions(maxDelete: .count(51)))
    #expect(allowed.exitCode == 0)
    #expect(store.documents.count == 49)
  }
}

extension GuardTests {
  @Test func aListingThatAGuardStoppedIsNotTakenUpAgain() async {
    let source = Source(0..<20)
    let store = RecordingStore()
    var bench = Bench(cycle(of: 2, from: 3), into: store)
    bench.publish = .replace
    #expect(await bench.run().code == .loopDetected)
    bench.script = source.script
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(report.resumedPages == 0)
    #expect(bench.script.requests.first == .start)
    #expect(store.documents.count == 20)
  }

  @Test func aRefusedDeleteIsDecidedAnewByTheNextRun() async {
    let source = Source(0..<100)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set(0..<49)
    #expect(await bench.run().code == .tooManyDeletes)
    // The source was only broken for a while.
    source.set(0..<99)
    let report = await bench.run()
    #expect(report.exitCode == 0)
    #expect(store.documents.count == 99)
  }
}

extension GuardTests {
  @Test func everyBudgetOfADayHolds() async {
    func run(_ set: (inout LimitSettings) -> Void) async -> [Int32] {
      var bench = Bench(Source(0..<20).script, into: RecordingStore())
      set(&bench.limits)
      var codes: [Int32] = []
      for _ in 0..<2 { codes.append(await bench.run().exitCode) }
      return codes
    }
    #expect(await run { $0.writesPerDay = 8 } == [4, 4])
    #expect(await run { $0.requestsPerDay = 5 } == [4, 4])
    #expect(await run { $0.bytesPerDay = ByteCount(500) } == [4, 4])
    #expect(await run { $0.requestsPerDay = 14 } == [0, 0])
    #expect(await run { $0.requestsPerDay = 13 } == [0, 4])
  }
}

extension GuardTests {
  @Test(arguments: [
    (CountOrPercentage.count(0), 1, false), (.count(2), 2, true), (.count(2), 3, false),
    (.percentage(Percentage(0)), 3, true), (.percentage(Percentage(0)), 4, false),
  ])
  func aNumberHoldsAsItStands(limit: CountOrPercentage, gone: Int, passes: Bool) async {
    let source = Source(0..<100)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    bench.limits.maxDelete = limit
    await bench.run()
    source.set(0..<(100 - gone))
    #expect(await bench.run().exitCode == (passes ? 0 : 3))
    #expect(store.deletes == (passes ? gone : 0))
  }

  @Test func aBudgetOfDeletesIsAskedBeforeTheFirst() async {
    let source = Source(0..<100)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = .mirror
    await bench.run()
    source.set(0..<92)
    bench.limits.deletesPerRun = 5
    #expect(await bench.run().exitCode == 4)
    #expect(store.deletes == 0)
  }

  @Test func aFirstListingThatGotNoPageBindsNothing() async {
    let store = RecordingStore()
    let wrong = PageScript { _ in throw SluiceError(.network, "there is nobody") }
    var bench = Bench(wrong, into: store)
    #expect(await bench.run().exitCode == 1)
    bench.identity = "corrected"
    bench.script = Source(0..<5).script
    #expect(await bench.run().exitCode == 0)
    #expect(store.documents.count == 5)
  }
}
