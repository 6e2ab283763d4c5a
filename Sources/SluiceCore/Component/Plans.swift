/// An adapter with its settings, not opened yet.
public struct AdapterPlan: Sendable {
  /// The adapter's name.
  public let name: String
  /// What it can do with these settings.
  public let capabilities: Capabilities
  /// Opens it.
  public let open: @Sendable (AdapterContext) async throws -> any Adapter
  private let settings: any Sendable
  private let isWrittenBy: @Sendable (any Sendable) -> Bool

  /// An adapter with its settings. Programs that have no configuration file make their plans with it.
  public init<A: Adapter>(_ type: A.Type, _ config: A.Config) {
    name = A.name
    capabilities = A.capabilities(of: config)
    open = { try await A(config, context: $0) }
    settings = config
    isWrittenBy = { sink in
      guard let sink = sink as? A.Config else { return false }
      return A.writes(sink, into: config)
    }
  }

  /// Whether this plan, as a sink, writes what another works on; see `Adapter.writes(_:into:)`.
  package func writes(into other: AdapterPlan) -> Bool { name == other.name && other.isWrittenBy(settings) }
}

/// A paging strategy with its settings.
public struct PagingPlan: Sendable {
  /// The strategy's name.
  public let name: String
  /// The kind of positions it makes.
  public let position: PagePosition.Kind
  /// What it asks of the source beside that.
  public let needs: PagingNeeds
  /// The strategy.
  public let strategy: any PagingStrategy

  /// A paging strategy.
  public init<P: PagingStrategy>(_ strategy: P) {
    name = P.name
    position = P.position
    needs = strategy.needs
    self.strategy = strategy
  }
}

/// A watch strategy with its settings.
public struct WatchPlan: Sendable {
  /// The strategy's name.
  public let name: String
  /// The strategy.
  public let strategy: any WatchStrategy
  /// Whether it learns of deletes of such a source.
  public let seesDeletes: @Sendable (Capabilities) -> Bool

  /// A watch strategy.
  public init<W: WatchStrategy>(_ strategy: W, _ config: W.Config) {
    name = W.name
    self.strategy = strategy
    seesDeletes = { W.seesDeletes(config, source: $0) }
  }
}

/// A transform with its settings.
public struct TransformPlan: Sendable {
  /// The transform's name.
  public let name: String
  /// Makes an instance, one for each lane.
  public let make: @Sendable () throws -> any Transform

  /// A transform with its settings.
  public init<T: Transform>(_ type: T.Type, _ config: T.Config) {
    name = T.name
    make = { try T(config) }
  }
}

/// A state store with its settings, not opened yet.
public struct StatePlan: Sendable {
  /// The store's name.
  public let name: String
  /// Opens it.
  public let open: @Sendable (StateContext) async throws -> any StateStore

  /// A state store with its settings.
  public init<S: StateStore>(_ type: S.Type, _ config: S.Config) {
    name = S.name
    open = { try await S(config, context: $0) }
  }
}
