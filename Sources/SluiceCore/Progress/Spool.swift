/// A page that waits in the state store for sinks that lag behind.
///
/// It is kept once, after its transforms, for all sinks that have not confirmed it: a sink reads on after the last
/// page that it confirmed. Saved in the commit of the checkpoint that moves past the page, so that no checkpoint is
/// ahead of what the sinks confirmed and the spool holds.
public struct SpooledPage: Sendable {
  /// The generation of the listing.
  public var generation: UInt64
  /// The number of the page in its listing, from 1.
  public var sequence: UInt64
  /// The page after the transforms, with its deletes and with the keys of what was left out. A store gives it back with
  /// the same entries in the same order; of a left-out entry only key and version count.
  public var batch: Batch
  /// The places of documents that a transform could not take.
  public var rejected: Set<Int>

  /// A page that waits.
  public init(generation: UInt64, sequence: UInt64, batch: Batch, rejected: Set<Int> = []) {
    self.generation = generation
    self.sequence = sequence
    self.batch = batch
    self.rejected = rejected
  }
}

extension Checkpoint {
  /// How many pages of the listing wait for the sink in the spool.
  public func pagesWaiting(for sink: String) -> Int { sinks[sink]?.waiting ?? 0 }

  /// The last page of the listing that the sink has confirmed.
  package func lastPage(confirmedBy sink: String) -> UInt64 { UInt64(max(0, listing.pages - pagesWaiting(for: sink))) }

  /// The last page that every sink has confirmed: up to here nothing has to wait any more.
  package var lastPageConfirmedByAll: UInt64 { sinks.keys.map { lastPage(confirmedBy: $0) }.min() ?? 0 }
}
