import SluiceCore

/// Writes what a ledger learns from a page, within an open transaction.
struct LedgerWriter {
  private let tables: LedgerTables
  private let connection: Connection
  private var state: LedgerState
  /// The status of rows that this page has already changed, for pages that name a key twice.
  private var changed: [Int64: LedgerEntry.Status] = [:]
  private let insert: Statement
  private let update: Statement
  private let select: Statement

  init(_ tables: LedgerTables, state: LedgerState, on connection: Connection) throws {
    self.tables = tables
    self.connection = connection
    self.state = state
    insert = try connection.statement(
      """
      INSERT INTO \(tables.rows)
        (key, version, version_ns, fingerprint_high, fingerprint_low, status, deleted_in) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO NOTHING
      """)
    update = try connection.statement(
      """
      UPDATE \(tables.rows) SET version = ?, version_ns = ?, fingerprint_high = ?, fingerprint_low = ?, status = ?,
        deleted_in = ? WHERE id = ?
      """)
    select = try connection.statement("SELECT id, status FROM \(tables.rows) WHERE key = ?")
  }

  /// Takes a page in: its updates and its seen marks.
  mutating func apply(_ page: LedgerPage, _ lookup: LedgerLookup) throws {
    var marks = SeenMarks(tables, generation: page.generation)
    for index in page.batch.indices {
      var id = lookup.found[index]?.id
      if let entry = page.updates[index] {
        id = try write(entry, at: index, of: page, known: lookup.found[index])
      } else if page.seen[index], id == nil {
        id = try find(index, in: page.batch)?.id
      }
      if page.seen[index], let id { try marks.insert(id, on: connection) }
    }
    try marks.save(on: connection)
    try finish()
  }

  /// Notes the intention to write. What is there until the write is confirmed is not known: a pending row has no
  /// version, so that neither a late document nor a delete is held back by it.
  mutating func markPending(_ page: LedgerPage, _ lookup: inout LedgerLookup) throws {
    for index in page.batch.indices {
      guard var entry = page.updates[index] else { continue }
      entry.version = .none
      entry.status = .pending
      if lookup.found[index]?.entry.status == .pending { continue }
      let id = try write(entry, at: index, of: page, known: lookup.found[index])
      lookup.found[index] = LedgerLookup.Found(id: id, entry: entry)
    }
    lookup.revision = state.revision + 1
    try finish()
  }

  private mutating func finish() throws {
    state.revision += 1
    try tables.save(state, on: connection)
  }

  private mutating func write(
    _ entry: LedgerEntry, at index: Int, of page: LedgerPage, known: LedgerLookup.Found?
  ) throws -> Int64 {
    let deletedIn = entry.status == .tombstone ? Int64(bitPattern: page.generation) : nil
    if known == nil, try insertRow(entry, deletedIn, at: index, of: page.batch) {
      let id = connection.lastInsertedID
      note(entry.status, id, before: nil)
      return id
    }
    guard let row = try known.map({ ($0.id, $0.entry.status) }) ?? find(index, in: page.batch) else {
      throw SluiceError(.internal, "a ledger's row is neither there nor can it be made")
    }
    try entry.bind(to: update, from: 1)
    try update.bind(6, deletedIn)
    try update.bind(7, row.0)
    try update.run()
    guard connection.changes == 1 else { throw SluiceError(.internal, "a ledger's row is gone in its own transaction") }
    note(entry.status, row.0, before: row.1)
    return row.0
  }

  private func insertRow(_ entry: LedgerEntry, _ deletedIn: Int64?, at index: Int, of batch: Batch) throws -> Bool {
    try batch.withKeyBytes(at: index) { (key) throws -> Void in
      try key.withUnsafeBufferPointer { bytes in
        try insert.lend(1, blob: bytes)
        try entry.bind(to: insert, from: 2)
        try insert.bind(7, deletedIn)
        try insert.run()
      }
    }
    return connection.changes == 1
  }

  private func find(_ index: Int, in batch: Batch) throws -> (id: Int64, status: LedgerEntry.Status)? {
    try batch.withKeyBytes(at: index) { (key) throws -> (Int64, LedgerEntry.Status)? in
      try key.withUnsafeBufferPointer { bytes in
        defer { select.reset() }
        try select.lend(1, blob: bytes)
        guard try select.step() else { return nil }
        return (select.int(0), LedgerEntry.Status(rawValue: UInt8(clamping: select.int(1))) ?? .pending)
      }
    }
  }

  /// Keeps the count of live keys.
  private mutating func note(_ status: LedgerEntry.Status, _ id: Int64, before: LedgerEntry.Status?) {
    let before = changed.updateValue(status, forKey: id) ?? before
    if before == .live { state.live -= 1 }
    if status == .live { state.live += 1 }
  }
}
