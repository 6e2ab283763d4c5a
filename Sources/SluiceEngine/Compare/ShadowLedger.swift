import SluiceCore

/// A sink's ledger during a plan: tells what is known, notes what would be done, and changes nothing.
actor ShadowLedger: Ledger {
  /// The real one; nil where nothing is known.
  private let base: (any Ledger)?
  /// Keys that the listing has brought, but for those that a transform left out.
  private let seen = KeySet()
  /// What is known of the batch that was asked for last.
  private var known: [LedgerEntry?] = []
  private(set) var tally: PlanTally

  init(base: (any Ledger)?, keys: Int) {
    self.base = base
    tally = PlanTally(limit: keys)
  }

  func entries(for batch: Batch) async throws -> [LedgerEntry?] {
    known = try await base?.entries(for: batch) ?? Array(repeating: nil, count: batch.count)
    return known
  }

  /// What is about to be written or deleted. A key that came before was counted then.
  func markPending(_ page: LedgerPage) async throws {
    guard page.updates.count == known.count else { return }
    for index in page.batch.indices {
      guard let update = page.updates[index], !seen.contains(page.batch.keyHash(at: index)) else { continue }
      let isThere = known[index].map { $0.status != .tombstone } ?? false
      let key = page.batch.key(at: index)
      switch (update.status, isThere) {
      case (.tombstone, _): tally.deletes.add(key)
      case (_, true): tally.updates.add(key)
      case (_, false): tally.adds.add(key)
      }
    }
  }

  /// Takes what a page would have taught.
  func learn(_ page: LedgerPage) {
    seen.insert(page.batch.indices.filter { page.seen[$0] }.map { page.batch.keyHash(at: $0) })
  }

  /// Keys that a complete listing did not bring, and that would be deleted.
  func countAbsent(_ rows: [LedgerRow]) { for row in rows { tally.deletes.add(row.key) } }

  func unseen(generation: UInt64, after key: Key?, limit: Int) async throws -> [LedgerRow] {
    guard let base else { return [] }
    var last = key
    while true {
      let rows = try await base.unseen(generation: generation, after: last, limit: limit)
      guard let end = rows.last?.key else { return [] }
      last = end
      let absent = rows.filter { row in !seen.contains(row.key.withBytes { Fingerprint(of: $0).high }) }
      if !absent.isEmpty { return absent }
    }
  }

  func liveCount() async throws -> Int { try await base?.liveCount() ?? 0 }
}

/// What a run would do to one sink, with some of the keys.
struct PlanTally: Sendable {
  /// A number of documents, and the first few keys.
  struct Part: Sendable {
    fileprivate(set) var count = 0
    fileprivate(set) var keys: [Key] = []
    fileprivate let limit: Int

    mutating func add(_ key: Key) {
      count += 1
      if keys.count < limit { keys.append(key) }
    }
  }

  var adds: Part
  var updates: Part
  var deletes: Part

  init(limit: Int) {
    adds = Part(limit: limit)
    updates = Part(limit: limit)
    deletes = Part(limit: limit)
  }
}
