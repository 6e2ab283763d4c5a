import CSQLite
import SluiceCore

/// One connection to one database file, with its prepared statements. Used by one task at a time: a `Database` guards it.
final class Connection {
  /// How much a commit survives.
  enum Synchronous: String {
    /// Nothing is forced onto the disk: for a file that has no name yet.
    case off = "OFF"
    /// A kill of the process, not a loss of power.
    case normal = "NORMAL"
    /// Both.
    case full = "FULL"
  }

  /// The file, for messages.
  let path: String
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a file. With `creating`, one that is not there is made.
  ///
  /// - Parameter busyTimeout: how long a step blocks its thread while another connection holds the lock, in
  ///   milliseconds. Short: whoever has time waits without a thread, in `Database`.
  init(path: String, creating: Bool, synchronous: Synchronous, busyTimeout: Int32 = 20) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creating ? SQLITE_OPEN_CREATE : 0)
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard let handle else { throw SluiceError(.io, "no memory to open \(path)") }
    self.path = path
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    guard code == SQLITE_OK else { throw failure(code) }
    sqlite3_busy_timeout(handle, busyTimeout)
    // A rename must not look into views and triggers that speak of the table just dropped: see `StageSwap`.
    try execute("PRAGMA legacy_alter_table = ON; PRAGMA synchronous = \(synchronous.rawValue)")
    // Freed pages are not written again only to be zeroed, which some systems make the default: dropping a stage would
    // cost as much as filling it.
    try execute("PRAGMA cache_size = -2000; PRAGMA secure_delete = FAST")
  }

  deinit {
    for statement in statements.values { statement.finalize() }
    // Fails only while statements live, and none does.
    sqlite3_close_v2(handle)
  }

  /// Holds 16 MB of the database in memory in place of 2: for tables that are looked into all over. What is only added
  /// to, such as the pages of a job, would fill it for nothing.
  func enlargeCache() throws { try execute("PRAGMA cache_size = -16000") }

  /// Asks for the write-ahead log, so that readers and the writer do not hold each other up. Another mode is taken
  /// where the file is in use by others just now.
  ///
  /// The log may grow to 16 MB before it is brought into the database, in place of 4: a page of documents takes some 30 KB
  /// of it, and each time costs two syncs of the disk.
  func useWriteAheadLog() throws {
    do {
      try execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000")
    } catch let error as SluiceError where error.retry == .transient {
      return
    }
  }

  /// A prepared statement, kept for the next time.
  func statement(_ sql: String) throws -> Statement {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw failure(code) }
    let statement = Statement(prepared, of: self)
    statements[sql] = statement
    return statement
  }

  /// Runs SQL without parameters and without a result: one statement or several.
  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Runs one statement that gives no rows.
  func run(_ sql: String, _ values: Binding...) throws {
    let statement = try statement(sql)
    try statement.bind(values)
    try statement.run()
  }

  /// The first row, read by `body`; nil where there is none.
  func first<R>(_ sql: String, _ values: Binding..., read: (Statement) throws -> R) throws -> R? {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  /// Every row, read by `body`.
  func all<R>(_ sql: String, _ values: Binding..., read: (Statement) throws -> R) throws -> [R] {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    var rows: [R] = []
    while try statement.step() { rows.append(try read(statement)) }
    return rows
  }

  /// The rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The id of the row inserted last.
  var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Takes back the open transaction, if there is one.
  func rollBack() {
    for statement in statements.values { statement.reset() }
    // An error here means that SQLite has rolled back by itself.
    if isInTransaction { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// The error of the last call, in words.
  func failure(_ code: Int32) -> SluiceError {
    SluiceError.sqlite(
      code, String(cString: sqlite3_errmsg(handle)), system: sqlite3_system_errno(handle), path: path)
  }
}

/// A value for a parameter, where speed does not count.
enum Binding {
  case null
  case int(Int64)
  case text(String)
  case blob([UInt8])
}
