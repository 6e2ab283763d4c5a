import SluiceCore
import Synchronization

/// The state of one job, with a connection of its own: a commit of one job never waits for the reading of another.
final class SQLiteJobState: JobState {
  private let job: String
  private let path: String
  private let lock: JobLock
  private let database: Database
  private let memory = Mutex(Memory())

  /// What this run knows of the database without asking.
  private struct Memory {
    /// The generation whose pages are the only ones left.
    var prunedFor: UInt64?
    /// The generation whose keys are in the temporary table.
    var keysOf: UInt64?
    var ledgers: [String: SQLiteLedger] = [:]
  }

  init(job: String, lock: JobLock, database: Database, path: String) {
    self.job = job
    self.lock = lock
    self.database = database
    self.path = path
  }

  func checkpoint() async throws -> Checkpoint? {
    let (job, path) = (job, path)
    return try await database.read { connection in
      try connection.first("SELECT checkpoint FROM jobs WHERE name = ?", .text(job)) { row in
        try SavedCheckpoint.read(row.text(0), path: path)
      }
    }
  }

  func save(_ commit: StateCommit) async throws {
    let generation = commit.checkpoint.listing.generation
    let text = SavedCheckpoint.text(of: commit.checkpoint)
    let (isPruned, keysOf) = memory.withLock { ($0.prunedFor == generation, $0.keysOf) }
    try await database.write { connection in
      let id = try self.advance(to: commit.checkpoint.revision, text, on: connection)
      let pages = SavedPages(ofJob: id)
      if !isPruned { try pages.prune(except: generation, on: connection) }
      if let page = commit.page { try pages.add(page, isListed: page.generation == keysOf, on: connection) }
      for charge in commit.charges { try Self.add(charge, on: connection) }
      for page in commit.ledgers { try self.ledger(of: page, on: connection).apply(page, on: connection) }
    }
    memory.withLock { $0.prunedFor = generation }
  }

  /// Writes the checkpoint if the saved one is the one before it. The job's id.
  private func advance(to revision: UInt64, _ text: String, on connection: Connection) throws -> Int64 {
    let saved = try connection.first("SELECT id, revision FROM jobs WHERE name = ?", .text(job)) {
      (id: $0.int(0), revision: UInt64(bitPattern: $0.int(1)))
    }
    let before = saved?.revision ?? 0
    guard revision == before &+ 1 else {
      throw SluiceError(
        .stateConflict, "the saved state has revision \(before), and revision \(revision) cannot follow it",
        at: Place(job: job, file: path), hint: "another process changed the state of this job; run again")
    }
    let number = Binding.int(Int64(bitPattern: revision))
    if let saved {
      try connection.run(
        "UPDATE jobs SET revision = ?, checkpoint = ? WHERE id = ?", number, .text(text), .int(saved.id))
      return saved.id
    }
    try connection.run(
      "INSERT INTO jobs (name, revision, checkpoint) VALUES (?, ?, ?)", .text(job), number, .text(text))
    return connection.lastInsertedID
  }

  static func add(_ charge: Charge, on connection: Connection) throws {
    let amount = charge.amount
    try connection.run(
      """
      INSERT INTO spending (account, day, reads, writes, deletes, requests, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account, day) DO UPDATE SET reads = reads + excluded.reads, writes = writes + excluded.writes,
        deletes = deletes + excluded.deletes, requests = requests + excluded.requests, bytes = bytes + excluded.bytes
      """, .text(charge.account), .int(Int64(charge.day.number)), .int(Int64(amount.reads)),
      .int(Int64(amount.writes)), .int(Int64(amount.deletes)), .int(Int64(amount.requests)), .int(Int64(amount.bytes)))
  }

  func requests(generation: UInt64) async throws -> [Fingerprint] {
    let job = job
    return try await database.read { connection in
      guard let pages = try SavedPages(ofJob: job, on: connection) else { return [] }
      return try pages.requests(generation: generation, on: connection)
    }
  }

  func record(_ run: RunRecord) async throws { try await database.write { try SavedRuns.add(run, on: $0) } }

  func close() async {
    await database.close()
    lock.free()
  }
}

/// Keys seen in a generation. A listing in key order never asks; then a page costs one row and no index.
extension SQLiteJobState {
  func countUnseen(_ keys: [Fingerprint], generation: UInt64) async throws -> Int {
    let isListed = memory.withLock { $0.keysOf == generation }
    let job = job
    let count: Int? = try await database.read { connection in
      if !isListed {
        guard let pages = try SavedPages(ofJob: job, on: connection) else { return nil }
        try pages.listKeys(generation: generation, on: connection)
      }
      return try SavedPages.countUnlisted(keys, on: connection)
    }
    guard let count else { return keys.count }
    memory.withLock { $0.keysOf = generation }
    return count
  }
}

/// Ledgers that the state store keeps.
extension SQLiteJobState {
  func ledger(sink: String, identity: SinkIdentity) async throws -> any Ledger {
    let job = job
    let tables = try await database.write { connection in
      try connection.enlargeCache()
      return try LedgerSchema.state.open(job: job, target: sink, identity: identity.text, on: connection)
    }.value
    let ledger = SQLiteLedger(tables, in: database)
    memory.withLock { $0.ledgers[sink] = ledger }
    return ledger
  }

  private func ledger(of page: LedgerPage, on connection: Connection) throws -> SQLiteLedger {
    if let ledger = memory.withLock({ $0.ledgers[page.sink] }) { return ledger }
    throw SluiceError(.internal, "the ledger of sink \(page.sink) was not opened", at: Place(job: job))
  }
}
