import SluiceCore

/// The pages of a listing, one after the other, the next fetched while this one is applied.
extension JobRun {
  /// A page with what its arrival decided.
  private struct Arrival: Sendable {
    var request: PageRequest
    var fingerprint: Fingerprint
    var page: Page
    /// The highest key of the page, nil for an empty page.
    var highest: Key?
  }

  /// Lists every part from where it stands to its end, and brings to each sink what waits for it.
  func list() async throws {
    let stop = environment.stop
    try await withThrowingTaskGroup(of: WorkEvent.self) { work in
      defer { work.cancelAll() }
      work.addTask {
        await stop.untilRequested()
        return .stopped
      }
      do {
        feedWaiting(&work)
        for partition in checkpoint.listing.partitions.indices where !isLimited {
          try await list(partition: partition, &work)
        }
        try await drain(&work)
      } catch {
        await windUp(&work)
        throw error
      }
    }
  }

  /// Lists one part of the key space from where it stands to its end.
  private func list(partition: Int, _ work: inout Work) async throws {
    switch checkpoint.listing.partitions[partition].progress {
    case .notStarted: try await list(from: plan.paging.strategy.first, partition: partition, &work)
    case .at(let next): try await list(from: next, partition: partition, &work)
    case .ended: break
    }
  }

  private func list(from position: PagePosition, partition: Int, _ work: inout Work) async throws {
    var request = request(at: position, in: partition)
    try await prepareFirst(request)
    try environment.stop.check()
    begin(request, &work)
    var arrival = try await arrival(of: request, partition: partition, &work)
    while true {
      try guardProgress(of: arrival, in: partition)
      let step = try await step(after: arrival, in: partition)
      if cutToLimit(&arrival) {
        try await confirm(&arrival, then: step, in: partition, &work)
        return
      }
      guard case .next(let next) = step else {
        try await distrustEnd(arrival, step)
        try await confirm(&arrival, then: step, in: partition, &work)
        return
      }
      request = self.request(at: next, in: partition)
      try admit(request, after: arrival, in: partition)
      do {
        try budget.reserve(reads: request.size, elapsed: environment.elapsed() - startedAt)
      } catch {
        // The page in hand is paid for: keep it, then stop.
        try await confirm(&arrival, then: step, in: partition, &work)
        throw error
      }
      // Applied and saved while the next is fetched.
      begin(request, &work)
      try await confirm(&arrival, then: step, in: partition, ahead: request.size, &work)
      arrival = try await self.arrival(of: request, partition: partition, &work)
    }
  }

  private func request(at position: PagePosition, in partition: Int) -> PageRequest {
    PageRequest(
      position: position, size: min(plan.paging.strategy.pageSize, options.limit ?? .max),
      frozen: checkpoint.listing.frozen,
      range: checkpoint.listing.partitions[partition].range)
  }

  /// Cuts a page that reaches the limit of the run. One size for all pages: a page number means another place with
  /// another size.
  private func cutToLimit(_ arrival: inout Arrival) -> Bool {
    guard let limit = options.limit else { return false }
    let rest = limit - checkpoint.counters.documents
    guard arrival.page.signals.count >= rest else { return false }
    isLimited = true
    if arrival.page.batch.count > rest {
      arrival.page.batch = arrival.page.batch.slice(0..<max(0, rest))
      arrival.page.signals.count = rest
    }
    return true
  }

  /// Reserves the reads of the first two requests and saves, before anything is asked.
  private func prepareFirst(_ request: PageRequest) async throws {
    _ = loopGuard.admit(LoopGuard.fingerprint(of: request.position, range: request.range))
    try budget.reserve(reads: request.size, elapsed: environment.elapsed() - startedAt)
    try await save(ahead: request.size)
  }

