import SluiceCore
import SluiceEngine
import SluicePaging
import SluiceTesting
import Testing

/// The contract is wide enough: an adapter of each kind to come, in about fifty lines, compiled and run in memory.
@Suite struct ContractFitTests {
  private func run(_ plan: JobPlan, _ state: MemoryStateStore = MemoryStateStore()) async -> RunReport {
    let environment = RunEnvironment(now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    return await Engine(store: state, environment: environment).run(plan)
  }

  private func keyset(_ size: Int) -> PagingPlan {
    var config = Keyset.Config()
    config.size = size
    return PagingPlan(Keyset(config))
  }

  private func recording(_ name: String, _ store: RecordingStore, _ mode: Capabilities.PublishMode = .inPlace)
    -> JobPlan.SinkPlan
  {
    JobPlan.SinkPlan(name: name, adapter: AdapterPlan(RecordingSink.self, RecordingSink.Config(store, mode)))
  }

  @Test func capabilitiesFollowFromConformances() {
    let partitioned = PartitionedSource.capabilities(of: StoreConfig())
    #expect(partitioned.isPartitionable && partitioned.isCountable && partitioned.hasLookup && !partitioned.isWritable)
    let watched = WatchedSource.capabilities(of: StoreConfig())
    #expect(watched.feed == .events && watched.feedSeesDeletes && watched.positions.isEmpty && watched.isReadable)
    let transactional = TransactionalSink.capabilities(of: TransactionalSink.Config())
    #expect(transactional.isTransactional && transactional.publishMode == .inPlace && !transactional.isReadable)
  }

  @Test(arguments: 1...8) func partitionsCoverEveryKeyExactlyOnce(parts: Int) async throws {
    let store = DictionaryStore(100)
    let source = try await PartitionedSource(StoreConfig(store), context: AdapterContext(role: .source))
    let points = try await source.splitPoints(count: parts, frozen: FrozenRequest())
    var listing = Listing(generation: 1, frozen: FrozenRequest(), order: .byKey, splitPoints: points)
    #expect(listing.partitions.count == parts)
    let strategy = keyset(7).strategy
    var keys: [Key] = []
    for index in listing.partitions.indices {
      var position = PagePosition.start
      reading: while true {
        let request = PageRequest(position: position, size: 7, range: listing.partitions[index].range)
        let page = try await source.page(request)
        keys += page.batch.indices.map(page.batch.key(at:))
        let step = try strategy.step(after: page.signals, of: request)
        if case .success = listing.finish() { Issue.record("a proof before the end") }
        listing.confirmPage(of: index, next: step, highest: nil, isEmpty: page.signals.count == 0)
        switch step {
        case .next(let next): position = next
        case .end: break reading
        }
      }
    }
    #expect(keys.sorted() == store.sortedIDs.map { Key($0) })
    #expect(try listing.finish().get().needsSecondLook == false)
  }

  @Test func aFeedIsFollowedFromAPositionAndLosesABadOne() async throws {
    let store = DictionaryStore(3)
    let source = try await WatchedSource(StoreConfig(store), context: AdapterContext(role: .source))
    let mark = try await source.mark()
    store["d1000"] = 7
    store["d1001"] = nil
    let stream = try await source.changes(after: mark)
    let first = try #require(try await stream.next())
    #expect(first.batch.count == 2)
    #expect(first.batch.kind(at: 1) == .delete)
    async let next = stream.next()
    store["d1002"] = 9
    let second = try #require(try await next)
    #expect(second.position.token == "6")
    async let last = stream.next()
    stream.cancel()
    #expect(try await last == nil)
    await #expect(throws: SluiceError.self) { try await source.changes(after: WatchPosition("99")) }
    let resumed = try await source.changes(after: first.position)
    #expect(try await resumed.next()?.batch.count == 1)
  }

  @Test(arguments: 1...7) func aTransactionalSinkThatIsAheadIsNotGivenAPageTwice(death: Int) async {
    let store = DictionaryStore(20)
    let database = TransactionalSink.Database()
    database.contents.withLock { $0.dieAfterCommit = death }
    let state = MemoryStateStore()
    let plan = JobPlan(
      name: "job", source: AdapterPlan(PartitionedSource.self, StoreConfig(store)), paging: keyset(3),
      sinks: [.init(name: "db", adapter: AdapterPlan(TransactionalSink.self, .init(database)))])
    #expect(await run(plan, state).exitCode == 1)
    let report = await run(plan, state)
    #expect(report.exitCode == 0)
    #expect(report.resumedPages == death)
    #expect(database.contents.withLock { $0.rows.count } == 20)
    #expect(database.contents.withLock { $0.commits } == 7)
  }

  @Test func anotherProcessIsASourceLikeAnyOther() async {
    // 10 documents, pages by token: a program of one line that speaks the protocol.
    let program = """
      while read from size; do n=$from; out=; while [ $n -lt 10 ] && [ $n -lt $((from + size)) ]; do \
      out="$out d$n"; n=$((n + 1)); done; if [ $n -lt 10 ]; then echo "page $n$out"; else echo "page end$out"; fi; done
      """
    var config = ProcessSource.Config()
    config.command = program
    config.capabilities = ["token"]
    let store = RecordingStore()
    var paging = PageToken.Config()
    paging.size = 4
    let plan = JobPlan(
      name: "job", source: AdapterPlan(ProcessSource.self, config), paging: PagingPlan(PageToken(paging)),
      sinks: [recording("sink", store)])
    #expect(await run(plan).exitCode == 0)
    #expect(store.documents.count == 10)
  }

  @Test func twoSinksOfDifferentKindsShareOneReading() async {
    let source = DictionaryStore(20)
    let changes = RecordingStore()
    let whole = RecordingStore()
    let plan = JobPlan(
      name: "job", source: AdapterPlan(PartitionedSource.self, StoreConfig(source)), paging: keyset(6),
      sinks: [recording("changes", changes), recording("whole", whole, .replace)])
    #expect(await run(plan).exitCode == 0)
    #expect(changes.documents.count == 20)
    #expect(changes.documents == whole.documents)
    #expect(whole.publications == 1)
  }

  @Test func proofsCannotBeForged() throws {
    // What the compiler refuses outside the package is shown by what remains: no public way to make either.
    var listing = Listing(generation: 1, frozen: FrozenRequest(), order: .byKey)
    listing.confirmPage(of: 0, next: .end(.noNewKeys), highest: nil, isEmpty: false)
    #expect(throws: Listing.Taint.self) { try listing.finish().get() }
    var tainted = Listing(generation: 1, frozen: FrozenRequest(), order: .byKey)
    tainted.taint(.init("cap_reached", "the source's cap is reached"))
    tainted.confirmPage(of: 0, next: .end(.noToken), highest: nil, isEmpty: false)
    #expect(throws: Listing.Taint.self) { try tainted.finish().get() }
  }
}
