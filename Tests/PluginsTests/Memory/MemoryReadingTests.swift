import SluiceCore
import SluiceMemory
import SluicePaging
import Testing

@Suite("Memory as a source")
struct MemoryReadingTests {
  private static func adapter(
    _ store: String, consistent: Bool = false, documents: Int = 7
  ) throws -> (MemoryAdapter, MemoryStore) {
    MemoryStore.forget(named: store)
    var config = MemoryAdapter.Config()
    config.name = store
    config.consistent = consistent
    let memory = MemoryStore.named(store)
    for change in try numbered(0..<documents) { if case .upsert(let document) = change { memory.upsert(document) } }
    return (MemoryAdapter(config, context: AdapterContext(role: .source)), memory)
  }

  private static let strategies: [any PagingStrategy] = {
    var token = PageToken.Config()
    token.size = 3
    var keyset = Keyset.Config()
    keyset.size = 3
    var offset = Offset.Config()
    offset.size = 3
    return [PageToken(token), Keyset(keyset), Offset(offset)]
  }()

  @Test("every strategy brings every document once, in order", arguments: 0..<3, [0, 1, 3, 6, 7])
  func strategies(index: Int, documents: Int) async throws {
    let strategy = Self.strategies[index]
    let name = "MemoryReadingTests.strategies.\(index).\(documents)"
    let (adapter, _) = try Self.adapter(name, documents: documents)
    defer { MemoryStore.forget(named: name) }
    let frozen = await adapter.freeze()
    var keys: [Key] = []
    var step = PagingStep.next(strategy.first)
    while case .next(let position) = step {
      let request = PageRequest(position: position, size: strategy.pageSize, frozen: frozen)
      let page = try adapter.page(request)
      #expect(page.signals.count == page.batch.count)
      keys += page.batch.map(\.key)
      step = try strategy.step(after: page.signals, of: request)
    }
    #expect(keys.map(\.description) == (0..<documents).map(numberedKey))
    #expect(try adapter.count(frozen: frozen) == DocumentCount(documents))
  }

  @Test("pages by number, and places beyond the end")
  func positions() throws {
    let (adapter, _) = try Self.adapter("MemoryReadingTests.positions")
    defer { MemoryStore.forget(named: "MemoryReadingTests.positions") }
    func keys(_ position: PagePosition, range: KeyRange = .all) throws -> [String] {
      try adapter.page(PageRequest(position: position, size: 3, range: range)).batch.map(\.key.description)
    }
    #expect(try keys(.number(1)) == ["k000", "k001", "k002"])
    #expect(try keys(.number(3)) == ["k006"])
    #expect(try keys(.number(.max)).isEmpty)
    #expect(try keys(.offset(100)).isEmpty)
    #expect(try keys(.after(.init(Key("zzz")))).isEmpty)
    #expect(try keys(.after(.init(Key("k0035")))) == ["k004", "k005", "k006"])
    let range = KeyRange(from: Key("k001"), upTo: Key("k003"))
    #expect(try keys(.start, range: range) == ["k001", "k002"])
    #expect(try keys(.after(.init(Key("k000"))), range: range) == ["k001", "k002"])
    #expect(try keys(.after(.init(Key("k005"))), range: range).isEmpty)
  }

  @Test("positions that mean nothing here are lost, not taken for another place")
  func lostPositions() async throws {
    let (adapter, _) = try Self.adapter("MemoryReadingTests.lost")
    defer { MemoryStore.forget(named: "MemoryReadingTests.lost") }
    for position in [
      PagePosition.token("k001"), .token("after:%zz"), .offset(-1), .number(0), .url("http://127.0.0.1/"),
    ] {
      let request = PageRequest(position: position, size: 3)
      #expect(await code { _ = try adapter.page(request) } == .positionLost, "\(position)")
    }
    let frozen = await adapter.freeze()
    let request = PageRequest(size: 3, frozen: frozen)
    MemoryStore.forget(named: "MemoryReadingTests.lost")
    let (other, _) = try Self.adapter("MemoryReadingTests.lost")
    #expect(await code { _ = try other.page(request) } == .positionLost)
  }

