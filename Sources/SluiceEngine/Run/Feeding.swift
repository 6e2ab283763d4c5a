import SluiceCore

/// Several sinks, each at its own pace: what the fastest takes from memory, a slower one takes from the spool later.
///
/// The fastest sink sets the pace of the source: as long as no sink keeps up, the source waits. For a sink that lags, the
/// page is saved with the checkpoint that moves past it, and the sink reads on from there, one page at a time.
extension JobRun {
  /// Waits until a page can be given to the sinks: one of them at least has nothing to catch up, and for the others there
  /// is room in the spool.
  func makeRoom(_ work: inout Work) async throws {
    while try await mustWait() {
      try checkStopped()
      try await handleNext(&work)
    }
  }

  /// Bytes that may wait for a sink. What is only planned, compared or adopted is not worth it.
  private var spoolLimit: Int { purpose == .run ? plan.limits.spool.bytes : 0 }

  private func mustWait() async throws -> Bool {
    guard lanes.indices.contains(where: isCaughtUp) else { return true }
    for lane in lanes where checkpoint.pagesWaiting(for: lane.name) > 0 {
      if try await bytesWaiting(for: lane) >= spoolLimit { return true }
    }
    return false
  }

  /// Gives a page to the sinks that have nothing to catch up. Returns once all sinks have confirmed it, or those that
  /// have not lag behind: then with the page to spool.
  func feed(
    _ page: SpooledPage, then change: PageChange, counting: (Checkpoint) -> Checkpoint, _ work: inout Work
  ) async throws -> (outcomes: [String: SinkLane.Outcome], spooled: SpooledPage?) {
    feeds.page = page.sequence
    feeds.outcomes = [:]
    var given: Set<Int> = []
    while true {
      for index in lanes.indices where !given.contains(index) && isCaughtUp(index) {
        given.insert(index)
        let saved = counting(checkpoint.assumingConfirmed(change, by: [lanes[index].name]))
        start(page, to: index, saved: saved, &work)
      }
      if isEnough(given: given.count, of: page, then: change.next, &work) { break }
      try await handleNext(&work)
    }
    let outcomes = Dictionary(uniqueKeysWithValues: feeds.outcomes.map { (lanes[$0.key].name, $0.value) })
    feeds.page = nil
    feeds.outcomes = [:]
    return (outcomes, outcomes.count == lanes.count ? nil : page)
  }

  /// Whether the page needs to wait for no sink any more.
  private func isEnough(given: Int, of page: SpooledPage, then next: PagingStep, _ work: inout Work) -> Bool {
    let confirmed = feeds.outcomes.count
    // All the others lag from before.
    if confirmed == given { return true }
    // Without a next page there is nothing to hasten for, and with a spool of no size nowhere to put this one.
    guard case .next = next, confirmed > 0, feeds.fetched != nil, spoolLimit > 0 else { return false }
    if feeds.graceOver == page.sequence { return true }
    if !feeds.isTimed {
      feeds.isTimed = true
      let sequence = page.sequence
      work.addTask {
        // Cancelled with the group, whose events nobody looks at then.
        do { try await Task.sleep(for: Feeds.grace) } catch {}
        return .graceOver(page: sequence)
      }
    }
    return false
  }

  /// Brings documents that are no page of a listing to all sinks.
  func deliver(
    _ batch: Batch, rejected: Set<Int>, saved: Checkpoint
  ) async throws -> [String: SinkLane.Outcome] {
    let job = plan.name
    return try await withThrowingTaskGroup(of: (String, SinkLane.Outcome).self) { group in
      for lane in lanes {
        group.addTask {
          (lane.name, try await lane.deliver(batch, rejected: rejected, saved: saved, job: job, page: nil))
        }
      }
      var outcomes: [String: SinkLane.Outcome] = [:]
      for try await (name, outcome) in group { outcomes[name] = outcome }
      return outcomes
    }
  }

  /// Begins to bring to each idle sink the next page that waits for it.
  func feedWaiting(_ work: inout Work) {
    for index in lanes.indices where !feeds.busy.contains(index) {
      let lane = lanes[index]
      guard checkpoint.pagesWaiting(for: lane.name) > 0 else { continue }
      feeds.busy.insert(index)
      let job = plan.name
      let state = state
      let generation = checkpoint.listing.generation
      let saved = checkpoint.assumingConfirmedWaiting(by: lane.name)
      let last = checkpoint.lastPage(confirmedBy: lane.name)
      work.addTask {
        await .delivered(last + 1, to: index) {
          try await lane.deliverSpooled(
            after: last, generation: generation, from: state, saved: saved, job: job)
        }
      }
    }
  }

  /// Waits until every sink has what waits for it.
  func drain(_ work: inout Work) async throws {
    for lane in lanes {
      let pages = checkpoint.pagesWaiting(for: lane.name)
      guard pages > 0 else { continue }
      environment.observe(.notice(job: plan.name, "all is read; \(pages) pages wait for sink \(lane.name)"))
    }
    while !feeds.busy.isEmpty {
      try checkStopped()
      try await handleNext(&work)
    }
  }

