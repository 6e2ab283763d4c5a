/// What an adapter can do with one configuration, known without a connection.
public struct Capabilities: Sendable, Hashable {
  /// How a listing is ordered, and so what its end proves.
  public enum Order: String, Sendable, Hashable {
    /// Every page is of one and the same moment.
    case pinned
    /// Ordered by key, and each page begins after a key: a document that stays is never missed.
    case byKey = "by_key"
    /// Neither: a document may move past the reader. Absence needs a second look.
    case unstable
  }

  /// What a feed tells.
  public enum Feed: String, Sendable, Hashable {
    /// The newest state of each changed document; states between may be left out.
    case states
    /// Every change.
    case events
  }

  /// How a sink can show its work.
  public enum PublishMode: String, Sendable, Hashable, CaseIterable {
    /// The whole set, staged, and swapped in at once.
    case replace
    /// Changes as they come.
    case inPlace = "in_place"
    /// A log of changes, only ever added to.
    case append
  }

  /// Positions the source accepts. Empty: it cannot be listed.
  public var positions: Set<PagePosition.Kind>
  /// How a listing is ordered.
  public var order: Order
  /// Whether listings can be split.
  public var isPartitionable: Bool
  /// Whether the source can count.
  public var isCountable: Bool
  /// Whether single documents can be asked for.
  public var hasLookup: Bool
  /// Whether documents carry versions that can be compared.
  public var hasVersions: Bool
  /// What the source's own feed tells; nil where it has none.
  public var feed: Feed?
  /// Whether the feed tells of deletes.
  public var feedSeesDeletes: Bool
  /// How the sink shows its work under this configuration; nil: it cannot be written.
  public var publishMode: PublishMode?
  /// Whether data, checkpoint and ledger go into one transaction of the sink.
  public var isTransactional: Bool
  /// Whether the sink can keep a deleted document, marked with the time of its delete (see `Delivery.deletedAt`).
  public var keepsDeleted: Bool
  /// Whether the sink's content can be read back and compared.
  public var isVerifiable: Bool
  /// Digits of a second's fraction that the sink keeps, 0…9. Comparing goes no deeper.
  public var timestampDigits: Int

  /// What a type conforms to. A pageable type is taken to accept only `start`, unordered, until the adapter says more.
  public init(conformancesOf type: any Adapter.Type) {
    positions = type is any Pageable.Type ? [.start] : []
    order = .unstable
    isPartitionable = type is any Partitionable.Type
    isCountable = type is any Countable.Type
    hasLookup = type is any Lookup.Type
    hasVersions = false
    feed = type is any Watchable.Type ? .states : nil
    feedSeesDeletes = type is any Watchable.Type
    publishMode = type is any Writable.Type ? .inPlace : nil
    isTransactional = type is any Transactional.Type
    keepsDeleted = false
    isVerifiable = type is any Verifiable.Type
    timestampDigits = 9
  }

  /// Whether it can be a source.
  public var isReadable: Bool { !positions.isEmpty || feed != nil }
  /// Whether it can be a sink.
  public var isWritable: Bool { publishMode != nil }
}
