import SluiceCore
import Synchronization

/// A source whose pages a test makes: any token, any fault, any order.
///
///     let script = PageScript { request in … }
///     let plan = AdapterPlan(ScriptedSource.self, ScriptedSource.Config(script))
public final class ScriptedSource: Pageable, Lookup {
  /// The settings: the script.
  public struct Config: Configurable {
    /// What answers requests.
    public var script = PageScript { _ in Page(Batch(), signals: PageSignals(count: 0)) }
    /// How the listing is ordered.
    public var order = Capabilities.Order.byKey
    /// What is read; change it to be another source.
    public var identity = "scripted"
    /// Whose budget reads count against.
    public var account: String?
    /// What that account may read a day for nothing.
    public var freeReadsPerDay: Int?

    /// A source without documents.
    public init() {}
    /// A source with a script.
    public init(_ script: PageScript, order: Capabilities.Order = .byKey, account: String? = nil) {
      self.script = script
      self.order = order
      self.account = account
    }
    /// Nothing that a file could set.
    public static let spec = ConfigSpec<Config>("Pages made by a test.", [])
  }

  /// `scripted`.
  public static let name = "scripted"
  /// For catalogs.
  public static let summary = "Pages made by a test."

  /// Every kind of position.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: ScriptedSource.self)
    capabilities.positions = Set(PagePosition.Kind.allCases)
    capabilities.order = config.order
    return capabilities
  }

  private let config: Config

  /// A source with a script.
  public init(_ config: Config, context: AdapterContext) async throws { self.config = config }

  /// What is read.
  public var sourceIdentity: SourceIdentity { SourceIdentity([.init("identity", config.identity)]) }

  /// Whose budget reads count against.
  public var billingAccount: String? { config.account }

  /// What the account may read a day for nothing.
  public var freeReadsPerDay: Int? { config.freeReadsPerDay }

  /// Asks the script.
  public func page(_ request: PageRequest) async throws -> Page { try await config.script.answer(request) }

  /// Asks the script's look-up.
  public func documents(for keys: [Key]) async throws -> Batch {
    var builder = BatchBuilder()
    for key in keys {
      if let fields = config.script.lookup(key) { builder.add(key: key, fields) } else { builder.delete(key: key) }
    }
    return try builder.finish()
  }
}

/// What a `ScriptedSource` answers, and a record of what it was asked.
public final class PageScript: Sendable {
  private let body: @Sendable (PageRequest) async throws -> Page
  /// What a look-up finds.
  public let lookup: @Sendable (Key) -> [Field]?
  private let asked = Mutex<[PagePosition]>([])

  /// A script.
  public init(
    lookup: @escaping @Sendable (Key) -> [Field]? = { _ in nil },
    _ body: @escaping @Sendable (PageRequest) async throws -> Page
  ) {
    self.lookup = lookup
    self.body = body
  }

  /// The positions asked for so far, in order.
  public var requests: [PagePosition] { asked.withLock { $0 } }

  /// Forgets the requests.
  public func reset() { asked.withLock { $0 = [] } }

  fileprivate func answer(_ request: PageRequest) async throws -> Page {
    asked.withLock { $0.append(request.position) }
    return try await body(request)
  }

  /// A script that lists these documents in the order of their keys, by tokens that are offsets.
  public static func documents(_ documents: @escaping @Sendable () -> [(key: Key, fields: [Field])]) -> PageScript {
    PageScript(lookup: { key in documents().first { $0.key == key }?.fields }) { request in
      let all = documents().sorted { $0.key < $1.key }
      let start: Int
      switch request.position {
      case .token(let token): start = Int(token) ?? 0
      case .offset(let offset): start = offset
      case .after(let cursor): start = all.firstIndex { cursor.key < $0.key } ?? all.count
      default: start = 0
      }
      let part = all[min(start, all.count)..<min(start + request.size, all.count)]
      return try page(
        part.map { ($0.key, $0.fields) }, nextToken: start + part.count < all.count ? String(start + part.count) : nil)
    }
  }

  /// A page of these documents.
  public static func page(_ documents: [(Key, [Field])], nextToken: String?) throws -> Page {
    var builder = BatchBuilder()
    for (key, fields) in documents { builder.add(key: key, fields) }
    let last = documents.last.map { PagePosition.Cursor($0.0) }
    return Page(
      try builder.finish(),
      signals: PageSignals(
        count: documents.count, nextToken: nextToken, last: last, billedReads: max(1, documents.count),
        receivedBytes: documents.count * 100))
  }
}
