import SluiceCore
import Synchronization

/// Runs jobs. It knows no adapter by name: all it works with are the contract's protocols and values.
public struct Engine: Sendable {
  let store: any StateStore
  let environment: RunEnvironment

  /// An engine that keeps the state of its jobs in `store`.
  public init(store: any StateStore, environment: RunEnvironment) {
    self.store = store
    self.environment = environment
  }

  /// Runs one job as a snapshot: lists its source whole, brings it to every sink, publishes.
  ///
  /// Never throws: how it ended is in the report, and was told to the observers as `RunEvent.ended`.
  @concurrent public func run(_ plan: JobPlan, options: RunOptions = RunOptions()) async -> RunReport {
    let start = environment.elapsed()
    let startedAt = environment.now()
    var report: RunReport
    do {
      let state = try await store.open(job: plan.name)
      report = await work(plan, options, for: .run, state: state)
      report.duration = environment.elapsed() - start
      await record(&report, startedAt: startedAt, in: state)
      await state.close()
    } catch {
      report = RunReport(job: plan.name, outcome: Self.outcome(of: error, job: plan.name))
    }
    report.duration = environment.elapsed() - start
    environment.observe(.ended(report))
    return report
  }

  /// Notes the run for `state runs`. What it did stands, whether or not that can be noted.
  private func record(_ report: inout RunReport, startedAt: Timestamp, in state: any JobState) async {
    do {
      try await state.record(RunRecord(report, startedAt: startedAt))
    } catch {
      report.notes.append("the run is not among those of sluice state runs: \(error.sentence)")
    }
  }

  /// Opens the parts of a job, lists its source and does with it what it is listed for. `ending` is called while all is
  /// still open, whether or not it went well.
  func work(
    _ plan: JobPlan, _ options: RunOptions, for purpose: Purpose, state: any JobState,
    ending: (JobRun) async throws -> Void = { _ in }
  ) async -> RunReport {
    var opened: [any Adapter] = []
    let retries = RetryTally()
    var run: JobRun?
    var outcome = RunReport.Outcome.completed
    do {
      let source = try await open(
        plan.source, role: .source, plan, retries, as: (any Pageable).self, changesNothing: false, into: &opened)
      var sinks: [any Writable] = []
      for sink in plan.sinks {
        sinks.append(
          try await open(
            sink.adapter, role: .sink, plan, retries, as: (any Writable).self, changesNothing: purpose.changesNothing,
            into: &opened))
      }
      let made = try await make(plan, options, purpose, state, source, sinks)
      run = made.run
      if let mending = options.mend {
        try await made.run.mend(mending)
      } else if options.only.isEmpty {
        try await made.run.perform(resuming: made.isResumable)
      } else {
        try await made.run.bring(options.only)
      }
      if made.run.counters.rejects > 0 { outcome = .completedWithRejects }
    } catch {
      outcome = Self.outcome(of: error, job: plan.name)
      let cause = error
      do {
        try await run?.settle(after: cause)
      } catch {
        run?.note("what was reserved stays charged: \(error.sentence)")
      }
    }
    if let run {
      do {
        try await ending(run)
      } catch {
        if case .completed = outcome { outcome = Self.outcome(of: error, job: plan.name) }
      }
    }
    for adapter in opened.reversed() { await adapter.close() }
    var report = run?.report ?? RunReport(job: plan.name, outcome: outcome)
    report.outcome = outcome
    if let run {
      report.counters = run.counters
      report.generation = run.checkpoint.listing.generation
      report.counters.retries += retries.count
      report.spending = run.budget.used
      // What is not billed is no read.
      if run.source.billingAccount == nil { report.spending.reads = 0 }
    }
    return report
  }

