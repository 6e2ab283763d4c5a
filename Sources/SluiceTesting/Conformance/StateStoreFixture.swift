import SluiceCore

/// How the kit comes by state stores of one kind.
public struct StateStoreFixture: Sendable {
  /// The state store's name in the catalog.
  public let component: String
  /// What these settings are, for the names of the tests. Empty where there is one fixture only.
  public let variant: String
  /// Whether state lies somewhere where it can be damaged.
  public var canBeDamaged: Bool
  /// Makes a place for a state store, with nothing in it. Called once for each behaviour.
  public let makePlace: @Sendable () async throws -> any StatePlace

  /// A fixture.
  public init<S: StateStore>(
    _ type: S.Type, _ variant: String = "", canBeDamaged: Bool = true,
    makePlace: @escaping @Sendable () async throws -> any StatePlace
  ) {
    component = S.name
    self.variant = variant
    self.canBeDamaged = canBeDamaged
    self.makePlace = makePlace
  }
}

/// A place where one state store keeps what it keeps.
public protocol StatePlace: Sendable {
  /// Opens a state store there. May be called while an earlier one is open, as another process would.
  func open() async throws -> any StateStore

  /// Damages what is kept. No store is open. Not called where the fixture says that it cannot be.
  func damage() async throws

  /// All that lies there, to see whether it changed.
  func bytes() async throws -> [UInt8]

  /// Ends and removes the place. Called once.
  func tearDown() async
}

extension StatePlace {
  /// Not possible.
  public func damage() async throws { throw ConformanceFailure("the fixture's place \(Self.self) needs damage") }
  /// Nothing.
  public func bytes() async throws -> [UInt8] { [] }
  /// Nothing to end.
  public func tearDown() async {}
}

extension StateStoreFixture {
  /// `state sqlite`.
  var subject: String { "state \(component)\(variant.isEmpty ? "" : " (\(variant))")" }

  func withPlace(_ body: @Sendable (any StatePlace) async throws -> Void) async throws {
    let place = try await makePlace()
    try await ending({ await place.tearDown() }) { try await body(place) }
  }
}

extension StatePlace {
  /// Lends a store on the place.
  @discardableResult func opened<R: Sendable>(_ body: @Sendable (any StateStore) async throws -> R) async throws -> R {
    let store = try await open()
    return try await ending({ await store.close() }) { try await body(store) }
  }

  /// Lends a job's state in a store of its own.
  @discardableResult func job<R: Sendable>(
    _ name: String = "job", _ body: @Sendable (any JobState) async throws -> R
  ) async throws -> R {
    try await opened { store in
      let job = try await store.open(job: name)
      return try await ending({ await job.close() }) { try await body(job) }
    }
  }
}
