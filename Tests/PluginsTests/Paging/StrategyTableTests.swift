import SluiceBuiltin
import SluiceCore
import SluiceEngine
import SluiceTesting
import Testing

/// Every strategy with every store that accepts it.
@Suite("Every strategy with every store")
struct StrategyTableTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    var paging: String
    var store: PagedStore.Kind
    var testDescription: String { "\(paging), \(store.testDescription)" }

    /// The strategy with pages that hold `size` of `count` documents; one page is asked for all of them.
    func plan(size: Int, of count: Int) throws -> PagingPlan {
      try .builtin(paging, ["size": .plain(String(paging == "single" ? count + 1 : size))])
    }

    func pages(size: Int, of count: Int) -> Int { paging == "single" ? 1 : max(1, (count + size - 1) / size) }
  }

  static let pairs: [Pair] = PagedStore.kinds.flatMap { kind in
    PagingPlan.builtinNames.compactMap { name in
      guard let store = try? PagedStore(kind, ids: []), let plan = try? PagingPlan.builtin(name),
        PagingObjection(to: plan, of: store.source.capabilities) == nil
      else { return nil }
      return Pair(paging: name, store: kind)
    }
  }

  @Test("the table has every adapter that can be listed, and every strategy")
  func table() {
    var diagnostics = Diagnostics()
    let readable = Catalog.builtin.adapters.filter { entry in
      let required = entry.schema.settings.filter { $0.isRequired && $0.role != .sink }
      let settings = SettingsLiteral.map(required.map { ($0.key, .plain($0.examples.first ?? "")) })
      let choice = ComponentChoice(entry.name, at: Mark(file: "", line: 1, column: 1), settings: settings.node())
      return entry.plan(choice, role: .source, into: &diagnostics)?.capabilities.positions.isEmpty == false
    }
    #expect(Set(readable.map(\.name)) == Set(Self.pairs.map(\.store.adapter)))
    #expect(Set(PagingPlan.builtinNames) == Set(Self.pairs.map(\.paging)))
    // By one kind of position each: page_token, keyset, offset, page_number, and the two that follow addresses; single
    // goes with all eight.
    #expect(Self.pairs.count == 2 + 6 + 8)
  }

  private static func ids(_ count: Int) -> [String] { (0..<count).map(numberedKey) }

  @Test(
    "quiet, empty, pages of 1, an exact multiple: each document once, and nothing to write the second time",
    arguments: pairs, [(0, 3), (1, 3), (3, 3), (6, 3), (7, 3), (5, 1)])
  func quiet(pair: Pair, documents: (count: Int, size: Int)) async throws {
    let ids = Self.ids(documents.count)
    let store = try PagedStore(pair.store, ids: ids)
    let plan = try pair.plan(size: documents.size, of: documents.count)
    let (sink, state) = (RecordingStore(), MemoryStateStore())
    let first = await store.run(plan, into: sink, state: state)
    #expect(first.exitCode == 0, "\(first.outcome)")
    #expect(Set(sink.documents.keys) == Set(ids.map { Key($0) }))
    #expect(sink.writes == documents.count)
    #expect(first.spending.requests == pair.pages(size: documents.size, of: documents.count))
    let second = await store.run(plan, into: sink, state: state)
    #expect(second.exitCode == 0, "\(second.outcome)")
    #expect(second.sinks.first?.unchanged == documents.count)
    #expect(sink.writes == documents.count)
  }

  /// Ids that are easily taken for one another: equal as text, prefixes of each other, of one letter's two forms.
  private static let ties = [
    "a", "a\u{1}", "a ", "aa", "a-", "\u{e9}", "e\u{301}", "e", "e0", "E", "\u{1F600}", "\u{FF5E}",
  ]

  @Test(
    "ties at a page edge: ids that look the same come each, wherever the edge falls", arguments: pairs, [1, 2, 3, 5])
  func ties(pair: Pair, size: Int) async throws {
    let ids = pair.store.adapter == "file" ? Self.ties.filter { $0 != "a\u{1}" } : Self.ties
    let sink = RecordingStore()
    let store = try PagedStore(pair.store, ids: ids)
    let report = await store.run(try pair.plan(size: size, of: ids.count), into: sink, publish: .replace)
    #expect(report.exitCode == 0, "\(report.outcome)")
    #expect(Set(sink.documents.keys) == Set(ids.map { Key($0) }))
    #expect(sink.documents.count == ids.count)
  }

  @Test("killed after any page, the next run asks for the pages that are missing, and no others", arguments: pairs)
  func resume(pair: Pair) async throws {
    let ids = Self.ids(7)
    let plan = try pair.plan(size: 2, of: ids.count)
    let pages = pair.pages(size: 2, of: ids.count)
    var resumedAfter: Set<Int> = []
    for save in 1...20 {
      let store = try PagedStore(pair.store, ids: ids)
      let (sink, state) = (RecordingStore(), MemoryStateStore())
      state.fail(fromSave: save)
      let killed = await store.run(plan, into: sink, publish: .replace, state: state)
      if killed.exitCode == 0 { break }
      state.fail(fromSave: nil)
      let next = await store.run(plan, into: sink, publish: .replace, state: state)
      #expect(next.exitCode == 0, "save \(save): \(next.outcome)")
      #expect(Set(sink.documents.keys) == Set(ids.map { Key($0) }), "save \(save)")
      #expect(sink.publications == 1, "save \(save)")
      #expect(next.spending.requests == pages - next.resumedPages, "save \(save)")
      resumedAfter.insert(next.resumedPages)
    }
    #expect(resumedAfter == Set(0...pages))
  }

  @Test("one page that is not all is an error, never the whole", arguments: PagedStore.kinds)
  func singleIsNotAll(kind: PagedStore.Kind) async throws {
    let sink = RecordingStore()
    let store = try PagedStore(kind, ids: Self.ids(5))
    let report = await store.run(try .builtin("single", ["size": 4]), into: sink, publish: .replace)
    guard case .failed(let error) = report.outcome else {
      Issue.record("\(report.outcome)")
      return
    }
    #expect(error.code == .malformedData)
    #expect(sink.publications == 0)
  }

  @Test(
    "counting through a changing store is refused, unless it is pinned or gaps are allowed",
    arguments: ["offset", "page_number"], [Capabilities.Order.pinned, .byKey, .unstable])
  func changingStore(paging: String, order: Capabilities.Order) throws {
    var source = try PagedStore(.memory(.offset), ids: []).source.capabilities
    source.positions = Set(PagePosition.Kind.allCases)
    source.order = order
    let objection = PagingObjection(to: try .builtin(paging), of: source)
    #expect((objection == nil) == (order == .pinned))
    if let objection { #expect(objection.hint?.contains("allow_gaps") == true) }
    #expect(PagingObjection(to: try .builtin(paging, ["allow_gaps": true]), of: source) == nil)
  }
}