  func open<T>(
    _ adapter: AdapterPlan, role: ConfigRole, _ plan: JobPlan, _ retries: RetryTally, as type: T.Type,
    changesNothing: Bool, into opened: inout [any Adapter]
  ) async throws -> T {
    let job = plan.name
    let name = adapter.name
    let observe = environment.observe
    let context = AdapterContext(
      job: job, role: role, baseDirectory: environment.baseDirectory, environment: environment.environment,
      http: plan.http, retry: plan.retry, changesNothing: changesNothing
    ) { event in
      switch event {
      case .endpoint(let endpoint, let origin):
        observe(.endpoint(job: job, component: name, endpoint, from: origin))
      case .retry(let attempt, let delay, let error):
        retries.add()
        observe(.retry(job: job, attempt: attempt, delay: delay, error: error))
      case .notice(let text): observe(.notice(job: job, text))
      }
    }
    do {
      let instance = try await adapter.open(context)
      opened.append(instance)
      guard let result = instance as? T else {
        throw SluiceError(.invalidConfiguration, "\(name) cannot be used as a \(role.rawValue)")
      }
      return result
    } catch let error as SluiceError {
      throw error.at(Place(job: job, component: name))
    }
  }

  static func outcome(of error: any Error, job: String) -> RunReport.Outcome {
    switch error {
    case let error as StopRequested: .interrupted(signal: error.signal)
    case let error as SluiceError: .failed(error.at(Place(job: job)))
    case is CancellationError: .interrupted(signal: 15)
    default: .failed(SluiceError(.internal, "\(error)", at: Place(job: job)))
    }
  }
}

extension Engine {
  /// Reads the saved state and decides what the run may take up.
  private func make(
    _ plan: JobPlan, _ options: RunOptions, _ purpose: Purpose, _ state: any JobState, _ source: any Pageable,
    _ sinks: [any Writable]
  ) async throws -> (run: JobRun, isResumable: Bool) {
    let saved = try await newestCheckpoint(plan, state, sinks)
    if let saved, !options.restart, purpose != .verify {
      try Self.refuseOtherSource(saved, source.sourceIdentity, plan)
    }
    var checkpoint =
      saved
      ?? Checkpoint(
        job: plan.name, source: source.sourceIdentity, paging: plan.pagingDigest, phase: .finished,
        listing: Listing(generation: 0, frozen: FrozenRequest(), order: plan.source.capabilities.order), sinks: [:])
    checkpoint.source = source.sourceIdentity
    checkpoint.paging = plan.pagingDigest
    let isResumable = Self.isResumable(checkpoint, plan, options)
    checkpoint.sinks = checkpoint.sinks.filter { plan.sinkNames.contains($0.key) }
    for name in plan.sinkNames where checkpoint.sinks[name] == nil { checkpoint.sinks[name] = .init() }

    let known = Self.known(checkpoint)
    let day = Day(environment.now())
    let account = source.billingAccount ?? "job:\(plan.name)"
    let spent = try await store.spent(account: account, day: day)
    let budget = Budget(plan.limits, known: known, account: account, day: day, spentOnDay: spent)
    let shadow = try await shadows(of: sinks, plan, purpose, checkpoint, state)
    let run = JobRun(
      plan: plan, environment: environment, options: options, state: shadow ?? state, source: source,
      sinks: shadow?.sinks ?? sinks, checkpoint: checkpoint,
      transforms: try plan.transforms.map { try $0.make() }, budget: budget, purpose: purpose)
    if purpose.changesNothing, isResumable, checkpoint.listing.pages > 0 {
      run.report.notes.append("a run would go on after page \(checkpoint.listing.pages) of the listing that was begun")
    }
    run.known = known
    if plan.limits.readsPerRun == .auto, known == nil, source.billingAccount != nil {
      run.report.notes.append("no automatic read budget: how many documents there are is not known yet")
    }
    return (run, isResumable && purpose == .run)
  }

