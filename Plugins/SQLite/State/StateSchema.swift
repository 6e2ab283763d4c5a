import SluiceCore

/// The tables of the state database, and how older ones become them.
///
/// `PRAGMA user_version` is the number of steps that a database has been through. A step is never changed once it was
/// released: another is added, with a golden file of the form before.
enum StateSchema {
  /// Makes form n + 1 out of form n.
  private static let steps: [@Sendable (Connection) throws -> Void] = [makeFirst, keepPagesByJob, keepRuns]

  /// The form of this version.
  static var version: Int { steps.count }

  /// Makes all tables in an empty database.
  static func create(_ connection: Connection) throws {
    try connection.execute("PRAGMA application_id = \(StateFile.applicationID)")
    try connection.execute("BEGIN IMMEDIATE")
    try advance(connection, from: 0)
    try connection.execute("COMMIT")
  }

  /// Brings an older database to the form of this version.
  static func migrate(_ connection: Connection) throws {
    guard try form(of: connection) != version else { return }
    do {
      try connection.execute("BEGIN IMMEDIATE")
      // Read again: another process may have done it meanwhile.
      try advance(connection, from: try form(of: connection))
      try connection.execute("COMMIT")
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Throws where a database is of a form that this version does not know.
  static func check(version found: Int, path: String) throws {
    guard found > version || found < 1 else { return }
    throw SluiceError(
      .invalidState,
      found < 1
        ? "the state database was never completed"
        : "the state database has format \(found), and this version knows up to \(version)",
      at: Place(file: path),
      hint: found < 1
        ? "it was left as it is; move it away to begin anew"
        : "it was left as it is; run the newer version of Sluice that wrote it")
  }

  private static func form(of connection: Connection) throws -> Int {
    let found = Int(try connection.first("PRAGMA user_version") { $0.int(0) } ?? 0)
    if found > version { try check(version: found, path: connection.path) }
    return found
  }

  private static func advance(_ connection: Connection, from form: Int) throws {
    for step in steps[form...] { try step(connection) }
    try connection.execute("PRAGMA user_version = \(version)")
  }

  private static func makeFirst(_ connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE jobs (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, checkpoint TEXT NOT NULL);
      CREATE TABLE pages (
        id INTEGER PRIMARY KEY, job INTEGER NOT NULL, generation INTEGER NOT NULL, request BLOB NOT NULL,
        keys BLOB NOT NULL);
      CREATE INDEX pages_of_job ON pages (job, generation);
      CREATE TABLE spending (
        account TEXT NOT NULL, day INTEGER NOT NULL, reads INTEGER NOT NULL, writes INTEGER NOT NULL,
        deletes INTEGER NOT NULL, requests INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (account, day)
      ) WITHOUT ROWID
      """)
    try LedgerSchema.state.create(on: connection)
  }

  /// The pages of a job lie together by their ids and need no index; of a key's 16 bytes the first eight are kept.
  private static func keepPagesByJob(_ connection: Connection) throws {
    try connection.execute(
      """
      DROP INDEX pages_of_job;
      ALTER TABLE pages RENAME TO earlier_pages;
      CREATE TABLE pages (
        id INTEGER PRIMARY KEY, generation INTEGER NOT NULL, request BLOB NOT NULL, keys BLOB NOT NULL)
      """)
    let rows = try connection.statement("SELECT job, generation, request, keys FROM earlier_pages ORDER BY id")
    while try rows.step() {
      guard let request = Fingerprint(bytes: rows.blob(2)) else { throw damaged(connection) }
      let keys = rows.blob(3)
      let record = PageRecord(
        generation: UInt64(bitPattern: rows.int(1)), request: request,
        keys: stride(from: 0, to: keys.count - 15, by: 16).compactMap { Fingerprint(bytes: keys[$0..<$0 + 16]) })
      try SavedPages(ofJob: rows.int(0)).add(record, isListed: false, on: connection)
    }
    rows.reset()
    try connection.execute("DROP TABLE earlier_pages")
  }

  /// The last runs of each job, as JSON.
  private static func keepRuns(_ connection: Connection) throws {
    try connection.execute(
      "CREATE TABLE runs (job TEXT NOT NULL, number INTEGER NOT NULL, run TEXT NOT NULL, PRIMARY KEY (job, number))")
  }

  private static func damaged(_ connection: Connection) -> SluiceError {
    SluiceError(
      .invalidState, "a page of a listing is damaged", at: Place(file: connection.path),
      hint: "it was left as it is; restore the state from a copy, or move it away to begin anew")
  }
}
