import SluiceCore
import Synchronization

/// A state store in memory, for tests: it outlives the `Engine`s made on it, as a file outlives processes, and can be
/// told to fail at a save, as if the process had been killed there.
public final class MemoryStateStore: StateStore {
  /// `memory`.
  public static let name = "memory"
  /// For catalogs.
  public static let summary = "Keeps the state in memory. For tests."

  /// No settings.
  public typealias Config = NoSettings

  private struct Contents {
    var checkpoints: [String: Checkpoint] = [:]
    var requests: [String: [UInt64: [Fingerprint]]] = [:]
    var seen: [String: [UInt64: Set<Fingerprint>]] = [:]
    var ledgers: [String: MemoryLedger] = [:]
    var spending: [String: [Day: Spending]] = [:]
    var locked: Set<String> = []
    var saves = 0
    var failFromSave: Int?
    var history: [Checkpoint] = []
    var runs: [RunRecord] = []

    mutating func add(_ charge: Charge) {
      let before = spending[charge.account, default: [:]][charge.day] ?? Spending()
      spending[charge.account, default: [:]][charge.day] = before + charge.amount
    }

    func refuseLocked(_ job: String) throws {
      if locked.contains(job) { throw SluiceError(.alreadyRunning, "job \(job) is running") }
    }

    mutating func forget(_ job: String) {
      checkpoints[job] = nil
      requests[job] = nil
      seen[job] = nil
      for name in ledgers.keys where name.hasPrefix("\(job)/") { ledgers[name] = nil }
    }
  }

  private let contents = Mutex(Contents())

  /// An empty store.
  public init() {}

  /// An empty store.
  public convenience init(_ config: NoSettings, context: StateContext) async throws { self.init() }

  /// Makes the `number`th save from now on, and all later ones, fail before anything is stored, as if the process had
  /// been killed there; nil: no more.
  public func fail(fromSave number: Int?) {
    contents.withLock { contents in contents.failFromSave = number.map { contents.saves + $0 } }
  }

  /// Every checkpoint saved so far, in order.
  public var history: [Checkpoint] { contents.withLock { $0.history } }

  /// Takes the job's lock.
  public func open(job: String) async throws -> any JobState {
    try contents.withLock { contents in
      guard contents.locked.insert(job).inserted else {
        throw SluiceError(.alreadyRunning, "job \(job) is running already")
      }
    }
    return State(store: self, job: job)
  }

  /// The saved checkpoints, by name.
  public func checkpoints() async throws -> [Checkpoint] {
    contents.withLock { $0.checkpoints.values.sorted { $0.job < $1.job } }
  }

  /// What an account has spent on a day.
  public func spent(account: String, day: Day) async throws -> Spending {
    contents.withLock { $0.spending[account]?[day] ?? Spending() }
  }

  /// Adds what was spent.
  public func charge(_ charges: [Charge]) async throws {
    contents.withLock { contents in for charge in charges { contents.add(charge) } }
  }

  /// The last runs of each job.
  public func runs(limit: Int) async throws -> [RunRecord] {
    contents.withLock { contents in
      Set(contents.runs.map(\.job)).sorted().flatMap { job in
        contents.runs.reversed().filter { $0.job == job }.prefix(limit)
      }
    }
  }

  /// Gives the state of a job to another name.
  public func rename(job: String, to other: String) async throws {
    try contents.withLock { contents in
      try contents.refuseLocked(job)
      try contents.refuseLocked(other)
      guard var checkpoint = contents.checkpoints[job], contents.checkpoints[other] == nil else {
        throw SluiceError(.stateConflict, "job \(job) cannot be renamed to \(other)")
      }
      checkpoint.job = other
      contents.checkpoints[other] = checkpoint
      contents.requests[other] = contents.requests[job]
      contents.seen[other] = contents.seen[job]
      for (name, ledger) in contents.ledgers where name.hasPrefix("\(job)/") {
        contents.ledgers["\(other)/\(name.dropFirst(job.count + 1))"] = ledger
      }
      for index in contents.runs.indices where contents.runs[index].job == job { contents.runs[index].job = other }
      contents.forget(job)
    }
  }

  /// Forgets the state of a job.
  public func reset(job: String) async throws {
    try contents.withLock { contents in
      try contents.refuseLocked(job)
      contents.forget(job)
    }
  }