  /// A transactional sink may be one delivery ahead of the state store: with one sink, the newer of the two counts.
  private func newestCheckpoint(
    _ plan: JobPlan, _ state: any JobState, _ sinks: [any Writable]
  ) async throws -> Checkpoint? {
    let saved = try await state.checkpoint()
    guard sinks.count == 1, plan.sinks[0].adapter.capabilities.isTransactional,
      let transactional = sinks[0] as? any Transactional, let saved,
      let ahead = try await transactional.savedCheckpoint(job: plan.name),
      ahead.listing.generation == saved.listing.generation,
      let delivered = ahead.sinks[plan.sinks[0].name], let known = saved.sinks[plan.sinks[0].name],
      delivered.sequence == known.sequence + 1
    else { return saved }
    var newest = ahead
    // The next save follows the state store's last, whatever it was.
    newest.revision = saved.revision
    return newest
  }

  private static func isResumable(_ checkpoint: Checkpoint, _ plan: JobPlan, _ options: RunOptions) -> Bool {
    !options.restart && !options.full && options.limit == nil && isUnfinished(checkpoint)
      && Set(checkpoint.sinks.keys) == plan.sinkNames
  }

  private static func isUnfinished(_ checkpoint: Checkpoint) -> Bool {
    if case .snapshot = checkpoint.phase { checkpoint.listing.taint == nil } else { false }
  }

  private static func refuseOtherSource(_ saved: Checkpoint, _ identity: SourceIdentity, _ plan: JobPlan) throws {
    // A first listing that never got a page belongs to no source yet: a wrong endpoint is corrected, not "changed".
    let isBound = saved.listing.pages > 0 || saved.listing.generation > 1 || !isUnfinished(saved)
    let difference = isBound ? saved.source.difference(to: identity) : nil
    let pagingChanged = isUnfinished(saved) && saved.listing.pages > 0 && saved.paging != plan.pagingDigest
    guard difference != nil || pagingChanged else { return }
    let what = difference ?? "the paging settings changed in the middle of a listing"
    throw SluiceError(
      .sourceChanged, "the saved state belongs to another source: \(what)", at: Place(job: plan.name),
      hint: "--restart begins a new listing; what the sinks hold stays, and the guards stay on")
  }

  /// Documents to expect, from what the last listing brought.
  static func known(_ checkpoint: Checkpoint) -> Int? {
    checkpoint.sinks.values.compactMap { $0.publication?.content.documents ?? $0.heldBefore }.max().flatMap {
      $0 == 0 ? nil : $0
    }
  }
}

extension JobPlan {
  fileprivate var sinkNames: Set<String> { Set(sinks.map(\.name)) }
}

extension SourceIdentity {
  /// The first parameters that differ, `collection: users → teams`; nil where none does.
  fileprivate func difference(to other: SourceIdentity) -> String? {
    let names = parameters.map(\.name) + other.parameters.map(\.name).filter { self[$0] == nil }
    let parts = names.compactMap { name in
      self[name] == other[name] ? nil : "\(name): \(self[name] ?? "none") → \(other[name] ?? "none")"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension JobRun {
  /// Lists, completes; begins anew once where a position was lost.
  func perform(resuming isResumable: Bool) async throws {
    try await begin(resuming: isResumable)
    while true {
      do {
        try await list()
        return try await complete()
      } catch let error as SluiceError where error.code == .positionLost {
        // Dropped at once, so that the next run does not stumble over it either.
        try await startListing()
        try await save()
        guard plan.onPositionLost == .resnapshot, !hasRestarted else { throw error }
        hasRestarted = true
        note("the listing begins anew: \(error.message)")
      }
    }
  }
}

/// Counts what adapters had to try again. They report from any task.
final class RetryTally: Sendable {
  private let total = Atomic(0)

  /// How many there were.
  var count: Int { total.load(ordering: .relaxed) }

  /// One more.
  func add() { total.add(1, ordering: .relaxed) }
}

extension Error {
  /// What happened, for a note: without the parts that only a whole error shows.
  fileprivate var sentence: String { (self as? SluiceError)?.message ?? "\(self)" }
}
