import SluiceCore

/// One sink of a running job: what reaches it, what it has already, what it confirms.
///
/// An actor, so that several sinks of a job take a page side by side while each takes its own in order.
actor SinkLane {
  /// How documents reach the sink.
  enum Route {
    /// Into a stage that is swapped in at the end.
    case staged(any Publishing)
    /// As changes, compared with a ledger that the state store keeps.
    case compared(any Ledger, SinkIdentity)
    /// As changes, compared with a ledger that the sink keeps and commits with its data.
    case transactional(any Ledger, SinkIdentity)
    /// As they come.
    case direct
  }

  /// What came of one delivery.
  struct Outcome: Sendable {
    var receipt: Receipt
    /// What a ledger of the state store learns.
    var ledger: LedgerPage?
    /// Documents put into a stage: they are written when the stage is swapped in.
    var staged = 0
    var writes = 0
    var deletes = 0
    var unchanged = 0
  }

  nonisolated let name: String
  private let sink: any Writable
  private let route: Route
  private let generation: UInt64
  private var sequence: UInt64
  /// Whether the ledger's fingerprints speak of the present transforms and encoding.
  private let trustsFingerprints: Bool
  private let acceptsRejections: Bool
  private let timestampDigits: Int
  private let deletes: DeleteStyle
  /// The time that a delete is marked with.
  private let now: @Sendable () -> Timestamp
  /// What a sink that is adopted holds: equal documents become known, and nothing is written.
  private let held: HeldContent?

  init(
    name: String, sink: any Writable, route: Route, generation: UInt64, sequence: UInt64, trustsFingerprints: Bool,
    acceptsRejections: Bool, timestampDigits: Int, deletes: DeleteStyle, now: @escaping @Sendable () -> Timestamp,
    held: HeldContent? = nil
  ) {
    self.held = held

    self.name = name
    self.sink = sink
    self.route = route
    self.generation = generation
    self.sequence = sequence
    self.trustsFingerprints = trustsFingerprints
    self.acceptsRejections = acceptsRejections
    self.timestampDigits = timestampDigits
    self.deletes = deletes
    self.now = now
  }

  /// Brings one page to the sink. `rejected` are the places of documents that a transform could not take: their keys
  /// count as seen, so that they are never deleted. `saved` is the checkpoint as it will be once all is confirmed.
  func deliver(_ batch: Batch, rejected: Set<Int>, saved: Checkpoint) async throws -> Outcome {
    switch route {
    case .staged:
      let receipt = try await apply(batch, progress: nil)
      return Outcome(receipt: receipt, staged: batch.count(of: .upsert) - receipt.rejections.count)
    case .direct:
      let receipt = try await apply(batch, progress: nil)
      return Outcome(receipt: receipt, writes: batch.count(of: .upsert) - receipt.rejections.count)
    case .compared(let ledger, let identity):
      var page = try await compare(batch, rejected: rejected, ledger: ledger, identity: identity)
      if page.changesSink { try await ledger.markPending(page.ledgerPage) }
      let receipt = try await apply(page.batch, progress: nil)
      page.leaveOut(receipt.rejections)
      return page.outcome(receipt, ledger: page.ledgerPage)
    case .transactional(let ledger, let identity):
      var page = try await compare(batch, rejected: rejected, ledger: ledger, identity: identity)
      var saved = saved
      page.count(in: &saved.counters)
      let receipt = try await apply(page.batch, progress: SinkProgress(checkpoint: saved, ledger: page.ledgerPage))
      page.leaveOut(receipt.rejections)
      return page.outcome(receipt, ledger: nil)
    }
  }

  /// Deletes keys that a complete listing did not bring. Takes the proof: nothing else removes by absence.
  func delete(_ rows: [LedgerRow], by listing: CompleteListing, saved: Checkpoint) async throws -> Outcome {
    var builder = BatchBuilder()
    for row in rows { builder.delete(key: row.key, version: row.entry.version) }
    let batch = try builder.finish()
    let tombstones = rows.map { row in
      LedgerEntry(version: row.entry.version, fingerprint: row.entry.fingerprint, status: .tombstone)
    }
    let page = ledgerIdentity.map { identity in
      LedgerPage(
        sink: name, identity: identity, batch: batch, updates: tombstones,
        seen: Array(repeating: false, count: rows.count), generation: listing.generation)
    }
    let isTransactional = if case .transactional = route { true } else { false }
    if !isTransactional, let page, let ledger { try await ledger.markPending(page) }
    var saved = saved
    saved.counters.deletes += rows.count
    let receipt = try await apply(
      batch, progress: isTransactional ? SinkProgress(checkpoint: saved, ledger: page) : nil)
    return Outcome(receipt: receipt, ledger: isTransactional ? nil : page, deletes: rows.count)
  }

  /// The ledger, where the sink has one.
  var ledger: (any Ledger)? {
    switch route {
    case .compared(let ledger, _), .transactional(let ledger, _): ledger
    case .staged, .direct: nil
    }
  }

  private var ledgerIdentity: SinkIdentity? {
    switch route {
    case .compared(_, let identity), .transactional(_, let identity): identity
    case .staged, .direct: nil
    }
  }

  private func apply(_ batch: Batch, progress: SinkProgress?) async throws -> Receipt {
    let delivery = Delivery(
      batch: batch, sequence: sequence + 1, generation: generation, progress: progress,
      acceptsRejections: acceptsRejections, deletedAt: deletes == .soft ? now() : nil)
    let receipt = try await sink.apply(delivery)
    sequence += 1
    return receipt
  }

  private func compare(
    _ batch: Batch, rejected: Set<Int>, ledger: any Ledger, identity: SinkIdentity
  ) async throws -> ComparedPage {
    let known = try await ledger.entries(for: batch)
    let adopted = try await held?.matches(in: batch)
    return ComparedPage(
      batch, known: known, rejected: rejected, sink: name, identity: identity, generation: generation,
      trustsFingerprints: trustsFingerprints, timestampDigits: timestampDigits, ignoresDeletes: deletes == .ignore,
      adopting: adopted)
  }
}