  @Test("a store takes the positions it is told to take, and names no others", arguments: PagePosition.Kind.allCases)
  func chosenPositions(kind: PagePosition.Kind) throws {
    let name = "MemoryReadingTests.chosen.\(kind)"
    let (all, store) = try Self.adapter(name)
    defer { MemoryStore.forget(named: name) }
    var config = all.settings
    config.positions = [kind]
    #expect(MemoryAdapter.capabilities(of: config).positions == [.start, kind])
    let adapter = MemoryAdapter(config, context: AdapterContext(role: .source))
    let signals = try adapter.page(PageRequest(size: 3)).signals
    #expect((signals.nextToken != nil) == (kind == .token))
    #expect((signals.nextURL != nil) == (kind == .url))
    #expect(signals.nextLink == signals.nextURL)
    #expect((signals.last != nil) == (kind == .after))
    let named = try all.page(PageRequest(size: 3)).signals
    let positions: [PagePosition] = [
      .start, .token(try #require(named.nextToken)), .offset(3), .number(2), .after(try #require(named.last)),
      .url(try #require(named.nextURL)),
    ]
    for position in positions where position != .start {
      let request = PageRequest(position: position, size: 3)
      #expect(try all.page(request).batch.map(\.key) == store.snapshot[3..<6].map(\.key))
      if position.kind == kind {
        #expect(try adapter.page(request).batch.map(\.key) == store.snapshot[3..<6].map(\.key))
      } else {
        #expect(throws: SluiceError.self) { try adapter.page(request) }
      }
    }
  }

  @Test("an odd key as the last of a page does not end the listing", arguments: ["", "\u{301}", "a/%2F", "\u{0}"])
  func oddKey(id: String) throws {
    let name = "MemoryReadingTests.odd.\(id)"
    let (adapter, store) = try Self.adapter(name)
    defer { MemoryStore.forget(named: name) }
    store.upsert(key: id, [:])
    var keys: [Key] = []
    var position: PagePosition? = .start
    while let next = position {
      let page = try adapter.page(PageRequest(position: next, size: 1))
      keys += page.batch.map(\.key)
      position = page.signals.nextToken.map { .token($0) }
    }
    #expect(keys == store.snapshot.map(\.key))
    #expect(keys.contains(Key(id)))
  }

  @Test("by key, what comes and goes meanwhile never hides a document that stays")
  func changingStore() async throws {
    let (adapter, store) = try Self.adapter("MemoryReadingTests.changing")
    defer { MemoryStore.forget(named: "MemoryReadingTests.changing") }
    let frozen = await adapter.freeze()
    let first = try adapter.page(PageRequest(size: 3, frozen: frozen))
    store.delete(Key("k000"))
    store.delete(Key("k002"))
    store.upsert(key: "k0001", [:])
    let last = try #require(first.signals.last)
    let second = try adapter.page(PageRequest(position: .after(last), size: 10, frozen: frozen))
    #expect(second.batch.map(\.key.description) == ["k003", "k004", "k005", "k006"])
  }

  @Test("consistent: every page is of one moment, also for a later instance while nothing has changed")
  func consistent() async throws {
    let name = "MemoryReadingTests.consistent"
    let (adapter, store) = try Self.adapter(name, consistent: true)
    defer { MemoryStore.forget(named: name) }
    let frozen = await adapter.freeze()
    let later = MemoryAdapter(adapter.settings, context: AdapterContext(role: .source))
    #expect(try later.page(PageRequest(size: 3, frozen: frozen)).batch.count == 3)
    let tooLate = MemoryAdapter(adapter.settings, context: AdapterContext(role: .source))
    store.delete(Key("k005"))
    store.upsert(key: "k0045", [:])
    for instance in [adapter, later] {
      let page = try instance.page(PageRequest(position: .offset(3), size: 10, frozen: frozen))
      #expect(page.batch.map(\.key.description) == ["k003", "k004", "k005", "k006"])
    }
    #expect(await code { _ = try tooLate.page(PageRequest(size: 3, frozen: frozen)) } == .positionLost)
    #expect(MemoryAdapter.capabilities(of: adapter.settings).order == .pinned)
  }

  @Test("a look-up answers every key, with a delete for what is not there")
  func lookup() throws {
    let (adapter, _) = try Self.adapter("MemoryReadingTests.lookup")
    defer { MemoryStore.forget(named: "MemoryReadingTests.lookup") }
    let batch = try adapter.documents(for: [Key("k003"), Key("none"), Key("k000")])
    #expect(batch.map(\.key.description) == ["k003", "none", "k000"])
    #expect(batch.indices.map(batch.kind(at:)) == [.upsert, .delete, .upsert])
  }
}
