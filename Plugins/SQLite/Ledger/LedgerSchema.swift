import SluiceCore

/// The tables of the ledgers of one database: a register, and for each ledger its rows and its seen marks.
///
/// The state store and a transactional sink share this. A sink's tables have a prefix, so that they keep out of the way
/// of the user's own.
struct LedgerSchema: Sendable, Hashable {
  /// In front of every table's name.
  let prefix: String

  /// The tables of the state store.
  static let state = LedgerSchema(prefix: "")
  /// The tables of a sink.
  static let sink = LedgerSchema(prefix: "_sluice_")

  var register: String { "\"\(prefix)ledgers\"" }

  /// Makes the register where there is none.
  func create(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(register) (
        id INTEGER PRIMARY KEY, job TEXT NOT NULL, target TEXT NOT NULL, identity TEXT NOT NULL,
        live INTEGER NOT NULL, generation INTEGER NOT NULL, revision INTEGER NOT NULL, UNIQUE (job, target))
      """)
  }

  /// The ledger of a job for a target, made where there is none. One that is bound to another identity is emptied: it
  /// speaks of a store that is no longer there.
  func open(job: String, target: String, identity: String, on connection: Connection) throws -> LedgerTables {
    let found = try connection.first(
      "SELECT id, identity FROM \(register) WHERE job = ? AND target = ?", .text(job), .text(target)
    ) { (id: $0.int(0), identity: $0.text(1)) }
    guard let found else { return try make(job, target, identity, on: connection) }
    let tables = LedgerTables(schema: self, id: found.id)
    if !found.identity.hasSameBytes(as: identity) {
      try tables.empty(on: connection)
      try connection.run(
        "UPDATE \(register) SET identity = ?, live = 0, generation = 0, revision = revision + 1 WHERE id = ?",
        .text(identity), .int(found.id))
    }
    return tables
  }

  private func make(
    _ job: String, _ target: String, _ identity: String, on connection: Connection
  ) throws -> LedgerTables {
    try connection.run(
      "INSERT INTO \(register) (job, target, identity, live, generation, revision) VALUES (?, ?, ?, 0, 0, 0)",
      .text(job), .text(target), .text(identity))
    let tables = LedgerTables(schema: self, id: connection.lastInsertedID)
    try tables.create(on: connection)
    return tables
  }

  /// Gives every ledger of a job, or its ledger for one target, to another job; nil removes them. What that job had for
  /// the same target is removed.
  func move(job: String, target: String? = nil, to other: String?, on connection: Connection) throws {
    let found = try connection.all(
      "SELECT id, target FROM \(register) WHERE job = ?1 AND (?2 IS NULL OR target = ?2)", .text(job),
      target.map { .text($0) } ?? .null
    ) { (id: $0.int(0), target: $0.text(1)) }
    for ledger in found {
      guard let other else {
        try remove(ledger.id, on: connection)
        continue
      }
      let taken = try connection.first(
        "SELECT id FROM \(register) WHERE job = ? AND target = ?", .text(other), .text(ledger.target)
      ) { $0.int(0) }
      if let taken { try remove(taken, on: connection) }
      try connection.run("UPDATE \(register) SET job = ? WHERE id = ?", .text(other), .int(ledger.id))
    }
  }

  private func remove(_ id: Int64, on connection: Connection) throws {
    let tables = LedgerTables(schema: self, id: id)
    try connection.execute("DROP TABLE IF EXISTS \(tables.rows); DROP TABLE IF EXISTS \(tables.seen)")
    try connection.run("DELETE FROM \(register) WHERE id = ?", .int(id))
  }

  /// The most live keys that any ledger of this identity knows.
  func mostLive(target: String, identity: String, on connection: Connection) throws -> Int {
    let most = try connection.first(
      "SELECT max(live) FROM \(register) WHERE target = ? AND identity = ?", .text(target), .text(identity)
    ) { $0.int(0) }
    return Int(most ?? 0)
  }
}

/// The tables of one ledger.
///
/// A row's id is its place in the bitmap of seen keys, so that marking a page as seen writes a few chunks and not every
/// row. A chunk that speaks of another generation counts as empty.
struct LedgerTables: Sendable, Hashable {
  let schema: LedgerSchema
  let id: Int64

  var rows: String { "\"\(schema.prefix)ledger_\(id)\"" }
  var seen: String { "\"\(schema.prefix)ledger_\(id)_seen\"" }
  private var tombstones: String { "\"\(schema.prefix)ledger_\(id)_tombstones\"" }

  fileprivate func create(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE \(rows) (
        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, version INTEGER, version_ns INTEGER,
        fingerprint_high INTEGER NOT NULL, fingerprint_low INTEGER NOT NULL, status INTEGER NOT NULL,
        deleted_in INTEGER);
      CREATE INDEX \(tombstones) ON \(rows) (deleted_in) WHERE deleted_in IS NOT NULL;
      CREATE TABLE \(seen) (chunk INTEGER PRIMARY KEY, generation INTEGER NOT NULL, bits BLOB NOT NULL)
      """)
  }

  fileprivate func empty(on connection: Connection) throws {
    try connection.execute("DELETE FROM \(rows); DELETE FROM \(seen)")
  }

  /// What the register says.
  func state(on connection: Connection) throws -> LedgerState {
    let state = try connection.first(
      "SELECT identity, live, generation, revision FROM \(schema.register) WHERE id = ?", .int(id)
    ) {
      LedgerState(
        identity: $0.text(0), live: $0.int(1), generation: UInt64(bitPattern: $0.int(2)), revision: $0.int(3))
    }
    guard let state else { throw SluiceError(.invalidState, "a ledger is missing", at: Place(file: connection.path)) }
    return state
  }

  /// Notes that a generation is being written; nothing where it was before. With a new one, what was deleted two
  /// generations ago goes: it no longer needs to be held back. Comes before the page's keys are looked up.
  func begin(_ generation: UInt64, on connection: Connection) throws {
    var state = try state(on: connection)
    guard generation > state.generation else { return }
    if generation > 2 {
      try connection.run("DELETE FROM \(rows) WHERE deleted_in <= ?", .int(Int64(bitPattern: generation - 2)))
    }
    state.generation = generation
    state.revision += 1
    try save(state, on: connection)
  }

  /// Writes the register's row.
  func save(_ state: LedgerState, on connection: Connection) throws {
    try connection.run(
      "UPDATE \(schema.register) SET live = ?, generation = ?, revision = ? WHERE id = ?", .int(state.live),
      .int(Int64(bitPattern: state.generation)), .int(state.revision), .int(id))
  }
}

/// A ledger's row in the register.
struct LedgerState: Sendable {
  /// What it is bound to.
  var identity: String
  /// Live keys.
  var live: Int64
  /// The newest generation that wrote here.
  var generation: UInt64
  /// Grows with every change, so that what was looked up before can be told from what is there now.
  var revision: Int64
}
