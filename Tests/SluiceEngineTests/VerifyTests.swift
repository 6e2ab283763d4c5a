import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceEngine

@Suite("verify") struct VerifyTests {
  private func finished(mode: Mode = .mirror, _ publish: Capabilities.PublishMode = .inPlace) async -> (
    bench: Bench, store: RecordingStore, source: Documents
  ) {
    let source = Documents(0..<30)
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.mode = mode
    bench.publish = publish
    await bench.run()
    return (bench, store, source)
  }

  @Test("finds what is missing, other and too much, reading the sink and not the ledger")
  func differences() async throws {
    let (bench, store, source) = await finished()
    #expect(await bench.verify().exitCode == 0)
    store.change { shown in
      shown[key("5")] = nil
      shown[key("6")] = [Field("n", .int(-6))]
      shown[Key("foreign")] = [Field("n", .int(0))]
    }
    source.change { $0[key("99")] = [Field("n", .int(99))] }
    let saved = bench.state.history.count
    let report = await bench.verify()
    #expect(report.exitCode == 5)
    #expect(report.run.code == .differs)
    let sink = try #require(report.sinks.first)
    #expect(sink.missing == [key("5"), key("99")])
    #expect(sink.different == [key("6")])
    #expect(sink.extra == [Key("foreign")])
    #expect(sink.equal == 28)
    #expect(bench.state.history.count == saved && store.writes == 30, "nothing is changed")
  }

  @Test("a copy may have others; a replaced set may not", arguments: [Capabilities.PublishMode.inPlace, .replace])
  func extra(publish: Capabilities.PublishMode) async throws {
    let (bench, store, _) = await finished(mode: .copy, publish)
    store.change { $0[Key("foreign")] = [] }
    let report = await bench.verify()
    #expect(report.exitCode == (publish == .inPlace ? 0 : 5))
    #expect(report.sinks.first?.extra == [Key("foreign")])
  }

  @Test("a repair writes just what differs, deletes what is too much in a mirror, and a run then has nothing to do")
  func repair() async throws {
    let (bench, store, source) = await finished()
    let before = store.documents
    store.change { shown in
      shown[key("5")] = nil
      shown[key("6")] = [Field("n", .int(-6))]
      shown[Key("foreign")] = [Field("n", .int(0))]
    }
    let (writes, deletes) = (store.writes, store.deletes)
    let report = await bench.verify(VerifyOptions(repairs: true))
    #expect(report.exitCode == 0, "\(String(describing: report.repair?.error))")
    #expect(store.documents == before)
    #expect(store.writes == writes + 2 && store.deletes == deletes + 1)
    #expect(await bench.verify().exitCode == 0)
    let run = await bench.run()
    #expect(run.sinks[0].writes == 0 && run.sinks[0].deletes == 0)
    source.change { $0[key("5")] = nil }
    #expect(await bench.run().sinks[0].deletes == 1, "what was mended is known")
  }

  @Test("a repair deletes under max_delete, and refuses before it writes anything")
  func repairRefused() async throws {
    let (bench, store, _) = await finished()
    store.change { shown in
      for number in 0..<20 { shown[Key("foreign\(number)")] = [] }
      shown[key("5")] = nil
    }
    let writes = store.writes
    let report = await bench.verify(VerifyOptions(repairs: true))
    #expect(report.exitCode == 3)
    #expect(report.repair?.code == .tooManyDeletes)
    #expect(store.writes == writes && store.documents.count == 49)
    let allowed = await bench.verify(VerifyOptions(repairs: true, maxDelete: .count(20)))
    #expect(allowed.exitCode == 0)
    #expect(store.documents.count == 30)
  }

  @Test("a repair of a replaced set makes it anew, whatever is believed of it")
  func repairReplaced() async throws {
    let (bench, store, _) = await finished(.replace)
    let before = store.documents
    store.change { $0[key("6")] = [] }
    #expect(await bench.verify(VerifyOptions(repairs: true)).exitCode == 0)
    #expect(store.documents == before)
    #expect(store.publications == 2)
  }

