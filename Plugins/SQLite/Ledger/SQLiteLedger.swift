import SluiceCore
import Synchronization

/// A ledger in a SQLite database: that of the state store, or that of the sink itself.
final class SQLiteLedger: Ledger {
  private let database: Database
  private let tables: LedgerTables
  /// What was looked up last: the page that is written next is that page, so its keys need no second look.
  private let lookup = Mutex<LedgerLookup?>(nil)

  init(_ tables: LedgerTables, in database: Database) {
    self.tables = tables
    self.database = database
  }

  func entries(for batch: Batch) async throws -> [LedgerEntry?] {
    let tables = tables
    let found = try await database.read { connection in
      let revision = try tables.state(on: connection).revision
      return try LedgerLookup(batch, in: tables, revision: revision, on: connection)
    }
    lookup.withLock { $0 = found }
    return found.found.map { $0?.entry }
  }

  func markPending(_ page: LedgerPage) async throws {
    let marked = try await database.write { connection in
      let (state, found) = try self.current(page, on: connection)
      var lookup = found
      var writer = try LedgerWriter(self.tables, state: state, on: connection)
      try writer.markPending(page, &lookup)
      return lookup
    }.value
    lookup.withLock { $0 = marked }
  }

  /// Takes a page in, within an open transaction of the ledger's own database.
  func apply(_ page: LedgerPage, on connection: Connection) throws {
    try tables.begin(page.generation, on: connection)
    let (state, found) = try current(page, on: connection)
    var writer = try LedgerWriter(tables, state: state, on: connection)
    try writer.apply(page, found)
  }

  /// The register's row, and what is known of the page's keys.
  private func current(_ page: LedgerPage, on connection: Connection) throws -> (LedgerState, LedgerLookup) {
    let state = try tables.state(on: connection)
    guard state.identity.hasSameBytes(as: page.identity.text) else {
      throw SluiceError(
        .stateConflict, "the ledger of sink \(page.sink) is bound to another store by now",
        at: Place(file: connection.path))
    }
    if let found = lookup.withLock({ $0 }), found.isValid(for: page.batch, at: state.revision) {
      return (state, found)
    }
    return (state, try LedgerLookup(page.batch, in: tables, revision: state.revision, on: connection))
  }

  func unseen(generation: UInt64, after key: Key?, limit: Int) async throws -> [LedgerRow] {
    let tables = tables
    return try await database.read { connection in
      var marks = SeenMarks(tables, generation: generation)
      try marks.loadAll(on: connection)
      return try Self.unseen(tables, marks, after: key, limit: limit, on: connection)
    }
  }

  /// Walks the index of keys, which has the ids too, and reads only the rows that no mark stands for.
  private static func unseen(
    _ tables: LedgerTables, _ marks: SeenMarks, after key: Key?, limit: Int, on connection: Connection
  ) throws -> [LedgerRow] {
    // Bytes, not segments: the ledger's own order.
    let keys = try connection.statement("SELECT id, key FROM \(tables.rows) WHERE key > ? ORDER BY key")
    if let key { try keys.bind([.blob(key.bytes)]) } else { try keys.bind(1, Int64.min) }
    let row = try connection.statement(
      """
      SELECT version, version_ns, fingerprint_high, fingerprint_low, status FROM \(tables.rows) WHERE id = ?
      """)
    defer {
      keys.reset()
      row.reset()
    }
    var result: [LedgerRow] = []
    while result.count < limit, try keys.step() {
      let id = keys.int(0)
      if marks.contains(id) { continue }
      row.reset()
      try row.bind(1, id)
      guard try row.step() else { continue }
      let entry = LedgerEntry(row, from: 0)
      if entry.status != .tombstone { result.append(LedgerRow(Key(unchecked: keys.blob(1)), entry)) }
    }
    return result
  }

  func liveCount() async throws -> Int {
    let tables = tables
    return try await database.read { Int(try tables.state(on: $0).live) }
  }
}
