import SluiceCore

/// Keeps the state of all jobs in one SQLite database.
public struct SQLiteStateStore: StateStore {
  /// How much a saved state survives.
  public enum Durability: String, Sendable, CaseIterable, ConfigValue {
    /// A kill of the process.
    case process
    /// A loss of power too, at the price of a sync of the disk with each save.
    case power
  }

  /// The settings.
  public struct Config: Configurable {
    /// The path of the database.
    public var path = ".sluice/state.db"
    /// How much a saved state survives.
    public var durability = Durability.process
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Keeps the state of all jobs in one SQLite database.",
      [
        Setting(
          "path", \.path,
          "The path of the database, from the configuration file's folder. The locks of the jobs lie in `locks` beside it."
        ),
        Setting(
          "durability", \.durability,
          "`process`: what is saved survives a kill; `power`: a loss of power too, slower."),
      ])
  }

  /// `sqlite`.
  public static let name = "sqlite"
  /// For `sluice components`.
  public static let summary = "Keeps the state of all jobs in one SQLite database."

  private let file: StateFile
  private let database: Database
  /// Whether there is a file; else the database is an empty one in memory.
  private let isMade: Bool

  /// Opens the database, making it where there is none and `context.creates`: the folder for its user alone, and so
  /// the file. A damaged,
  /// foreign, empty or newer file throws `invalid_state` and is left as it is.
  public init(_ config: Config, context: StateContext) async throws {
    let file = StateFile(
      path: FileSystem.path(config.path, from: context.baseDirectory),
      synchronous: config.durability == .power ? .full : .normal)
    self.file = file
    let isMade = context.creates || FileSystem.exists(file.path)
    self.isMade = isMade
    database = try Database(path: file.path) { _ in try isMade ? file.open() : StateFile.none() }
  }

  /// Takes the job's lock and gives its state.
  public func open(job: String) async throws -> any JobState {
    let lock = try JobLock(job: job, folder: locksFolder)
    let file = file
    let database = try Database(path: file.path) { _ in try file.connect() }
    return SQLiteJobState(job: job, lock: lock, database: database, path: file.path)
  }

  /// The saved checkpoints of all jobs, by name.
  public func checkpoints() async throws -> [Checkpoint] {
    let path = file.path
    return try await database.read { connection in
      try connection.all("SELECT checkpoint FROM jobs ORDER BY name") { row in
        try SavedCheckpoint.read(row.text(0), path: path)
      }
    }
  }

  /// What an account has spent on a day.
  public func spent(account: String, day: Day) async throws -> Spending {
    try await database.read { connection in
      try connection.first(
        "SELECT reads, writes, deletes, requests, bytes FROM spending WHERE account = ? AND day = ?", .text(account),
        .int(Int64(day.number))
      ) { row in
        Spending(
          reads: Int(row.int(0)), writes: Int(row.int(1)), deletes: Int(row.int(2)), requests: Int(row.int(3)),
          bytes: Int(row.int(4)))
      } ?? Spending()
    }
  }

  /// Adds what was spent.
  public func charge(_ charges: [Charge]) async throws {
    if charges.isEmpty { return }
    try await database.write { for charge in charges { try SQLiteJobState.add(charge, on: $0) } }
  }

  /// The last runs of each job, the newest first.
  public func runs(limit: Int) async throws -> [RunRecord] {
    let path = file.path
    return try await database.read { try SavedRuns.newest(limit, path: path, on: $0) }
  }

  /// Gives the state of a job to another name.
  public func rename(job: String, to other: String) async throws {
    let path = file.path
    guard isMade else {
      try await database.write { try StateMove(job: job, path: path, connection: $0).rename(to: other) }
      return
    }
    let locks = try [job, other].map { try JobLock(job: $0, folder: locksFolder) }
    defer { for lock in locks { lock.free() } }
    try await database.write { try StateMove(job: job, path: path, connection: $0).rename(to: other) }
  }

  /// Forgets the state of a job.
  public func reset(job: String) async throws {
    let path = file.path
    guard isMade else { return }
    let lock = try JobLock(job: job, folder: locksFolder)
    defer { lock.free() }
    try await database.write { try StateMove(job: job, path: path, connection: $0).reset() }
  }

  private var locksFolder: String { "\(FileSystem.folder(of: file.path))/locks" }

  /// Closes the database.
  public func close() async { await database.close() }
}
