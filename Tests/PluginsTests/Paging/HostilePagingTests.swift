import Foundation
import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

/// One hostile source, asked by every strategy.
@Suite("Paging of hostile sources")
struct HostilePagingTests {
  private static let named = ["page_token", "next_url", "link_header"]

  private func run(
    _ script: PageScript, _ paging: String, _ settings: SettingsLiteral = ["size": 1], into store: RecordingStore,
    publish: Capabilities.PublishMode = .inPlace, order: Capabilities.Order = .pinned, mode: Mode = .copy,
    state: MemoryStateStore = MemoryStateStore()
  ) async throws -> RunReport {
    // What a guard fails to stop ends here, as another failure than the one expected.
    var limits = LimitSettings()
    limits.requestsPerRun = 200
    let plan = JobPlan(
      name: "job", source: AdapterPlan(ScriptedSource.self, .init(script, order: order)),
      paging: try .builtin(paging, settings),
      sinks: [.init(name: "sink", adapter: AdapterPlan(RecordingSink.self, .init(store, publish)))], mode: mode,
      limits: limits)
    let environment = RunEnvironment(now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    return await Engine(store: state, environment: environment).run(plan)
  }

  private func code(_ report: RunReport) -> SluiceError.Code? {
    if case .failed(let error) = report.outcome { error.code } else { nil }
  }

  /// Pages 0…3, then a cycle of `length` pages, one document each.
  private func cycle(of length: Int) -> PageScript {
    .walk { index in WalkedPage([walked(index)], next: index < 3 + length ? index + 1 : 4) }
  }

  @Test(
    "cycles of 1, 2, 3 and 50 pages stop at the first repeat, after an exact number of requests",
    arguments: PagingPlan.manyPages, [1, 2, 3, 50])
  func cycles(paging: String, length: Int) async throws {
    for publish in [Capabilities.PublishMode.inPlace, .replace] {
      let script = cycle(of: length)
      let store = RecordingStore()
      let report = try await run(script, paging, into: store, publish: publish)
      #expect(report.exitCode == 3)
      #expect(store.publications == 0)
      if Self.named.contains(paging) {
        // The position itself comes back: it is not asked for again.
        #expect(code(report) == .loopDetected)
        #expect(script.requests.count == 4 + length)
      } else {
        // Counted positions never come back: the first page that came before shows it.
        #expect(code(report) == .noProgress)
        #expect(script.requests.count == 5 + length)
      }
    }
  }

  @Test("C69 A, B, A: an error when what was named before comes back, after exactly 3 requests", arguments: named)
  func comesBack(paging: String) async throws {
    let script = PageScript.walk { index in WalkedPage([walked(index)], next: index == 1 ? 2 : 1) }
    let report = try await run(script, paging, into: RecordingStore())
    #expect(code(report) == .loopDetected)
    #expect(script.requests.count == 3)
  }

  @Test(
    "C70 the same two records for ever: no_new_keys ends the listing at the first such page, and says so",
    arguments: PagingPlan.manyPages)
  func boundaryRecords(paging: String) async throws {
    let script = PageScript.walk { index in
      let start = min(index, 2) * 2
      return WalkedPage([walked(start), walked(start + 1)], next: index + 1)
    }
    let store = RecordingStore()
    let report = try await run(script, paging, ["size": 2, "stop_when": "no_new_keys"], into: store, mode: .mirror)
    #expect(report.exitCode == 0, "\(report.outcome)")
    #expect(script.requests.count == 4)
    #expect(store.documents.count == 6)
    #expect(report.notes.contains { $0.contains("no_new_keys") })

    script.reset()
    let refused = try await run(script, paging, ["size": 2], into: RecordingStore())
    #expect(code(refused) == .noProgress)
    #expect(script.requests.count == 4)
  }

  @Test("an end by no_new_keys proves nothing: nothing is deleted, nothing is replaced, and the next run lists anew")
  func noProof() async throws {
    let whole = PageScript.walk { index in WalkedPage([walked(index)], next: index < 3 ? index + 1 : nil) }
    let cut = PageScript.walk { index in WalkedPage([walked(min(index, 1))], next: index + 1) }
    let settings: SettingsLiteral = ["size": 1, "stop_when": "no_new_keys"]
    for publish in [Capabilities.PublishMode.inPlace, .replace] {
      let (store, state) = (RecordingStore(), MemoryStateStore())
      func listed(_ script: PageScript) async throws -> RunReport {
        try await run(script, "page_token", settings, into: store, publish: publish, mode: .mirror, state: state)
      }
      #expect(try await listed(whole).exitCode == 0)
      #expect(store.documents.count == 4)
      let report = try await listed(cut)
      #expect(report.exitCode == (publish == .replace ? 1 : 0))
      #expect(store.documents.count == 4)
      #expect(store.deletes == 0)
      #expect(state.history.last?.listing.taint?.reason == "ended_by_rule")
      whole.reset()
      let next = try await listed(whole)
      #expect(next.exitCode == 0, "\(next.outcome)")
      #expect(whole.requests.first == .start)
      #expect(whole.requests.count == 4)
    }
  }

  @Test("C71 every page says that it is page 1: the numbers go on, until an empty page")
  func alwaysPageOne() async throws {
    let script = PageScript.walk { index in
      WalkedPage([walked(index)], next: index < 2 ? index + 1 : nil, number: 1)
    }
    let store = RecordingStore()
    #expect(try await run(script, "page_number", into: store).exitCode == 0)
    #expect(script.requests == [.number(1), .number(2), .number(3), .number(4)])
    #expect(store.documents.count == 3)
  }

  @Test("C73 an empty page that names another is no end; counted, it is", arguments: PagingPlan.manyPages)
  func emptyPageWithToken(paging: String) async throws {
    let script = PageScript.walk { index in
      index == 0 ? WalkedPage([], next: 1) : WalkedPage((0..<5).map(walked), next: nil)
    }
    let store = RecordingStore()
    let report = try await run(script, paging, ["size": 5], into: store)
    #expect(report.exitCode == 0)
    #expect(store.documents.count == (Self.named.contains(paging) ? 5 : 0))
    #expect(script.requests.count == (Self.named.contains(paging) ? 2 : 1))
  }

  @Test("an empty page that says that more follows is no end for anyone", arguments: PagingPlan.manyPages)
  func emptyPageWithMore(paging: String) async throws {
    let script = PageScript.walk { index in
      WalkedPage(index == 1 ? [] : [walked(index)], next: index < 2 ? index + 1 : nil, saysHasMore: true)
    }
    let store = RecordingStore()
    let report = try await run(script, paging, into: store, publish: .replace)
    if ["keyset", "offset"].contains(paging) {
      #expect(code(report) == .malformedData)
      if case .failed(let error) = report.outcome { #expect(error.place.page == 2) }
      #expect(store.publications == 0)
    } else {
      #expect(report.exitCode == 0, "\(report.outcome)")
      #expect(store.documents.count == 2)
      #expect(script.requests.count == 3)
    }
  }

  @Test("101 empty pages in a row are too many, 100 are not", arguments: named + ["page_number"], [100, 101])
  func emptyPages(paging: String, count: Int) async throws {
    let script = PageScript.walk { index in
      WalkedPage(index < count ? [] : [walked(1)], next: index < count ? index + 1 : nil, saysHasMore: true)
    }
    let report = try await run(script, paging, into: RecordingStore())
    #expect(script.requests.count == 101)
    if count == 101 {
      #expect(report.exitCode == 3)
      #expect(code(report) == .tooManyEmptyPages)
    } else {
      #expect(report.exitCode == 0, "\(report.outcome)")
      #expect(report.counters.documents == 1)
    }
  }

  @Test(
    "C74 a token that is missing, null or empty ends a listing over HTTP",
    arguments: [#"{DOCS}"#, #"{DOCS,"nextPageToken":null}"#, #"{DOCS,"nextPageToken":""}"#])
  func tokensOnTheWire(body: String) async throws {
    let bench = try FirestoreBench()
    let document = #"""
      "documents":[{"name":"projects/demo/databases/(default)/documents/users/a","fields":{},\#
      "createTime":"2026-01-01T00:00:00Z","updateTime":"2026-01-01T00:00:00Z"}]
      """#
    let text = body.replacingOccurrences(of: "DOCS", with: document)
    bench.server.script(
      FaultScript(
        FaultRule(.method(.list), .answer(status: 200, contentType: "application/json", body: text))))
    let report = await bench.run()
    #expect(report.exitCode == 0, "\(report.outcome)")
    #expect(bench.lists.count == 1)
    #expect(bench.sink.documents.count == 1)
  }

  @Test("C75 has_more: false beside a cursor ends the listing after that page", arguments: PagingPlan.manyPages)
  func hasMoreIsHonoured(paging: String) async throws {
    let script = PageScript { _ in
      var page = try PageScript.page([(Key("a"), [])], nextToken: "abc")
      page.signals.nextURL = "scripted://pages/abc"
      page.signals.nextLink = page.signals.nextURL
      page.signals.hasMore = false
      return page
    }
    let store = RecordingStore()
    #expect(try await run(script, paging, into: store, publish: .replace).exitCode == 0)
    #expect(script.requests.count == 1)
    #expect(store.publications == 1)
  }

  @Test("a total that a short page reaches too early is no end: the engine counts")
  func totalTooEarly() async throws {
    // Filtered pages of 1, 3 and 2 documents; the source counts 6. At page 2, two pages of 3 would be 6.
    let sizes = [1, 3, 2]
    let script = PageScript.walk { index in
      let start = sizes[..<index].reduce(0, +)
      return WalkedPage((start..<start + sizes[index]).map(walked), next: index < 2 ? index + 1 : nil, total: 6)
    }
    let store = RecordingStore()
    let report = try await run(script, "page_number", ["size": 3], into: store, publish: .replace)
    #expect(report.exitCode == 1)
    #expect(store.publications == 0)
    if case .failed(let error) = report.outcome {
      #expect(error.message.contains("4 documents were listed, but the source counts 6"))
    }
    // Without the rule the empty page is the end.
    let again = try await run(
      script, "page_number", ["size": 3, "stop_when": "no_more"], into: store, publish: .replace)
    #expect(again.exitCode == 0)
    #expect(store.documents.count == 6)
  }

  @Test(
    "with allow_gaps a listing is unstable: what it missed is looked up before it is deleted",
    arguments: ["offset", "page_number"])
  func gapsAreLookedUp(paging: String) async throws {
    func script(_ listed: [Int], existing: Set<Int>) -> PageScript {
      .walk(lookup: { key in existing.first { walked($0).key == key }.map { walked($0).fields } }) { index in
        WalkedPage([walked(listed[index])], next: index + 1 < listed.count ? index + 1 : nil)
      }
    }
    let (store, state) = (RecordingStore(), MemoryStateStore())
    let settings: SettingsLiteral = ["size": 1, "allow_gaps": true]
    for (listed, existing) in [([1, 2, 3, 4], Set([1, 2, 3, 4])), ([1, 2], [1, 2, 4])] {
      let report = try await run(
        script(listed, existing: existing), paging, settings, into: store, order: .byKey, mode: .mirror, state: state)
      #expect(report.exitCode == 0, "\(report.outcome)")
    }
    #expect(Set(store.documents.keys) == Set([1, 2, 4].map { walked($0).key }))
  }

  @Test("documents with equal values survive a page edge: the cursor is the value, then the key", arguments: 1...5)
  func tiesOfValues(size: Int) async throws {
    let ordered = (0..<12).map { (value: Int64($0 / 5), key: walked($0).key) }
    let script = PageScript { request in
      var rest = ordered[...]
      if case .after(let cursor) = request.position, case .int(let value)? = cursor.values.first {
        rest = rest.drop { ($0.value, $0.key) <= (value, cursor.key) }
      }
      let part = rest.prefix(request.size)
      var page = try PageScript.page(part.map { ($0.key, []) }, nextToken: nil)
      page.signals.last = part.last.map { PagePosition.Cursor($0.key, values: [.int($0.value)]) }
      return page
    }
    let store = RecordingStore()
    #expect(try await run(script, "keyset", ["size": .plain(String(size))], into: store).exitCode == 0)
    #expect(store.documents.count == 12)
    #expect(store.writes == 12)
  }
}