  private func admit(_ request: PageRequest, after arrival: Arrival, in partition: Int) throws {
    guard !loopGuard.admit(LoopGuard.fingerprint(of: request.position, range: request.range)) else { return }
    let cost = RunawayCost(
      requests: budget.used.requests, reads: budget.used.reads, elapsed: environment.elapsed() - startedAt,
      source: type(of: source).name, freeReadsPerDay: source.freeReadsPerDay)
    throw SluiceError(
      .loopDetected, "the listing goes in circles: this page leads to one that was already asked for",
      at: place(page: checkpoint.listing.partitions[partition].pages + 1),
      hint: "stopped at the first repeat, nothing was published; \(cost.sentence)")
  }

  private func begin(_ request: PageRequest, _ work: inout Work) {
    let source = source
    work.addTask(executorPreference: source.readingExecutor) {
      do { return .fetched(.success(try await source.page(request))) } catch { return .fetched(.failure(error)) }
    }
  }

  /// Waits for the page that was begun last, but leaves it as soon as somebody asks to stop.
  private func arrival(of request: PageRequest, partition: Int, _ work: inout Work) async throws -> Arrival {
    while feeds.fetched == nil {
      try checkStopped()
      try await handleNext(&work)
    }
    try checkStopped()
    guard let fetched = feeds.fetched.take() else { throw CancellationError() }
    do {
      return arrived(try fetched.get(), request)
    } catch let error as SluiceError {
      throw failed(error, request, in: partition)
    }
  }

  private func failed(_ error: SluiceError, _ request: PageRequest, in partition: Int) -> SluiceError {
    budget.release(reserved: request.size, after: error)
    return error.at(place(page: checkpoint.listing.partitions[partition].pages + 1))
  }

  /// Notes what a page cost.
  private func arrived(_ page: Page, _ request: PageRequest) -> Arrival {
    let reads = source.billingAccount == nil ? page.signals.count : page.signals.billedReads
    budget.settle(reserved: request.size, billed: reads, bytes: page.signals.receivedBytes)
    let fingerprint = LoopGuard.fingerprint(of: request.position, range: request.range)
    return Arrival(request: request, fingerprint: fingerprint, page: page, highest: page.batch.highestKey)
  }

  private func guardProgress(of arrival: Arrival, in partition: Int) throws {
    let state = checkpoint.listing.partitions[partition]
    guard arrival.page.signals.count == 0, state.emptyPages + 1 > plan.limits.maxEmptyPages else { return }
    throw SluiceError(
      .tooManyEmptyPages, "\(state.emptyPages + 1) pages in a row were empty", at: place(page: state.pages + 1),
      hint: "nothing was published; raise limits.max_empty_pages if the source is known to send so many")
  }

  /// What follows a page, by the strategy and by whether the page brought a key that this listing has not seen. Decided
  /// before the next page is asked for, so that a source that repeats itself is not asked once more.
  private func step(after arrival: Arrival, in partition: Int) async throws -> PagingStep {
    let place = place(page: checkpoint.listing.partitions[partition].pages + 1)
    let step: PagingStep
    do {
      step = try plan.paging.strategy.step(after: arrival.page.signals, of: arrival.request)
    } catch let error as SluiceError {
      throw error.at(place)
    }
    guard try await bringsNothingNew(arrival, in: partition) else { return step }
    if plan.paging.strategy.stopsWithoutNewKeys { return .end(.noNewKeys) }
    throw SluiceError(
      .noProgress, "all \(arrival.page.batch.count) keys of the page came before in this listing", at: place,
      hint: "the other side repeats itself; nothing was published")
  }

  /// Signs of an end that a server which lost something would give as well.
  private func distrustEnd(_ arrival: Arrival, _ step: PagingStep) async throws {
    let listed = checkpoint.counters.documents + arrival.page.signals.count
    switch step {
    case .end(.totalReached):
      // The strategy sees one page; the engine knows what all of them held.
      guard let total = arrival.page.signals.total, listed < total, checkpoint.listing.partitions.count == 1 else {
        return
      }
      checkpoint.listing.taint(
        Listing.Taint("count_differs", "\(listed) documents were listed, but the source counts \(total)"))
    case .end(.noNewKeys):
      checkpoint.listing.taint(
        Listing.Taint("ended_by_rule", "the listing was ended by stop_when: no_new_keys, at a page that came before"))
    case .end(.noToken), .end(.noURL): try await distrustFullLastPage(arrival, listed: listed)
    default: break
    }
  }

