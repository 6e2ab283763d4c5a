/// Where jobs keep their state between runs.
public protocol StateStore: Component {
  /// Opens the store, making it where there is none. Damaged or foreign state throws `invalid_state` and is left as it
  /// is.
  init(_ config: Config, context: StateContext) async throws

  /// Takes the job's lock, one for all processes of the machine, and gives its state. Throws `already_running` where
  /// another process, or this one, holds it. The lock ends with `JobState.close()` or with the process.
  func open(job: String) async throws -> any JobState

  /// The saved checkpoints of all jobs, by name. Takes no lock.
  func checkpoints() async throws -> [Checkpoint]

  /// What an account has spent on a day, over all jobs of this store, reservations included.
  func spent(account: String, day: Day) async throws -> Spending

  /// Adds what was spent without a change of any job's state: by `plan` and `verify`.
  func charge(_ charges: [Charge]) async throws

  /// The last runs of each job, the newest first, at most `limit` of a job.
  func runs(limit: Int) async throws -> [RunRecord]

  /// Gives the state of a job, its ledgers and its runs to another name. Throws `already_running` where a run holds one
  /// of the two, and `state_conflict` where there is nothing to move or the other name has state of its own.
  func rename(job: String, to other: String) async throws

  /// Forgets the state of a job, and its ledgers. Runs and what was spent stay. Nothing where there is none. Throws
  /// `already_running` where a run holds it.
  func reset(job: String) async throws

  /// Ends what was opened.
  func close() async
}

/// What a state store is given when it is opened.
public struct StateContext: Sendable {
  /// The folder that relative paths start from: that of the configuration file.
  public var baseDirectory: String
  /// Whether a store that is not there is made. Where not, it counts as empty, and nothing is made.
  public var creates: Bool

  /// What a state store is given.
  public init(baseDirectory: String = ".", creates: Bool = true) {
    self.baseDirectory = baseDirectory
    self.creates = creates
  }
}

/// The state of one job, held under its lock. Used by one task at a time.
public protocol JobState: Sendable {
  /// The checkpoint saved last; nil where the job has never saved one.
  func checkpoint() async throws -> Checkpoint?

  /// Saves everything in the commit, or nothing. `commit.checkpoint.revision` must be one more than the saved one, else
  /// `state_conflict`. Survives a kill of the process when it returns.
  func save(_ commit: StateCommit) async throws

  /// The fingerprints of the requests confirmed in this generation, for the loop guard.
  func requests(generation: UInt64) async throws -> [Fingerprint]

  /// How many of these keys this generation has not recorded as seen.
  func countUnseen(_ keys: [Fingerprint], generation: UInt64) async throws -> Int

  /// Notes a run that has ended. Only the newest of a job are kept, 50 or so.
  func record(_ run: RunRecord) async throws

  /// The ledger of a sink. A ledger bound to another identity is emptied first, because it speaks of a store that is
  /// no longer there.
  func ledger(sink: String, identity: SinkIdentity) async throws -> any Ledger

  /// Frees the lock.
  func close() async
}

/// What is saved together.
public struct StateCommit: Sendable {
  /// The new checkpoint.
  public var checkpoint: Checkpoint
  /// What ledgers kept by the state store learn.
  public var ledgers: [LedgerPage]
  /// What the loop guard remembers of the page.
  public var page: PageRecord?
  /// What was spent or reserved.
  public var charges: [Charge]

  package init(_ checkpoint: Checkpoint, ledgers: [LedgerPage] = [], page: PageRecord? = nil, charges: [Charge] = []) {
    self.checkpoint = checkpoint
    self.ledgers = ledgers
    self.page = page
    self.charges = charges
  }
}

/// What the loop guard remembers of a page.
public struct PageRecord: Sendable {
  /// The generation.
  public var generation: UInt64
  /// The fingerprint of the request.
  public var request: Fingerprint
  /// The fingerprints of the page's keys.
  public var keys: [Fingerprint]

  /// What the loop guard remembers of a page.
  public init(generation: UInt64, request: Fingerprint, keys: [Fingerprint] = []) {
    self.generation = generation
    self.request = request
    self.keys = keys
  }
}

/// A day in UTC, counted from 1970-01-01: the unit of daily budgets.
public struct Day: Sendable, Hashable, Comparable {
  /// Days since 1970-01-01.
  public var number: Int

  /// A day by its number.
  public init(number: Int) { self.number = number }

  /// The day of a moment.
  public init(_ time: Timestamp) {
    let (days, rest) = time.seconds.quotientAndRemainder(dividingBy: 86_400)
    number = Int(days) - (rest < 0 ? 1 : 0)
  }

  /// In the order of time.
  public static func < (a: Day, b: Day) -> Bool { a.number < b.number }
}

/// What was used of the things that cost.
public struct Spending: Sendable, Hashable {
  /// Documents read, as billed.
  public var reads: Int
  /// Documents written.
  public var writes: Int
  /// Documents deleted.
  public var deletes: Int
  /// Requests sent.
  public var requests: Int
  /// Bytes received.
  public var bytes: Int

  /// What was used; nothing by default.
  public init(reads: Int = 0, writes: Int = 0, deletes: Int = 0, requests: Int = 0, bytes: Int = 0) {
    self.reads = reads
    self.writes = writes
    self.deletes = deletes
    self.requests = requests
    self.bytes = bytes
  }

  /// Both together.
  public static func + (a: Spending, b: Spending) -> Spending {
    Spending(
      reads: a.reads + b.reads, writes: a.writes + b.writes, deletes: a.deletes + b.deletes,
      requests: a.requests + b.requests, bytes: a.bytes + b.bytes)
  }

  /// The first without the second.
  public static func - (a: Spending, b: Spending) -> Spending {
    Spending(
      reads: a.reads - b.reads, writes: a.writes - b.writes, deletes: a.deletes - b.deletes,
      requests: a.requests - b.requests, bytes: a.bytes - b.bytes)
  }
}

/// Something spent, reserved (or, negative, given back) on an account.
public struct Charge: Sendable, Hashable {
  /// The account: the billed database.
  public var account: String
  /// The day.
  public var day: Day
  /// How much.
  public var amount: Spending

  /// Something spent.
  public init(account: String, day: Day, amount: Spending) {
    self.account = account
    self.day = day
    self.amount = amount
  }
}
