import SluiceCore
import Synchronization

/// Writes documents into a table of a SQLite database.
///
/// In place, each delivery is one transaction, together with the ledger and the checkpoint. Replacing, the whole set is
/// staged in a table beside the target and swapped in at once.
public final class SQLiteAdapter: Publishing, Transactional {
  /// How documents become rows.
  public enum Layout: String, Sendable, CaseIterable, ConfigValue {
    /// One row each, the fields as JSON in one column.
    case document
  }

  /// How the table shows the work.
  public enum Publish: String, Sendable, CaseIterable, ConfigValue {
    /// Changes as they come.
    case inPlace = "in_place"
    /// The whole set, swapped in at once.
    case replace
  }

  /// The settings.
  public struct Config: Configurable {
    /// The path of the database.
    public var path = ""
    /// The table.
    public var table = ""
    /// How documents become rows.
    public var layout = Layout.document
    /// How the table shows the work.
    public var publish = Publish.inPlace
    /// How the fields are written.
    public var encoding = DocumentEncoding.plain
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Writes documents into a table of a SQLite database.",
      [
        Setting(
          "path", \.path,
          "The path of the database, from the configuration file's folder. It is made where it is not there.",
          required: true, examples: ["users.db"]),
        Setting("table", \.table, "The table. It is made where it is not there.", required: true, examples: ["users"]),
        Setting(
          "layout", \.layout,
          "`document`: one row for each document, with the columns key, document, version, version_ns, create_time, update_time "
            + "(and deleted_at, with `deletes: soft`)."
        ),
        Setting(
          "publish", \.publish,
          "`in_place`: changes as they come, each batch in one transaction; `replace`: the whole set, swapped in at once."
        ),
        Setting(
          "encoding", \.encoding, "How the column `document` is written: `plain` JSON, or `typed`, which loses nothing."
        ),
      ]
    ) { config, marks, diagnostics in
      if let fault = TableName.fault(in: config.table) {
        diagnostics.error("invalid_name", fault, at: marks.place(of: "table"))
      }
    }
  }

  /// `sqlite`.
  public static let name = "sqlite"
  /// For `sluice components`.
  public static let summary = "Writes documents into a table of a SQLite database."

  let table: DocumentTable
  let encoding: DocumentEncoding
  let publishMode: Publish
  let path: String
  let database: Database
  /// Whether nothing is to be made or changed.
  let isLooking: Bool
  let stage = Mutex<Stage?>(nil)
  let ledger = Mutex<SQLiteLedger?>(nil)
  /// Keeps other jobs from replacing the table at the same time.
  let lock = Mutex<JobLock?>(nil)

  /// A sink; transactional where it writes in place.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Self.self)
    capabilities.publishMode = config.publish == .replace ? .replace : .inPlace
    capabilities.isTransactional = config.publish == .inPlace
    capabilities.keepsDeleted = config.publish == .inPlace
    return capabilities
  }

  /// Opens the database, and makes it with the tables of Sluice where they are not there. Throws `io` where that cannot
  /// be done, and `invalid_state` where the file is no SQLite database or has tables of a newer version.
  public init(_ config: Config, context: AdapterContext) async throws {
    path = FileSystem.path(config.path, from: context.baseDirectory)
    table = DocumentTable(name: TableName(config.table))
    encoding = config.encoding
    publishMode = config.publish
    let report = context.report
    let patience = Database.Patience(retry: context.retry) { attempt, delay, error in
      report(.retry(attempt: attempt, delay: delay, error: error))
    }
    isLooking = context.changesNothing
    if isLooking {
      database = try Database(path: path, patience: patience) { try Self.connectToLook($0) }
      let table = table
      _ = try await database.read { try table.exists(on: $0) }
      return
    }
    try FileSystem.makeFolder(FileSystem.folder(of: path), mode: 0o777)
    database = try Database(path: path, patience: patience) { path in
      let connection = try Connection(path: path, creating: true, synchronous: .normal)
      try connection.enlargeCache()
      try connection.useWriteAheadLog()
      return connection
    }
    let table = table
    if try await !database.read({ try SinkSchema.isPresent(on: $0) }) {
      try await database.write { try SinkSchema.create(on: $0) }
    }
    // A table of another shape is found before anything is asked of a source.
    _ = try await database.read { try table.exists(on: $0) }
  }

  /// Opens a database of which nothing is to be changed. One that is not there is taken for
  /// an empty one in memory.
  private static func connectToLook(_ path: String) throws -> Connection {
    guard FileSystem.exists(path) else { return try Connection(path: ":memory:", creating: true, synchronous: .off) }
    let connection = try Connection(path: path, creating: false, synchronous: .normal)
    try connection.enlargeCache()
    return connection
  }

  /// Closes the database.
  public func close() async {
    await database.close()
    // A run that found its set published already took no lock; one that was killed before may have left its file.
    let held = lock.withLock { held in
      defer { held = nil }
      return held
    }
    if held == nil, publishMode == .replace, !isLooking { JobLock.removeLeft(table: table.name.text, database: path) }
  }

  /// Applies one delivery in one transaction: to the table, or to the stage.
  public func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    switch publishMode {
    case .inPlace:
      let (rejections, retries) = try await write(
        delivery.batch, delivery.progress, acceptsRejections: delivery.acceptsRejections,
        deletedAt: delivery.deletedAt)
      return delivery.confirm(rejecting: rejections, retries: retries)
    case .replace:
      let staged = try await put(
        delivery.batch, generation: delivery.generation, acceptsRejections: delivery.acceptsRejections)
      return delivery.confirm(rejecting: staged.rejections, stage: staged.mark, retries: staged.retries)
    }
  }

  /// The random word beside the table. Another one where rows are gone that a ledger knows to be there.
  public func identity(creating: Bool) async throws -> SinkIdentity? {
    let table = table
    if let identity = try await database.read({ try TableIdentity(table: table, connection: $0).current() }) {
      return SinkIdentity(identity)
    }
    guard creating else { return nil }
    return SinkIdentity(try await database.write { try TableIdentity(table: table, connection: $0).make() }.value)
  }

  /// Whether the table is not there or has no rows.
  public func isEmpty() async throws -> Bool {
    let table = table
    return try await database.read { try !table.exists(on: $0) || table.isEmpty(on: $0) }
  }
}
