/// What one job knows to have written into one sink: key, version, fingerprint. Valid only for the sink's identity.
///
/// By it a second run writes nothing, `mirror` deletes only what this job once wrote, and a listing becomes changes.
/// Used by one task at a time.
public protocol Ledger: Sendable {
  /// What is known of each entry of the batch, aligned with it; nil: nothing.
  func entries(for batch: Batch) async throws -> [LedgerEntry?]

  /// Notes the intention to write or delete the keys that the page updates, before the sink is asked to: after a crash
  /// it is known that what they hold is not known. A pending key has no version. Durable when it returns. Not called
  /// for transactional sinks.
  func markPending(_ page: LedgerPage) async throws

  /// Live or pending keys that `generation` has not seen, after `key` in the ledger's own order, at most `limit`.
  func unseen(generation: UInt64, after key: Key?, limit: Int) async throws -> [LedgerRow]

  /// The number of live keys.
  func liveCount() async throws -> Int
}

/// What a ledger knows of one key.
public struct LedgerEntry: Sendable, Hashable {
  /// How sure the ledger is.
  public enum Status: UInt8, Sendable, Hashable {
    /// A write was begun, perhaps it arrived.
    case pending = 0
    /// It is in the sink.
    case live = 1
    /// It was deleted; kept so that a late upsert of an older version does not revive it.
    case tombstone = 2
  }

  /// The version written or deleted.
  public var version: Version
  /// The fingerprint of what was written, after transforms and at the sink's precision.
  public var fingerprint: Fingerprint
  /// How sure the ledger is.
  public var status: Status

  /// What a ledger knows of one key.
  public init(version: Version, fingerprint: Fingerprint, status: Status) {
    self.version = version
    self.fingerprint = fingerprint
    self.status = status
  }
}

/// A key with what the ledger knows of it.
public struct LedgerRow: Sendable, Hashable {
  /// The key.
  public var key: Key
  /// What is known.
  public var entry: LedgerEntry

  /// A key with what the ledger knows of it.
  public init(_ key: Key, _ entry: LedgerEntry) {
    self.key = key
    self.entry = entry
  }
}

/// What a ledger learns from one page.
public struct LedgerPage: Sendable {
  /// The sink the ledger belongs to, by its name in the job.
  public var sink: String
  /// The sink's identity the ledger is bound to.
  public var identity: SinkIdentity
  /// The page; the other lists are aligned with it.
  public var batch: Batch
  /// The new entry for each key; nil: it stays as it is.
  public var updates: [LedgerEntry?]
  /// Which keys this generation has now seen.
  public var seen: [Bool]
  /// The generation.
  public var generation: UInt64

  /// What a ledger learns from one page.
  public init(
    sink: String, identity: SinkIdentity, batch: Batch, updates: [LedgerEntry?], seen: [Bool], generation: UInt64
  ) {
    self.sink = sink
    self.identity = identity
    self.batch = batch
    self.updates = updates
    self.seen = seen
    self.generation = generation
  }
}