  /// At an early end: nothing further is begun, and what a sink confirms nevertheless is saved.
  func windUp(_ work: inout Work) async {
    work.cancelAll()
    guard lanes.count > 1 else { return }
    forgetUnsaved()
    feeds.page = nil
    while !feeds.busy.isEmpty {
      do {
        guard let event = try await work.next() else { return }
        guard case .delivered(let lane, let page, let result) = event else { continue }
        feeds.busy.remove(lane)
        // A page that is not spooled is asked for again.
        guard page <= UInt64(checkpoint.listing.pages) else { continue }
        if case .success(let outcome) = result { try await confirmSpooled(outcome, of: page, by: lanes[lane]) }
      } catch {
        forgetUnsaved()
      }
    }
  }
}

/// One thing after the other of what happens beside the run.
extension JobRun {
  /// Waits for the next thing, and takes note of it.
  func handleNext(_ work: inout Work) async throws {
    guard let event = try await work.next() else { throw CancellationError() }
    switch event {
    case .stopped: feeds.isStopped = true
    case .fetched(let page): feeds.fetched = page
    case .graceOver(let page):
      feeds.graceOver = page
      feeds.isTimed = false
    case .delivered(let index, let page, let result):
      feeds.busy.remove(index)
      if feeds.page == page {
        feeds.outcomes[index] = try result.get()
        return
      }
      do {
        try await confirmSpooled(try result.get(), of: page, by: lanes[index])
      } catch let error as SluiceError where error.code == .rejected {
        throw error.ofSpooledPage
      }
      feedWaiting(&work)
    }
  }

  /// Throws where the run is to end.
  func checkStopped() throws {
    guard feeds.isStopped else { return }
    try environment.stop.check()
    throw CancellationError()
  }

  /// Saves that a sink has confirmed a page that was spooled for it.
  private func confirmSpooled(_ outcome: SinkLane.Outcome, of page: UInt64, by lane: SinkLane) async throws {
    try await reportRejections([lane.name: outcome], page: Int(page))
    try checkpoint.advancePastWaiting(lane.name, by: outcome.receipt)
    tally([lane.name: outcome])
    try await saveUnspooling(ledgers: [outcome.ledger].compactMap { $0 })
    try budget.checkUsed()
  }

  /// Takes note of how much waits for each sink.
  func noteWaiting() async throws {
    for lane in lanes where checkpoint.pagesWaiting(for: lane.name) > 0 { _ = try await bytesWaiting(for: lane) }
  }

  private func bytesWaiting(for lane: SinkLane) async throws -> Int {
    let bytes = try await state.spoolSize(
      after: checkpoint.lastPage(confirmedBy: lane.name), generation: checkpoint.listing.generation)
    if let index = report.sinks.firstIndex(where: { $0.name == lane.name }) {
      report.sinks[index].spooled = max(report.sinks[index].spooled, bytes)
    }
    return bytes
  }

  /// Whether a sink has confirmed every page before the one that is being confirmed, and is idle.
  private func isCaughtUp(_ index: Int) -> Bool {
    !feeds.busy.contains(index) && checkpoint.pagesWaiting(for: lanes[index].name) == 0
  }

  private func start(_ page: SpooledPage, to index: Int, saved: Checkpoint, _ work: inout Work) {
    let lane = lanes[index]
    let job = plan.name
    feeds.busy.insert(index)
    work.addTask { await .delivered(page.sequence, to: index) { try await lane.deliver(page, saved: saved, job: job) } }
  }
}

extension WorkEvent {
  fileprivate static func delivered(
    _ page: UInt64, to lane: Int, _ deliver: @Sendable () async throws -> SinkLane.Outcome
  ) async -> WorkEvent {
    do {
      return .delivered(lane: lane, page: page, .success(try await deliver()))
    } catch {
      return .delivered(lane: lane, page: page, .failure(error))
    }
  }
}

extension SinkLane {
  /// Brings one page to the sink. An error has the sink and the page.
  func deliver(_ page: SpooledPage, saved: Checkpoint, job: String) async throws -> Outcome {
    try await deliver(page.batch, rejected: page.rejected, saved: saved, job: job, page: Int(page.sequence))
  }

  fileprivate func deliver(
    _ batch: Batch, rejected: Set<Int>, saved: Checkpoint, job: String, page: Int?
  ) async throws -> Outcome {
    do {
      var outcome = try await deliver(batch, rejected: rejected, saved: saved)
      if !outcome.receipt.rejections.isEmpty { outcome.rejectedFrom = batch }
      return outcome
    } catch let error as SluiceError {
      throw error.at(Place(job: job, component: name, page: page))
    }
  }

  fileprivate func deliverSpooled(
    after sequence: UInt64, generation: UInt64, from state: any JobState, saved: Checkpoint, job: String
  ) async throws -> Outcome {
    let page = try await state.spooledPage(after: sequence, generation: generation)
    guard let page, page.sequence == sequence + 1 else {
      throw SluiceError(
        .invalidState, "page \(sequence + 1), which waits for a sink, is missing",
        at: Place(job: job, component: name), hint: "--restart begins a new listing")
    }
    return try await deliver(page, saved: saved, job: job)
  }
}

extension SluiceError {
  /// The error of a document whose page was read long ago: that it was put right at the source does not help yet.
  fileprivate var ofSpooledPage: SluiceError {
    SluiceError(
      code, message, at: place, retry: retry,
      hint: "the page waits as it was read: --restart reads all anew; on_reject: skip or dead_letter leaves it out",
      causes: causes)
  }
}
