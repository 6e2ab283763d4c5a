import SluiceCore

/// A page beside what a ledger knows of its keys: only what differs goes to the sink.
struct ComparedPage {
  /// The page with what the sink has already left out.
  let batch: Batch
  private(set) var ledgerPage: LedgerPage
  private var writes = 0
  private var deletes = 0
  private var unchanged = 0

  init(
    _ page: Batch, known: [LedgerEntry?], rejected: Set<Int>, sink: String, identity: SinkIdentity, generation: UInt64,
    trustsFingerprints: Bool, timestampDigits: Int = 9, ignoresDeletes: Bool = false, adopting adopted: Set<Int>? = nil
  ) {
    var updates = [LedgerEntry?](repeating: nil, count: page.count)
    var seen = [Bool](repeating: false, count: page.count)
    var counts = (writes: 0, deletes: 0, unchanged: 0)
    batch = page.resolving { index, kind in
      let header = page.header(at: index)
      if let adopted, kind != .dropped {
        guard adopted.contains(index) else { return .dropped }
        seen[index] = true
        counts.unchanged += 1
        updates[index] = LedgerEntry(
          version: header.version, fingerprint: page.fingerprint(at: index, timestampDigits: timestampDigits),
          status: .live)
        return .dropped
      }
      switch kind {
      case .dropped:
        // A document that a transform left out is absent from what is mirrored; one that it rejected is not.
        seen[index] = rejected.contains(index)
        return .dropped
      case .upsert where header.isMissing:
        return .dropped
      case .upsert:
        seen[index] = true
        if let entry = known[index], header.version.isOlder(than: entry.version) { return .dropped }
        let fingerprint = page.fingerprint(at: index, timestampDigits: timestampDigits)
        if trustsFingerprints, let entry = known[index], entry.status == .live, entry.fingerprint == fingerprint {
          counts.unchanged += 1
          return .dropped
        }
        counts.writes += 1
        updates[index] = LedgerEntry(version: header.version, fingerprint: fingerprint, status: .live)
        return .upsert
      case .delete where ignoresDeletes: return .dropped
      case .delete:
        if let entry = known[index], header.version.isOlder(than: entry.version) { return .dropped }
        guard let entry = known[index], entry.status != .tombstone else { return .dropped }
        counts.deletes += 1
        updates[index] = LedgerEntry(version: header.version, fingerprint: entry.fingerprint, status: .tombstone)
        return .delete
      }
    }
    writes = counts.writes
    deletes = counts.deletes
    unchanged = counts.unchanged
    ledgerPage = LedgerPage(
      sink: sink, identity: identity, batch: page, updates: updates, seen: seen, generation: generation)
  }

  /// Whether the sink is to be changed. Until that is confirmed, what the ledger knows of those keys is not sure: if the
  /// run dies in between and the source then shows the old content again, it must not count as unchanged.
  var changesSink: Bool { writes + deletes > 0 }

  /// Adds what will have been done, once it is confirmed, to the counters of a checkpoint.
  func count(in counters: inout Checkpoint.Counters) {
    counters.writes += writes
    counters.deletes += deletes
    counters.unchanged += unchanged
  }

  /// Takes back what the ledger was to learn of documents that the sink rejected. They stay seen.
  mutating func leaveOut(_ rejections: [Rejection]) {
    guard !rejections.isEmpty else { return }
    let keys = Set(rejections.map(\.key))
    for index in 0..<batch.count where batch.kind(at: index) != .dropped && keys.contains(batch.key(at: index)) {
      ledgerPage.updates[index] = nil
      writes -= 1
    }
  }

  func outcome(_ receipt: Receipt, ledger: LedgerPage?) -> SinkLane.Outcome {
    SinkLane.Outcome(receipt: receipt, ledger: ledger, writes: writes, deletes: deletes, unchanged: unchanged)
  }
}
