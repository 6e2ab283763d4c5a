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

  /// Pages being fetched beside what the run does; nil comes when somebody asked to stop. One group for a whole listing:
  /// one made for each page cost a task and three changes of threads more between two requests.
  private typealias Fetches = ThrowingTaskGroup<Page?, any Error>

  /// Lists one part of the key space from where it stands to its end.
  func list(partition: Int) async throws {
    let position: PagePosition
    switch checkpoint.listing.partitions[partition].progress {
    case .notStarted: position = plan.paging.strategy.first
    case .at(let next): position = next
    case .ended: return
    }
    let stop = environment.stop
    try await withThrowingTaskGroup(of: Page?.self) { fetches in
      defer { fetches.cancelAll() }
      fetches.addTask {
        await stop.untilRequested()
        return nil
      }
      try await list(from: position, partition: partition, &fetches)
    }
  }

  private func list(from position: PagePosition, partition: Int, _ fetches: inout Fetches) async throws {
    var request = request(at: position, in: partition)
    try await prepareFirst(request)
    try environment.stop.check()
    begin(request, &fetches)
    var arrival = try await arrival(of: request, partition: partition, &fetches)
    while true {
      try guardProgress(of: arrival, in: partition)
      let step = try await step(after: arrival, in: partition)
      if cutToLimit(&arrival) {
        try await confirm(&arrival, then: step, in: partition)
        return
      }
      guard case .next(let next) = step else {
        try await distrustEnd(arrival, step)
        try await confirm(&arrival, then: step, in: partition)
        return
      }
      request = self.request(at: next, in: partition)
      try admit(request, after: arrival, in: partition)
      do {
        try budget.reserve(reads: request.size, elapsed: environment.elapsed() - startedAt)
      } catch {
        // The page in hand is paid for: keep it, then stop.
        try await confirm(&arrival, then: step, in: partition)
        throw error
      }
      // Applied and saved while the next is fetched.
      begin(request, &fetches)
      try await confirm(&arrival, then: step, in: partition, ahead: request.size)
      arrival = try await self.arrival(of: request, partition: partition, &fetches)
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

  private func begin(_ request: PageRequest, _ fetches: inout Fetches) {
    let source = source
    fetches.addTask(executorPreference: source.readingExecutor) { try await source.page(request) }
  }

  /// Waits for the page that was begun last, but leaves it as soon as somebody asks to stop.
  private func arrival(of request: PageRequest, partition: Int, _ fetches: inout Fetches) async throws -> Arrival {
    do {
      guard let page = try await fetches.next() ?? nil else {
        try environment.stop.check()
        throw CancellationError()
      }
      return arrived(page, request)
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

  /// Applies a page to every sink and saves the checkpoint with their receipts. Takes the documents out of `arrival`.
  private func confirm(
    _ arrival: inout Arrival, then step: PagingStep, in partition: Int, ahead: Int = 0
  ) async throws {
    let page = checkpoint.listing.partitions[partition].pages + 1
    let keys = arrival.page.batch.keyFingerprints
    let highest = arrival.highest

    // Moved, so that the transforms change the page in place: where somebody else holds it, they change a copy.
    var batch = Batch()
    swap(&batch, &arrival.page.batch)
    if !arrival.page.rejections.isEmpty { try await leaveOut(unreadable: arrival.page.rejections, page: page) }
    let rejected = try await transform(&batch, page: page)
    let counters = counted(arrival.page, dropped: batch.count(of: .dropped), rejected: rejected.count)
    var saved = checkpoint.assumingConfirmed((partition, step, highest, arrival.page.signals.count == 0))
    saved.counters = counters
    let outcomes = try await deliver(batch, rejected: rejected, saved: saved, page: page)

    checkpoint.counters = counters
    try checkpoint.confirmPage(
      of: partition, next: step, highest: highest, isEmpty: arrival.page.signals.count == 0,
      receipts: outcomes.mapValues(\.receipt))
    try await count(outcomes, of: batch)
    try await save(
      ledgers: outcomes.values.compactMap(\.ledger),
      page: PageRecord(generation: checkpoint.listing.generation, request: arrival.fingerprint, keys: keys),
      ahead: ahead)
    environment.observe(.progress(job: plan.name, counters: checkpoint.counters, known: known))
    try budget.checkUsed()
    if case .next = step { try environment.stop.check() }
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

  func deliver(
    _ batch: Batch, rejected: Set<Int>, saved: Checkpoint, page: Int?
  ) async throws -> [String: SinkLane.Outcome] {
    let job = plan.name
    let deliver = { @Sendable (lane: SinkLane) async throws -> SinkLane.Outcome in
      do {
        return try await lane.deliver(batch, rejected: rejected, saved: saved)
      } catch let error as SluiceError {
        throw error.at(Place(job: job, component: lane.name, page: page))
      }
    }
    // The usual single sink needs no task of its own.
    if lanes.count == 1 { return [lanes[0].name: try await deliver(lanes[0])] }
    return try await withThrowingTaskGroup(of: (String, SinkLane.Outcome).self) { group in
      for lane in lanes { group.addTask { (lane.name, try await deliver(lane)) } }
      var outcomes: [String: SinkLane.Outcome] = [:]
      for try await (name, outcome) in group { outcomes[name] = outcome }
      return outcomes
    }
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

  /// Counts what sinks did, for checkpoint, report and budget.
  func count(_ outcomes: [String: SinkLane.Outcome], of batch: Batch = Batch()) async throws {
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
      try await report(
        outcome.receipt.rejections, page: checkpoint.listing.pages, by: report.sinks[index].name, of: batch)
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