  @Test("a listing without proof names nothing as too much, and a repair deletes nothing")
  func noProof() async throws {
    var (bench, store, _) = await finished()
    store.change { $0[Key("foreign")] = [] }
    bench.limits.maxResults = 30
    let report = await bench.verify(VerifyOptions(repairs: true))
    #expect(report.exitCode == 0)
    #expect(report.sinks.first?.extra == [])
    #expect(report.run.notes.contains { $0.contains("max_results") })
    #expect(store.documents[Key("foreign")] != nil)
  }

  @Test("a failed listing says nothing of the sinks")
  func failed() async {
    var (bench, _, source) = await finished()
    let script = source.script
    bench.script = PageScript { request in
      if request.position != .start { throw SluiceError(.network, "cut off") }
      return try await answer(script, request)
    }
    let report = await bench.verify()
    #expect(report.exitCode == 1)
    #expect(report.sinks.isEmpty)
  }

  @Test("documents that a transform could not take are not too much")
  func rejected() async throws {
    let store = RecordingStore()
    var bench = Bench(Source(0..<30).script, into: store)
    bench.mode = .mirror
    bench.onReject = .skip
    await bench.run()
    bench.transforms = [TransformPlan(RejectsFour.self, NoSettings())]
    let report = await bench.verify()
    #expect(report.sinks.first?.isSame == true, "\(report.sinks)")
    #expect(report.exitCode == 6)
  }

  @Test("times are compared as deep as the sink keeps them")
  func precision() async throws {
    let time = Timestamp(seconds: 5, nanoseconds: 123_456_789)
    let source = Documents([])
    source.change { $0[key("1")] = [Field("t", .timestamp(time))] }
    let store = RecordingStore()
    var bench = Bench(source.script, into: store)
    bench.timestampDigits = 6
    await bench.run()
    let cut = Timestamp(seconds: 5, nanoseconds: 123_456_000)
    store.change { $0[key("1")] = [Field("t", .timestamp(cut))] }
    #expect(await bench.verify().exitCode == 0)
    bench.timestampDigits = 9
    #expect(await bench.verify().exitCode == 5)
  }

  @Test("two sides in the same order wait for each other a page at most; in other orders all is found too")
  func memory() async throws {
    let numbers = Array(0..<20_000)
    let store = RecordingStore()
    store.change { shown in for (key, fields) in documents5(numbers) where key != Key("k00500") { shown[key] = fields }
    }
    let config = RecordingSink.Config(store)
    let sink = try await RecordingSink(config, context: AdapterContext(role: .sink))
    for order in [numbers, Array(numbers.reversed())] {
      let reconciler = Reconciler(try await CachedContents(sink), timestampDigits: 9)
      for start in stride(from: 0, to: order.count, by: 300) {
        var builder = BatchBuilder()
        for (key, fields) in documents5(order[start..<min(start + 300, order.count)]) { builder.add(key: key, fields) }
        _ = try await reconciler.list(try builder.finish(), after: KeySet())
      }
      let found = try await reconciler.finish()
      #expect(found.missing == [Key("k00500")])
      #expect(found.extra == [] && found.different == [] && found.equal == 19_999)
      if order == numbers { #expect(await reconciler.mostWaiting < 2_000) }
    }
  }
}

/// Documents with keys of five digits.
private func documents5(_ numbers: some Sequence<Int>) -> [(Key, [Field])] {
  numbers.map { number in
    let text = String(number)
    return (Key("k" + String(repeating: "0", count: 5 - text.count) + text), [Field("n", .int(Int64(number)))])
  }
}

/// A transform that cannot take documents whose number ends in 4.
struct RejectsFour: Transform {
  typealias Config = NoSettings
  static let name = "rejects_four"
  static let summary = "Rejects."
  init(_ config: NoSettings) throws {}
  func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    let page = batch
    var found: [Rejection] = []
    batch = page.resolving { index, kind in
      guard page.key(at: index).description.hasSuffix("4") else { return kind }
      found.append(Rejection(page.key(at: index), SluiceError(.rejected, "no")))
      return .dropped
    }
    rejections += found
  }
}
