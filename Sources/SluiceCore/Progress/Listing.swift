/// One listing, from its first page to the proof that it was complete.
///
/// A state machine that the checkpoint saves. It is ended only by its strategy's own sign in every partition, with
/// nothing that taints it; only then does it give the `CompleteListing` that deleting by absence asks for.
/// A resume in the same generation, with the same frozen request, goes on with it and keeps the proof.
public struct Listing: Sendable, Equatable {
  /// How far one part of the key space has come.
  public enum Progress: Sendable, Equatable {
    /// No page was asked for yet.
    case notStarted
    /// The next page begins here.
    case at(PagePosition)
    /// The strategy said that nothing follows.
    case ended(EndSign)
  }

  /// A part of the key space and how far it has come.
  public struct Partition: Sendable, Equatable {
    /// The part.
    public let range: KeyRange
    /// How far it has come.
    public fileprivate(set) var progress: Progress
    /// Pages confirmed so far.
    public fileprivate(set) var pages: Int
    /// The highest key seen so far.
    public fileprivate(set) var highest: Key?
    /// Empty pages in a row, up to the newest.
    public fileprivate(set) var emptyPages: Int

    package init(
      range: KeyRange, progress: Progress = .notStarted, pages: Int = 0, highest: Key? = nil, emptyPages: Int = 0
    ) {
      self.range = range
      self.progress = progress
      self.pages = pages
      self.highest = highest
      self.emptyPages = emptyPages
    }
  }

  /// Why a listing cannot prove absence any more.
  public struct Taint: Sendable, Hashable {
    /// A stable word: `cap_reached`, `count_differs`, `stopped_early`, `failed_write`, …
    public var reason: String
    /// One sentence for the report.
    public var detail: String

    /// Why a listing cannot prove absence any more.
    public init(_ reason: String, _ detail: String) {
      self.reason = reason
      self.detail = detail
    }
  }

  /// Its number; every new listing of a job has a higher one.
  public let generation: UInt64
  /// The request every page is made of.
  public let frozen: FrozenRequest
  /// How it is ordered.
  public let order: Capabilities.Order
  /// The parts, a cover of the key space in its order.
  public private(set) var partitions: [Partition]
  /// The first reason why it cannot prove absence, if any.
  public private(set) var taint: Taint?
  /// Documents that could not be read and whose keys are not known. Any absent key may be one of them.
  public private(set) var unreadable: Int

  /// Begins a listing. The parts come from split points, which are sorted here, so that they always cover all keys
  /// exactly once.
  package init(generation: UInt64, frozen: FrozenRequest, order: Capabilities.Order, splitPoints: [Key] = []) {
    self.generation = generation
    self.frozen = frozen
    self.order = order
    unreadable = 0
    let points = Set(splitPoints).sorted()
    let lowers = [nil] + points.map(Optional.some)
    let uppers = points.map(Optional.some) + [nil]
    partitions = zip(lowers, uppers).map { Partition(range: KeyRange(from: $0, upTo: $1)) }
  }

  /// Restores a saved listing.
  package init(
    generation: UInt64, frozen: FrozenRequest, order: Capabilities.Order, partitions: [Partition], taint: Taint?,
    unreadable: Int = 0
  ) {
    self.generation = generation
    self.frozen = frozen
    self.order = order
    self.partitions = partitions
    self.taint = taint
    self.unreadable = unreadable
  }

  /// Whether every part has ended.
  public var hasEnded: Bool {
    partitions.allSatisfy { if case .ended = $0.progress { true } else { false } }
  }

  /// Pages confirmed so far, over all parts.
  public var pages: Int { partitions.reduce(0) { $0 + $1.pages } }

  /// Notes that a page of a part is confirmed.
  ///
  /// - Parameters:
  ///   - next: what follows, by the strategy.
  ///   - highest: the highest key of the page, nil for an empty page.
  ///   - isEmpty: whether the page held no documents.
  package mutating func confirmPage(of partition: Int, next: PagingStep, highest: Key?, isEmpty: Bool) {
    if case .ended = partitions[partition].progress { preconditionFailure("a page after the end of its listing") }
    partitions[partition].pages += 1
    partitions[partition].emptyPages = isEmpty ? partitions[partition].emptyPages + 1 : 0
    if let highest, partitions[partition].highest.map({ $0 < highest }) ?? true {
      partitions[partition].highest = highest
    }
    switch next {
    case .next(let position): partitions[partition].progress = .at(position)
    case .end(let sign): partitions[partition].progress = .ended(sign)
    }
  }

  /// Notes documents of a page that could not be read and whose keys are not known.
  package mutating func noteUnreadable(_ count: Int) { unreadable += count }

  /// Takes the proof away. The first reason stays.
  package mutating func taint(_ reason: Taint) { if taint == nil { taint = reason } }

  /// The proof, or why there is none.
  package func finish() -> Result<CompleteListing, Taint> {
    if let taint { return .failure(taint) }
    for partition in partitions {
      guard case .ended(let sign) = partition.progress else {
        return .failure(Taint("not_ended", "the listing has not come to its end"))
      }
      if !sign.isProof { return .failure(Taint("ended_by_rule", "the listing was ended by \(sign.rawValue)")) }
    }
    return .success(CompleteListing(generation: generation, needsSecondLook: order == .unstable || unreadable > 0))
  }
}

extension Listing.Taint: Error {}

/// The proof that a listing brought everything there was. Only `Listing` makes one.
///
/// Whatever removes by absence takes it: the deletes of `mirror`, and publishing a replacing file or table.
public struct CompleteListing: Sendable, Hashable {
  /// The listing's generation.
  public let generation: UInt64
  /// Whether documents may have moved past the reader, or could not be read, so that each absent key must be looked up
  /// before it is deleted.
  public let needsSecondLook: Bool

  fileprivate init(generation: UInt64, needsSecondLook: Bool) {
    self.generation = generation
    self.needsSecondLook = needsSecondLook
  }
}

/// The sign by which a paging strategy knew the end.
public enum EndSign: String, Sendable, Hashable, CaseIterable {
  /// The page names no next token.
  case noToken = "no_token"
  /// The page names no next address.
  case noURL = "no_url"
  /// The page held no documents.
  case emptyPage = "empty_page"
  /// The page held fewer documents than asked for, where the protocol says that this is the end.
  case shortPage = "short_page"
  /// The other side said that nothing more follows.
  case noMore = "no_more"
  /// The number of documents the other side named is reached.
  case totalReached = "total_reached"
  /// There is only one page.
  case single
  /// A page brought nothing new, and the configuration says that this is the end. It proves nothing.
  case noNewKeys = "no_new_keys"

  /// Whether the sign proves that everything was listed.
  public var isProof: Bool { self != .noNewKeys }
}

/// What follows a page.
public enum PagingStep: Sendable, Equatable {
  /// The page at this position.
  case next(PagePosition)
  /// Nothing.
  case end(EndSign)
}
