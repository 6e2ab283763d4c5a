import SluiceCore

/// What a job's source is listed for.
enum Purpose: Sendable, Hashable {
  /// To bring it to the sinks.
  case run
  /// To say what a run would do. Nothing is changed; `keys` of each kind are remembered.
  case plan(keys: Int)
  /// To compare it with the sinks. Nothing is changed.
  case verify
  /// To learn what the sinks hold already. Nothing is written.
  case adopt

  /// Whether sinks and state are only looked at.
  var changesNothing: Bool {
    switch self {
    case .run, .adopt: false
    case .plan, .verify: true
    }
  }
}

/// One run of one job: opened, decided, listed, completed, closed. Used by one task.
final class JobRun {
  let plan: JobPlan
  let environment: RunEnvironment
  let options: RunOptions
  let state: any JobState
  let source: any Pageable
  let sinks: [any Writable]
  let startedAt: Duration
  let purpose: Purpose

  var checkpoint: Checkpoint
  var lanes: [SinkLane] = []
  var transforms: [any Transform]
  var loopGuard = LoopGuard()
  var budget: Budget
  /// Documents to expect, where it is known.
  var known: Int?
  var report: RunReport
  /// Where documents that cannot be taken are noted, if anywhere.
  private(set) var deadLetters: (any DeadLetterBox)?
  private var lastSaved: Checkpoint?
  /// Whether this run has begun its listing anew after a lost position: it does so once.
  var hasRestarted = false
  /// Whether the listing had ended before this run, and only its completion was left.
  var isResumedAtEnd = false
  /// Whether the run stopped because of `RunOptions.limit`.
  var isLimited = false
  /// Counts that are none of the listing's, for a run that does not list.
  var ownCounters: Checkpoint.Counters?
  /// What sinks that are mended must hold afterwards, by sink and key.
  var mended: [String: [Key: Fingerprint]] = [:]
  /// Keys of documents that were left out because of their content; kept only where a sink is compared.
  var rejectedKeys: Set<Key> = []

  init(
    plan: JobPlan, environment: RunEnvironment, options: RunOptions, state: any JobState, source: any Pageable,
    sinks: [any Writable], checkpoint: Checkpoint, transforms: [any Transform], budget: Budget, purpose: Purpose = .run
  ) {
    self.purpose = purpose
    self.plan = plan
    self.environment = environment
    self.options = options
    self.state = state
    self.source = source
    self.sinks = sinks
    self.checkpoint = checkpoint
    self.transforms = transforms
    self.budget = budget
    startedAt = environment.elapsed()
    report = RunReport(job: plan.name, outcome: .completed)
    report.sinks = plan.sinks.map {
      RunReport.Sink(name: $0.name, isStaged: $0.adapter.capabilities.publishMode == .replace)
    }
  }

  /// Opens the place for dead letters, where the job wants one.
  func openDeadLetters() throws {
    guard plan.onReject == .deadLetter, !purpose.changesNothing else { return }
    guard let open = environment.deadLetters else {
      throw SluiceError(
        .invalidConfiguration, "this program keeps no dead letters", at: Place(job: plan.name),
        hint: "set on_reject to stop or skip")
    }
    deadLetters = try open(plan)
  }

  /// Tells the observers, and the report, something worth a line.
  func note(_ text: String) {
    report.notes.append(text)
    // What a plan or a verification has to say stands in what it found.
    if purpose.changesNothing { return }
    environment.observe(.notice(job: plan.name, text))
  }

  /// What is known of a place inside this run, for errors.
  func place(page: Int? = nil) -> Place {
    Place(
      job: plan.name, component: plan.source.name, collection: source.sourceIdentity["collection"], page: page)
  }

  /// Saves the checkpoint with all that belongs to it. `ahead` are reads that may be asked for before the next save.
  func save(ledgers: [LedgerPage] = [], page: PageRecord? = nil, ahead: Int = 0) async throws {
    checkpoint.revision += 1
    checkpoint.savedAt = environment.now()
    let charges = budget.charge(ahead: ahead, on: Day(environment.now()))
    try await state.save(StateCommit(checkpoint, ledgers: ledgers, page: page, charges: charges))
    lastSaved = checkpoint
  }

  /// After a run that ended early: charges what was used, and gives back what was reserved beyond the request in flight,
  /// which is taken as billed. The checkpoint stays the one saved last; a listing that a guard stopped is not taken up
  /// again, because what stopped it lies in it.
  func settle(after error: any Error) async throws {
    guard var settled = lastSaved else { return }
    let charges = budget.charge(ahead: 0, on: Day(environment.now()))
    var isTainted = false
    if let error = error as? SluiceError, error.code.category == .guardRefusal {
      settled.listing.taint(Listing.Taint(error.code.name, error.message))
      isTainted = true
    }
    guard isTainted || !charges.isEmpty else { return }
    settled.revision += 1
    try await state.save(StateCommit(settled, charges: charges))
  }
}