  /// A full last page that names no next one is the end by the protocol, but also what a server that cut its answer
  /// would send. Where the source can count, the count decides; else the report says so.
  private func distrustFullLastPage(_ arrival: Arrival, listed: Int) async throws {
    guard arrival.page.signals.count == arrival.request.size, checkpoint.listing.order != .pinned else { return }
    guard let countable = source as? any Countable else {
      note("the last page was full and named no next one: by the protocol that is the end, after \(listed) documents")
      return
    }
    let counted = try await countable.count(frozen: checkpoint.listing.frozen)
    if counted.documents != listed {
      checkpoint.listing.taint(
        Listing.Taint("count_differs", "\(listed) documents were listed, but the source counts \(counted.documents)"))
    }
  }

  /// Applies a page to the sinks and saves the checkpoint with their receipts; for a sink that lags, the page is saved
  /// with it. Takes the documents out of `arrival`.
  private func confirm(
    _ arrival: inout Arrival, then step: PagingStep, in partition: Int, ahead: Int = 0, _ work: inout Work
  ) async throws {
    let page = checkpoint.listing.partitions[partition].pages + 1
    let keys = arrival.page.batch.keyFingerprints
    let highest = arrival.highest
    let isEmpty = arrival.page.signals.count == 0

    // Moved, so that the transforms change the page in place: where somebody else holds it, they change a copy.
    var batch = Batch()
    swap(&batch, &arrival.page.batch)
    let unreadable = arrival.page.rejections.count
    if unreadable > 0 { try await leaveOut(unreadable: arrival.page.rejections, page: page) }
    let rejected = try await transform(&batch, page: page)
    let dropped = batch.count(of: .dropped)
    if lanes.count > 1 { try await makeRoom(&work) }
    // The page's own counts are added to what the checkpoint has by then: sinks that lag move it meanwhile.
    let rest = arrival.page
    let counting = { (checkpoint: Checkpoint) in
      var counted = checkpoint
      counted.counters = self.counted(rest, dropped: dropped, rejected: rejected.count)
      counted.listing.noteUnreadable(unreadable)
      return counted
    }
    let delivered = try await deliver(
      SpooledPage(
        generation: checkpoint.listing.generation, sequence: UInt64(checkpoint.listing.pages) + 1, batch: batch,
        rejected: rejected), then: (partition, step, highest, isEmpty), counting: counting, &work)

    try await reportRejections(delivered.outcomes, page: page)
    checkpoint = counting(checkpoint)
    try checkpoint.confirmPage(
      of: partition, next: step, highest: highest, isEmpty: isEmpty, receipts: delivered.outcomes.mapValues(\.receipt),
      spooled: delivered.spooled)
    tally(delivered.outcomes)
    try await save(
      ledgers: delivered.outcomes.values.compactMap(\.ledger),
      page: PageRecord(generation: checkpoint.listing.generation, request: arrival.fingerprint, keys: keys),
      spooled: delivered.spooled, ahead: ahead)
    if delivered.spooled != nil { try await noteWaiting() }
    feedWaiting(&work)
    environment.observe(.progress(job: plan.name, counters: checkpoint.counters, known: known))
    try budget.checkUsed()
    if case .next = step { try environment.stop.check() }
  }

  private func deliver(
    _ page: SpooledPage, then change: PageChange, counting: (Checkpoint) -> Checkpoint, _ work: inout Work
  ) async throws -> (outcomes: [String: SinkLane.Outcome], spooled: SpooledPage?) {
    // The usual single sink needs no task of its own.
    guard lanes.count == 1 else { return try await feed(page, then: change, counting: counting, &work) }
    let saved = counting(checkpoint.assumingConfirmed(change))
    return ([lanes[0].name: try await lanes[0].deliver(page, saved: saved, job: plan.name)], nil)
  }

