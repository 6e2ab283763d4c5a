/// What is read, as names and values: project, database, collection, query, origin. It decides whether saved state
/// still belongs to this source. All loopback origins count as one: write `loopback`. No secrets: it is saved.
public typealias SourceIdentity = FrozenRequest

/// A source that is listed page by page.
public protocol Pageable: Adapter {
  /// What is read. Constant for the life of the instance.
  var sourceIdentity: SourceIdentity { get }

  /// Whose budget the reads count against (`firestore:projects/p/databases/(default)`); nil where reading is free.
  var billingAccount: String? { get }

  /// Documents that the account of `billingAccount` may read a day before they cost money; nil where there is no such
  /// number. For reports only: no budget is made of it.
  var freeReadsPerDay: Int? { get }

  /// Where the tasks that read pages run; nil: wherever there is room.
  ///
  /// For an adapter whose answers arrive on a thread of its own: read there, a page needs no change of threads between
  /// its arrival and its documents. One page is read at a time then.
  var readingExecutor: (any TaskExecutor)? { get }

  /// Fixes everything but position and page size. Called once, before page 1 of a new listing; not called when a
  /// listing is resumed.
  func freeze() async throws -> FrozenRequest

  /// Reads one page.
  ///
  /// Called by the engine with one request at a time per key range; requests of several ranges may run at once.
  /// A cancelled task must leave soon. A page that was cut, empty where the protocol knows no empty answer, or not
  /// understood is an error, never a short page. A position that is no longer accepted throws `position_lost`.
  func page(_ request: PageRequest) async throws -> Page
}

extension Pageable {
  /// Reading is free.
  public var billingAccount: String? { nil }

  /// No such number is known.
  public var freeReadsPerDay: Int? { nil }

  /// Wherever there is room.
  public var readingExecutor: (any TaskExecutor)? { nil }

  /// Nothing to fix.
  public func freeze() async throws -> FrozenRequest { FrozenRequest() }
}

/// A source whose key space can be split, so that parts are listed side by side.
public protocol Partitionable: Pageable {
  /// Keys that cut the key space into at most `count` parts of like size, in any order; fewer, or none, where the data
  /// is small or cannot be cut. Called once per new listing, after `freeze()`.
  func splitPoints(count: Int, frozen: FrozenRequest) async throws -> [Key]
}

/// A source that can say how many documents a listing will bring, cheaper than listing them.
public protocol Countable: Pageable {
  /// The number of documents, and what asking cost.
  func count(frozen: FrozenRequest) async throws -> DocumentCount
}

/// A number of documents.
public struct DocumentCount: Sendable, Hashable {
  /// How many there are.
  public var documents: Int
  /// Reads billed for the answer.
  public var billedReads: Int

  /// A number of documents.
  public init(_ documents: Int, billedReads: Int = 0) {
    self.documents = documents
    self.billedReads = billedReads
  }
}

/// A source that can be asked for single documents.
public protocol Lookup: Adapter {
  /// Reads these documents as they are now: a document for each key that exists, a delete for each that does not.
  /// The engine gives at most 100 keys. A key that is in neither is an error of the adapter.
  func documents(for keys: [Key]) async throws -> Batch
}

/// A source with a feed of its own changes.
public protocol Watchable: Adapter {
  /// How long a position stays usable; nil where it does not run out.
  var retention: Duration? { get async }

  /// The position of now: every change after this call comes after it.
  func mark() async throws -> WatchPosition

  /// Follows the changes after a position. An unknown or expired position throws `position_lost`; it is never taken
  /// for "from now". The engine pulls from one task and cancels by `BatchStream.cancel()`.
  func changes(after position: WatchPosition) async throws -> BatchStream
}

/// A place in a feed, in the feed's own words. Saved in the checkpoint together with the state it belongs to.
public struct WatchPosition: Sendable, Hashable {
  /// The words.
  public var token: String

  /// A place in a feed.
  public init(_ token: String) { self.token = token }
}
