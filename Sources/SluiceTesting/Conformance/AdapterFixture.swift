import SluiceCore

/// How the kit comes by stores of one adapter, and what it must know of them: all that a test target writes to have the
/// adapter tested. What an adapter cannot do, its capabilities say; what a store cannot hold, the properties here.
///
/// An adapter whose settings change what it promises has a fixture for each way.
public struct AdapterFixture: Sendable {
  /// The adapter's name in the catalog.
  public let component: String
  /// What these settings are, for the names of the tests: `publish: replace`. Empty where there is one fixture only.
  public let variant: String
  /// What the adapter can do with these settings.
  public let capabilities: Capabilities
  /// What its type conforms to: no settings can do more.
  let conformances: Capabilities
  /// What the adapter is tried as. Narrow it where a variant differs from another in one role only.
  public var roles: [ConfigRole]
  /// Makes a store that nobody else uses, empty. Called once for each behaviour.
  public let makeStore: @Sendable () async throws -> any ConformanceStore
  /// The key of a document by an id; other than `Key(id)` where keys have more segments.
  public var key: @Sendable (String) -> Key = { Key($0) }
  /// The fields of the document of a number, other ones for each revision of it.
  public var fields: @Sendable (_ number: Int, _ revision: Int) -> [Field] = { number, revision in
    [Field("n", .int(Int64(number))), Field("text", .string("document \(number), revision \(revision)"))]
  }
  /// Ids that the store takes, odd ones. Each must come back by its own bytes.
  public var ids = SampleContent.ids
  /// Values that the store keeps exactly. Empty: `fields` is all that it can hold.
  public var values = SampleContent.values
  /// A document that a sink must refuse because of its content; nil where it takes all there are.
  public var refused: Document?
  /// Whether a sink can tell an older version of a document from a newer one.
  public var comparesVersions = true
  /// Behaviours, by name, that this adapter is excused from, with the reason. A name that fits none is a failure.
  public var exceptions: [String: String] = [:]

  /// A fixture. `config` is like the settings that the stores are opened with: it says what they can do.
  public init<A: Adapter>(
    _ type: A.Type, _ variant: String = "", like config: A.Config,
    makeStore: @escaping @Sendable () async throws -> any ConformanceStore
  ) {
    component = A.name
    self.variant = variant
    capabilities = A.capabilities(of: config)
    conformances = Capabilities(conformancesOf: type)
    self.makeStore = makeStore
    let capabilities = capabilities
    roles = ConfigRole.allCases.filter { $0 == .source ? capabilities.isReadable : capabilities.isWritable }
  }
}

/// One store of a fixture. Used by one task at a time.
///
/// What is done to it here must go around the adapter, as another program would: else the adapter is only compared with
/// itself. Requirements that the capabilities do not ask for may be left out.
public protocol ConformanceStore: Sendable {
  /// Opens the adapter on this store. May be called often, also while an earlier one is still open.
  func open(as role: ConfigRole) async throws -> any Adapter

  /// Puts documents in, each in place of the one of its key. For sources; and for sinks that replace, which must see
  /// that their target was changed. Version and times of a document are taken over where the store keeps them.
  func put(_ documents: [Document]) async throws

  /// Takes documents out. For sources.
  func remove(_ keys: [Key]) async throws

  /// What the store shows, in any order: what a reader of it would find. For sinks; of a log, what its lines amount to.
  func contents() async throws -> [Document]

  /// When documents that are kept although they were deleted were marked so. For sinks whose capabilities say
  /// `keepsDeleted`. Their mark is not among the fields that `contents()` shows.
  func deleted() async throws -> [Key: Timestamp]

  /// Takes away all that the adapter has written, as if the store had been made anew. For sinks that do not replace.
  func lose() async throws

  /// Makes the store keep every answer back from now on. Returns what waits for the first request that is kept waiting;
  /// nil where the store cannot do this.
  func hold() async throws -> (@Sendable () async -> Void)?

  /// Ends and removes the store. Called once.
  func tearDown() async
}

extension ConformanceStore {
  /// Not possible.
  public func put(_ documents: [Document]) async throws { throw Self.missing("put") }
  /// Not possible.
  public func remove(_ keys: [Key]) async throws { throw Self.missing("remove") }
  /// Not possible.
  public func contents() async throws -> [Document] { throw Self.missing("contents") }
  /// Nothing is kept.
  public func deleted() async throws -> [Key: Timestamp] { [:] }
  /// Not possible.
  public func lose() async throws { throw Self.missing("lose") }
  /// Not possible.
  public func hold() async throws -> (@Sendable () async -> Void)? { nil }
  /// Nothing to end.
  public func tearDown() async {}

  private static func missing(_ name: String) -> ConformanceFailure {
    ConformanceFailure("the fixture's store \(Self.self) needs \(name)")
  }
}

extension AdapterFixture {
  /// `adapter file (publish: append)`.
  var subject: String { "adapter \(component)\(variant.isEmpty ? "" : " (\(variant))")" }

  /// The document of a number. A later revision is newer.
  func document(_ number: Int, revision: Int = 0) -> Document {
    let digits = String(number)
    let id = "k" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return document(id: id, revision: revision, fields(number, revision))
  }

  func document(id: String, revision: Int = 0, _ fields: [Field]) -> Document {
    let time = Timestamp(seconds: 1_700_000_000 + Int64(revision) * 60, nanoseconds: 123_000_000)
    let header = DocumentHeader(version: .time(time), createTime: time, updateTime: time)
    return Document(key: key(id), header: header, fields)
  }

  func documents(_ numbers: Range<Int>, revision: Int = 0) -> [Document] {
    numbers.map { document($0, revision: revision) }
  }

  /// A document of every odd id.
  var oddDocuments: [Document] { ids.enumerated().map { document(id: $1, fields($0, 0)) } }

  /// Lends a fresh store.
  func withStore(_ body: @Sendable (any ConformanceStore) async throws -> Void) async throws {
    let store = try await makeStore()
    try await ending({ await store.tearDown() }) { try await body(store) }
  }

  /// Lends a source on a store.
  @discardableResult func reading<R: Sendable>(
    _ store: any ConformanceStore, _ body: @Sendable (any Pageable) async throws -> R
  ) async throws -> R {
    let adapter = try await store.open(as: .source)
    return try await ending({ await adapter.close() }) {
      try await body(require(adapter as? any Pageable, "the capabilities name positions, but it is not Pageable"))
    }
  }

  /// Lends a sink on a store, ready for deliveries.
  @discardableResult func writing<R: Sendable>(
    _ store: any ConformanceStore, generation: UInt64 = 1, resuming mark: StageMark? = nil, sequence: UInt64 = 0,
    _ body: @Sendable (SinkRun) async throws -> R
  ) async throws -> R {
    let adapter = try await store.open(as: .sink)
    return try await ending({ await adapter.close() }) {
      let run = try SinkRun(adapter, capabilities, generation: generation, sequence: sequence)
      try await run.begin(resuming: mark)
      return try await body(run)
    }
  }
}