  /// Whether a page has documents, but no key that this listing has not seen. A key above the highest so far is new
  /// without a look.
  private func bringsNothingNew(_ arrival: Arrival, in partition: Int) async throws -> Bool {
    guard let highest = arrival.highest, let before = checkpoint.listing.partitions[partition].highest,
      !(before < highest)
    else { return false }
    let keys = arrival.page.batch.keyFingerprints
    return try await state.countUnseen(keys, generation: checkpoint.listing.generation) == 0
  }

  /// Runs the transforms. Answers the places of the documents that one of them could not take.
  func transform(_ batch: inout Batch, page: Int?) async throws -> Set<Int> {
    guard !transforms.isEmpty else { return [] }
    var rejections: [Rejection] = []
    for transform in transforms {
      do {
        try transform.apply(to: &batch, rejections: &rejections)
      } catch let error as SluiceError {
        throw error.at(place(page: page))
      }
    }
    guard !rejections.isEmpty else { return [] }
    try await report(rejections, page: page)
    let keys = Set(rejections.map(\.key))
    if purpose.changesNothing { rejectedKeys.formUnion(keys) }
    return Set(batch.indices.filter { batch.kind(at: $0) == .dropped && keys.contains(batch.key(at: $0)) })
  }

  /// The counters with a page that is about to be confirmed.
  private func counted(_ page: Page, dropped: Int, rejected: Int) -> Checkpoint.Counters {
    var counters = checkpoint.counters
    counters.pages += 1
    counters.documents += page.signals.count
    counters.dropped += dropped - rejected
    counters.rejects += rejected + page.rejections.count
    counters.reads += page.signals.billedReads
    counters.bytes += page.signals.receivedBytes
    return counters
  }

  /// Counts what sinks did, for checkpoint, report and budget. Throws where a document that was not taken stops the run.
  func count(_ outcomes: [String: SinkLane.Outcome]) async throws {
    try await reportRejections(outcomes, page: checkpoint.listing.pages)
    tally(outcomes)
  }

  /// Counts what sinks did, once it is sure that it counts.
  func tally(_ outcomes: [String: SinkLane.Outcome]) {
    for index in report.sinks.indices {
      guard let outcome = outcomes[report.sinks[index].name] else { continue }
      report.sinks[index].staged += outcome.staged
      report.sinks[index].writes += outcome.writes
      report.sinks[index].deletes += outcome.deletes
      report.sinks[index].unchanged += outcome.unchanged
      checkpoint.counters.writes += outcome.writes
      checkpoint.counters.deletes += outcome.deletes
      checkpoint.counters.unchanged += outcome.unchanged
      budget.note(writes: outcome.writes, deletes: outcome.deletes)
    }
  }

  /// Reports what sinks could not take, in the order of the configuration.
  func reportRejections(_ outcomes: [String: SinkLane.Outcome], page: Int) async throws {
    for sink in plan.sinks {
      guard let outcome = outcomes[sink.name] else { continue }
      try await report(outcome.receipt.rejections, page: page, by: sink.name, of: outcome.rejectedFrom)
    }
  }
}

extension Batch {
  /// One fingerprint for each key, in order.
  fileprivate var keyFingerprints: [Fingerprint] {
    indices.map { index in withKeyBytes(at: index) { Fingerprint(of: $0) } }
  }

  /// The highest key.
  fileprivate var highestKey: Key? {
    guard let first = indices.first else { return nil }
    var highest = first
    for index in indices.dropFirst() {
      let isHigher = withKeyBytes(at: index) { key in
        withKeyBytes(at: highest) { Key.precedes($0, key) }
      }
      if isHigher { highest = index }
    }
    return key(at: highest)
  }
}