  /// Nothing to end.
  public func close() async {}

  private struct State: JobState {
    let store: MemoryStateStore
    let job: String

    func checkpoint() async throws -> Checkpoint? { store.contents.withLock { $0.checkpoints[job] } }

    func save(_ commit: StateCommit) async throws {
      try store.contents.withLock { contents in
        contents.saves += 1
        if let first = contents.failFromSave, contents.saves >= first {
          throw SluiceError(.io, "the save was made to fail")
        }
        guard commit.checkpoint.revision == (contents.checkpoints[job]?.revision ?? 0) + 1 else {
          throw SluiceError(.stateConflict, "job \(job) was saved by somebody else meanwhile")
        }
        contents.checkpoints[job] = commit.checkpoint
        contents.history.append(commit.checkpoint)
        if let page = commit.page {
          contents.requests[job, default: [:]][page.generation, default: []].append(page.request)
          contents.seen[job, default: [:]][page.generation, default: []].formUnion(page.keys)
        }
        for page in commit.ledgers { contents.ledgers["\(job)/\(page.sink)"]?.learn(page) }
        for charge in commit.charges { contents.add(charge) }
      }
    }

    func requests(generation: UInt64) async throws -> [Fingerprint] {
      store.contents.withLock { $0.requests[job]?[generation] ?? [] }
    }

    func countUnseen(_ keys: [Fingerprint], generation: UInt64) async throws -> Int {
      store.contents.withLock { contents in
        let seen = contents.seen[job]?[generation] ?? []
        return keys.count { !seen.contains($0) }
      }
    }

    func record(_ run: RunRecord) async throws { store.contents.withLock { $0.runs.append(run) } }

    func ledger(sink: String, identity: SinkIdentity) async throws -> any Ledger {
      store.contents.withLock { contents in
        if let ledger = contents.ledgers["\(job)/\(sink)"], ledger.identity == identity { return ledger }
        let ledger = MemoryLedger(identity: identity)
        contents.ledgers["\(job)/\(sink)"] = ledger
        return ledger
      }
    }

    func close() async { _ = store.contents.withLock { $0.locked.remove(job) } }
  }
}

/// A ledger in memory, for tests and for sinks in memory.
public final class MemoryLedger: Ledger {
  private struct Contents {
    var entries: [Key: LedgerEntry] = [:]
    var seen: [UInt64: Set<Key>] = [:]
  }

  /// What the ledger is bound to.
  public let identity: SinkIdentity
  private let contents = Mutex(Contents())

  /// An empty ledger.
  public init(identity: SinkIdentity) { self.identity = identity }

  /// What is known of each entry of the batch.
  public func entries(for batch: Batch) async throws -> [LedgerEntry?] {
    contents.withLock { contents in batch.indices.map { contents.entries[batch.key(at: $0)] } }
  }

  /// Notes the intention to write these keys.
  public func markPending(_ page: LedgerPage) async throws {
    contents.withLock { contents in
      for index in page.batch.indices {
        guard let update = page.updates[index] else { continue }
        contents.entries[page.batch.key(at: index)] = LedgerEntry(
          version: .none, fingerprint: update.fingerprint, status: .pending)
      }
    }
  }

  /// Takes what a confirmed page taught.
  public func learn(_ page: LedgerPage) {
    contents.withLock { contents in
      for index in page.batch.indices {
        let key = page.batch.key(at: index)
        if let update = page.updates[index] { contents.entries[key] = update }
        if page.seen[index] { contents.seen[page.generation, default: []].insert(key) }
      }
    }
  }

  /// Live or pending keys that `generation` has not seen.
  public func unseen(generation: UInt64, after key: Key?, limit: Int) async throws -> [LedgerRow] {
    contents.withLock { contents in
      let seen = contents.seen[generation] ?? []
      let rows = contents.entries.filter { $0.value.status != .tombstone && !seen.contains($0.key) }
      let sorted = rows.map { LedgerRow($0.key, $0.value) }.sorted { $0.key < $1.key }
      return Array(sorted.drop { row in key.map { !($0 < row.key) } ?? false }.prefix(limit))
    }
  }

  /// The number of live keys.
  public func liveCount() async throws -> Int {
    contents.withLock { $0.entries.values.count { $0.status == .live } }
  }
}
