/// All that a job needs to go on after a crash, saved as one.
///
/// A checkpoint is a value; saving it is the state store's. It moves past a page only by `confirmPage`, which takes the
/// receipts of the sinks, and the page itself where one of them lags: it is saved with the checkpoint.
public struct Checkpoint: Sendable, Equatable {
  /// What the job is doing.
  public enum Phase: Sendable, Equatable {
    /// Listing. `watchFrom` is the feed's position of before page 1, where the job watches.
    case snapshot(watchFrom: WatchPosition?)
    /// The listing is complete, and so is all that followed from it.
    case finished
    /// Following the feed.
    case watching(after: WatchPosition)
  }

  /// Counts since the listing began, over all its resumes.
  public struct Counters: Sendable, Hashable {
    /// Pages confirmed.
    public var pages = 0
    /// Documents that came in.
    public var documents = 0
    /// Documents that transforms left out.
    public var dropped = 0
    /// Reads billed by the source.
    public var reads = 0
    /// Bytes of answers.
    public var bytes = 0
    /// Documents written, added over the sinks.
    public var writes = 0
    /// Documents deleted, added over the sinks.
    public var deletes = 0
    /// Documents that a sink had already, added over the sinks.
    public var unchanged = 0
    /// Documents left out because of their content.
    public var rejects = 0
    /// Steps tried again.
    public var retries = 0
    /// Keys that came again on a later page.
    public var repeats = 0

    /// Nothing counted.
    public init() {}
  }

  /// Where one sink stands.
  public struct SinkCursor: Sendable, Equatable {
    /// The identity the ledger is bound to.
    public var identity: SinkIdentity?
    /// The number of the last confirmed delivery of this generation.
    public fileprivate(set) var sequence: UInt64
    /// Pages of the listing that it has not confirmed, and that wait for it in the state store.
    public fileprivate(set) var waiting: Int
    /// How far the stage reaches, for a sink that stages.
    public var stage: StageMark?
    /// What was published last, in this or an earlier generation.
    public var publication: Publication?
    /// The digest of the settings (transforms, encoding) that shaped what a finished listing wrote. Another one: what the
    /// ledger knows is not trusted, and everything is written again.
    public var shape: Fingerprint?
    /// The shape of what the present listing writes. Another one at a resume: the listing begins anew.
    public var listingShape: Fingerprint?
    /// Documents the sink held when the listing began, where it has a ledger: what `max_delete` is a share of.
    public var heldBefore: Int?

    /// A sink that was given nothing yet.
    public init(
      identity: SinkIdentity? = nil, sequence: UInt64 = 0, stage: StageMark? = nil, publication: Publication? = nil,
      shape: Fingerprint? = nil, listingShape: Fingerprint? = nil, heldBefore: Int? = nil, waiting: Int = 0
    ) {
      self.identity = identity
      self.sequence = sequence
      self.stage = stage
      self.publication = publication
      self.shape = shape
      self.listingShape = listingShape
      self.heldBefore = heldBefore
      self.waiting = waiting
    }
  }

  /// The version of the saved form.
  public static let format = 1

  /// The job's name.
  public var job: String
  /// Grows by one with each save; a save names the one it follows.
  public var revision: UInt64
  /// What is read.
  public var source: SourceIdentity
  /// The digest of the paging settings.
  public var paging: Fingerprint
  /// What the job is doing.
  public var phase: Phase
  /// The listing, also after its end.
  public var listing: Listing
  /// Where each sink stands, by its name in the job.
  public var sinks: [String: SinkCursor]
  /// Counts of the listing.
  public var counters: Counters
  /// When it was saved.
  public var savedAt: Timestamp?

  package init(
    job: String, revision: UInt64 = 0, source: SourceIdentity, paging: Fingerprint, phase: Phase, listing: Listing,
    sinks: [String: SinkCursor], counters: Counters = Counters(), savedAt: Timestamp? = nil
  ) {
    self.job = job
    self.revision = revision
    self.source = source
    self.paging = paging
    self.phase = phase
    self.listing = listing
    self.sinks = sinks
    self.counters = counters
    self.savedAt = savedAt
  }

  /// Moves past a page of the listing. Throws `internal` unless every sink has confirmed it, or it is `spooled`: then it
  /// is to be saved with this checkpoint.
  package mutating func confirmPage(
    of partition: Int, next: PagingStep, highest: Key?, isEmpty: Bool, receipts: [String: Receipt],
    spooled: SpooledPage? = nil
  ) throws {
    let isSpooled = spooled.map { $0.generation == listing.generation && $0.sequence == UInt64(listing.pages) + 1 }
    for name in sinks.keys {
      if let receipt = receipts[name] {
        try advance(name, by: receipt)
      } else if isSpooled == true {
        sinks[name]?.waiting += 1
      } else {
        throw SluiceError(.internal, "sink \(name) has not confirmed the page")
      }
    }
    listing.confirmPage(of: partition, next: next, highest: highest, isEmpty: isEmpty)
  }

  /// Moves a sink past a delivery.
  package mutating func advance(_ name: String, by receipt: Receipt) throws {
    guard var cursor = sinks[name], receipt.generation == listing.generation, receipt.sequence == cursor.sequence + 1
    else { throw SluiceError(.internal, "sink \(name) confirmed another delivery than its next") }
    cursor.sequence = receipt.sequence
    if let stage = receipt.stage { cursor.stage = stage }
    sinks[name] = cursor
    counters.rejects += receipt.rejections.count
    counters.retries += receipt.retries
  }

  /// Moves a sink past the first page that waits for it.
  package mutating func advancePastWaiting(_ name: String, by receipt: Receipt) throws {
    guard pagesWaiting(for: name) > 0 else { throw SluiceError(.internal, "no page waits for sink \(name)") }
    try advance(name, by: receipt)
    sinks[name]?.waiting -= 1
  }

  /// The checkpoint as it will be once a sink has confirmed the first page that waits for it.
  package func assumingConfirmedWaiting(by name: String) -> Checkpoint {
    var next = assumingConfirmed(nil, by: [name])
    next.sinks[name]?.waiting -= 1
    return next
  }

  /// The checkpoint as it will be once every sink, or every one of `names`, has confirmed its next delivery without a
  /// rejection: what a transactional sink commits together with the data.
  package func assumingConfirmed(
    _ page: (partition: Int, next: PagingStep, highest: Key?, isEmpty: Bool)?, by names: [String]? = nil
  ) -> Checkpoint {
    var next = self
    next.revision += 1
    for name in names ?? Array(next.sinks.keys) { next.sinks[name]?.sequence += 1 }
    if let page {
      next.listing.confirmPage(of: page.partition, next: page.next, highest: page.highest, isEmpty: page.isEmpty)
    }
    return next
  }

  /// Begins another listing. What the sinks have published stays known; what they were given counts anew.
  package mutating func begin(_ listing: Listing, phase: Phase) {
    self.listing = listing
    self.phase = phase
    counters = Counters()
    for name in sinks.keys {
      sinks[name]?.sequence = 0
      sinks[name]?.waiting = 0
      sinks[name]?.stage = nil
    }
  }
}
