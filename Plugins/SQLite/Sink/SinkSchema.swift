import SluiceCore

/// What the sink keeps beside the user's tables, in tables whose names begin with `_sluice_`.
enum SinkSchema {
  /// The form of these tables.
  static let format: Int64 = 1

  /// Whether the tables are there. Throws `invalid_state` where they are of a newer version.
  static func isPresent(on connection: Connection) throws -> Bool {
    let isThere = try connection.first("SELECT 1 FROM main.sqlite_schema WHERE name = '_sluice_format'") { _ in } != nil
    guard isThere else { return false }
    let found = try connection.first("SELECT format FROM _sluice_format") { $0.int(0) } ?? 0
    if found != format {
      throw SluiceError(
        .invalidState, "the tables of Sluice in the database have format \(found), and this version knows \(format)",
        at: Place(file: connection.path), hint: "it was left as it is; run the newer version of Sluice that wrote it")
    }
    return true
  }

  /// Makes the tables where they are not there.
  static func create(on connection: Connection) throws {
    if try isPresent(on: connection) { return }
    try connection.execute(
      """
      CREATE TABLE _sluice_format (format INTEGER NOT NULL);
      INSERT INTO _sluice_format VALUES (\(format));
      CREATE TABLE _sluice_tables (name TEXT NOT NULL PRIMARY KEY, identity TEXT NOT NULL);
      CREATE TABLE _sluice_checkpoints (
        job TEXT NOT NULL, target TEXT NOT NULL, checkpoint TEXT NOT NULL, PRIMARY KEY (job, target));
      CREATE TABLE _sluice_publications (
        target TEXT NOT NULL PRIMARY KEY, generation INTEGER NOT NULL, length INTEGER NOT NULL, digest TEXT NOT NULL,
        documents INTEGER NOT NULL, witness TEXT NOT NULL, rows_digest TEXT NOT NULL)
      """)
    try LedgerSchema.sink.create(on: connection)
  }

  /// 128 random bits.
  static func randomWord() -> String {
    Fingerprint(high: .random(in: .min ... .max), low: .random(in: .min ... .max)).description
  }
}

/// The identity of a table: a random word beside it.
///
/// It changes where rows are gone that a ledger knows to be live. The sink's own deletes go through the ledger, in one
/// transaction: a table with fewer rows than that was dropped, emptied or cut by somebody else.
struct TableIdentity {
  let table: DocumentTable
  let connection: Connection

  /// The identity, if there is one and it still tells the truth.
  func current() throws -> String? {
    guard let identity = try noted(), try table.exists(on: connection) else { return nil }
    let known = try LedgerSchema.sink.mostLive(target: table.name.text, identity: identity, on: connection)
    if known == 0 { return identity }
    return try table.count(on: connection) >= known ? identity : nil
  }

  private func noted() throws -> String? {
    guard try SinkSchema.isPresent(on: connection) else { return nil }
    return try connection.first("SELECT identity FROM _sluice_tables WHERE name = ?", .text(table.name.text)) {
      $0.text(0)
    }
  }

  /// The identity; a new one, and the table too, where there is none.
  func make() throws -> String {
    if let identity = try current() { return identity }
    if try !table.exists(on: connection) { try table.create(on: connection) }
    try forget()
    let identity = SinkSchema.randomWord()
    try connection.run(
      "INSERT INTO _sluice_tables (name, identity) VALUES (?, ?)", .text(table.name.text), .text(identity))
    return identity
  }

  /// Forgets the identity, and the checkpoints that were true only of it.
  func forget() throws {
    try connection.run("DELETE FROM _sluice_tables WHERE name = ?", .text(table.name.text))
    try connection.run("DELETE FROM _sluice_checkpoints WHERE target = ?", .text(table.name.text))
  }
}
