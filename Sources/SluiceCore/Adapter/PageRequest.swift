/// Where a page begins. A paging strategy makes positions, an adapter turns them into its protocol.
public enum PagePosition: Sendable, Equatable {
  /// The first page.
  case start
  /// The page that the other side named by this token.
  case token(String)
  /// The page after this many documents.
  case offset(Int)
  /// The page of this number.
  case number(Int)
  /// The page after this place in the order of the listing.
  case after(Cursor)
  /// The page at this address, one that a page of this listing named: see `PageSignals.nextURL`.
  ///
  /// An adapter that accepts addresses asks only its own origin (scheme, host, port) with credentials. Another origin
  /// throws before anything is sent.
  case url(String)

  /// A place in an ordered listing: the values of the ordering fields of the last document, then its key, so that
  /// documents with equal values survive a page edge.
  public struct Cursor: Sendable, Equatable {
    /// The last document's key.
    public var key: Key
    /// Its values of the ordering fields, in the order's order. Empty where the listing is ordered by key.
    public var values: [Value]

    /// A place in an ordered listing.
    public init(_ key: Key, values: [Value] = []) {
      self.key = key
      self.values = values
    }
  }

  /// The kinds of positions, for capabilities and for settings.
  public enum Kind: String, Sendable, Hashable, CaseIterable, ConfigValue {
    /// See `PagePosition.start`. Every pageable adapter accepts it.
    case start
    /// See `PagePosition.token(_:)`.
    case token
    /// See `PagePosition.offset(_:)`.
    case offset
    /// See `PagePosition.number(_:)`.
    case number
    /// See `PagePosition.after(_:)`.
    case after
    /// See `PagePosition.url(_:)`.
    case url
  }

  /// The kind of this position.
  public var kind: Kind {
    switch self {
    case .start: .start
    case .token: .token
    case .offset: .offset
    case .number: .number
    case .after: .after
    case .url: .url
    }
  }
}

/// A part of the key space: `lower` is within, `upper` is not; nil is open.
public struct KeyRange: Sendable, Hashable {
  /// The first key within, or no bound.
  public let lower: Key?
  /// The first key beyond, or no bound.
  public let upper: Key?

  /// A range of keys.
  public init(from lower: Key? = nil, upTo upper: Key? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Every key.
  public static let all = KeyRange()
}

/// All that a listing asks for but position and page size, fixed before page 1 and sent with every page.
///
/// What the adapter puts in is its own (order, mask, read time); the engine saves it, compares it, and gives it back
/// after a restart, so that page 2 can never be a page of another question.
public struct FrozenRequest: Sendable, Hashable {
  /// Names and values, in the adapter's order.
  public var parameters: [Parameter]

  /// One name with its value.
  public struct Parameter: Sendable, Hashable {
    /// The name, stable between releases.
    public var name: String
    /// The value. No secret: it is saved.
    public var value: String

    /// One name with its value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A frozen request; empty where the adapter has nothing to fix.
  public init(_ parameters: [Parameter] = []) { self.parameters = parameters }

  /// The value of a parameter.
  public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
}

/// A request for one page.
public struct PageRequest: Sendable, Equatable {
  /// Where the page begins.
  public var position: PagePosition
  /// The number of documents wanted; the other side may send fewer. Always at least 1.
  public var size: Int
  /// The fixed part.
  public var frozen: FrozenRequest
  /// The part of the key space, where the listing is split.
  public var range: KeyRange

  /// A request for one page.
  public init(
    position: PagePosition = .start, size: Int, frozen: FrozenRequest = FrozenRequest(), range: KeyRange = .all
  ) {
    self.position = position
    self.size = size
    self.frozen = frozen
    self.range = range
  }
}

/// One page as an adapter read it.
public struct Page: Sendable {
  /// The documents.
  public var batch: Batch
  /// What the page says about what follows.
  public var signals: PageSignals
  /// Parts of the page that are no documents because of their content, and whose key is not known: a broken line. Each
  /// names its place. They are among `signals.count`; the job's `on_reject` decides what follows. A page that may be
  /// cut, or whose other documents are in doubt, is an error to throw instead.
  public var rejections: [SluiceError]

  /// One page.
  public init(_ batch: Batch, signals: PageSignals, rejections: [SluiceError] = []) {
    self.batch = batch
    self.signals = signals
    self.rejections = rejections
  }
}

/// What a page says beside its documents: all that a paging strategy may look at. Nil is "not said".
///
/// The adapter fills in what its protocol says, from wherever it says it; a strategy never reads a wire format.
public struct PageSignals: Sendable, Equatable {
  /// The number of documents the page held, missing ones and rejected ones included.
  public var count: Int
  /// The token of the next page. An empty one means the same as none.
  public var nextToken: String?
  /// The address of the next page, from the body. An empty one means the same as none.
  ///
  /// Absolute: the adapter resolves a relative one against the address of the page that names it (RFC 3986, section 5),
  /// since a resumed listing does not know that any more. It leaves out credentials, because positions are saved, and
  /// adds them again when it asks. Only the next page: an address that leads back is none.
  public var nextURL: String?
  /// The address of the next page, from a `Link` header with `rel="next"` (RFC 8288), under the rules of `nextURL`.
  public var nextLink: String?
  /// Whether the other side says that more follows.
  public var hasMore: Bool?
  /// The number of documents of the whole listing, as the other side counts them now.
  public var total: Int?
  /// The page number the other side says this is. Not for going on by: it may count from another number than the
  /// request does, and a number that jumps ahead would skip pages. What names the *next* page is a token.
  public var number: Int?
  /// The last document's place in the listing's order.
  public var last: PagePosition.Cursor?
  /// Reads the other side bills for this page (Firestore: one per document, at least one per query).
  public var billedReads: Int
  /// The size of the answer's body, in bytes.
  public var receivedBytes: Int
  /// The time at which the page was read, where the source says so.
  public var readTime: Timestamp?

  /// Signals of a page of `count` documents.
  public init(
    count: Int, nextToken: String? = nil, nextURL: String? = nil, nextLink: String? = nil, hasMore: Bool? = nil,
    total: Int? = nil, number: Int? = nil, last: PagePosition.Cursor? = nil, billedReads: Int = 0,
    receivedBytes: Int = 0, readTime: Timestamp? = nil
  ) {
    self.count = count
    self.nextToken = nextToken
    self.nextURL = nextURL
    self.nextLink = nextLink
    self.hasMore = hasMore
    self.total = total
    self.number = number
    self.last = last
    self.billedReads = billedReads
    self.receivedBytes = receivedBytes
    self.readTime = readTime
  }
}
