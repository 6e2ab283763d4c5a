import SluiceCore

/// How a run begins: with a new listing, or where an earlier run stopped.
extension JobRun {
  /// Makes the lanes and decides whether the saved listing goes on.
  func begin(resuming isResumable: Bool) async throws {
    try openDeadLetters()
    if isResumable, try await resume() { return }
    try await startListing()
  }

  /// Takes up the saved listing. False when a sink can no longer do so: then all begins anew.
  private func resume() async throws -> Bool {
    let isAtEnd = checkpoint.listing.hasEnded
    for (index, sink) in sinks.enumerated() {
      guard let cursor = checkpoint.sinks[plan.sinks[index].name],
        try await canResume(sink, plan.sinks[index], cursor, isAtEnd: isAtEnd)
      else {
        note("a new listing: what sink \(plan.sinks[index].name) was given is gone, or would look different now")
        return false
      }
    }
    loopGuard = LoopGuard(confirmed: try await state.requests(generation: checkpoint.listing.generation))
    isResumedAtEnd = isAtEnd
    report.resumedPages = checkpoint.listing.pages
    try await makeLanes()
    // A sink may be a delivery ahead, and no page follows whose save would say so: deletes come next, and with them it
    // would be two ahead.
    if isAtEnd { try await save() }
    try await deadLetters?.begin(isResumed: true)
    announce()
    return true
  }

  private func canResume(
    _ sink: any Writable, _ sinkPlan: JobPlan.SinkPlan, _ cursor: Checkpoint.SinkCursor, isAtEnd: Bool
  ) async throws -> Bool {
    guard cursor.listingShape == sinkPlan.shape else { return false }
    switch sinkPlan.adapter.capabilities.publishMode {
    case .replace:
      guard let publishing = sink as? any Publishing else { return false }
      let mark = cursor.stage ?? StageMark.empty
      if isAtEnd, try await isPublished(mark, by: publishing, cursor) { return true }
      return try await publishing.openStage(generation: checkpoint.listing.generation, resuming: mark) == mark
    case .inPlace, .append, nil:
      let identity = try await sink.identity(creating: false)
      return identity != nil && identity == cursor.identity
    }
  }

  /// Whether the set of this listing was swapped in already, saved or not.
  private func isPublished(
    _ mark: StageMark, by sink: any Publishing, _ cursor: Checkpoint.SinkCursor
  ) async throws -> Bool {
    let generation = checkpoint.listing.generation
    if let saved = cursor.publication, saved.generation == generation { return try await sink.shows(saved) }
    // The set that was there before is left as it is where it has the same content, and the stage may be gone by now.
    if let saved = cursor.publication, saved.content == mark { return try await sink.shows(saved) }
    return try await sink.shows(Publication(generation: generation, content: mark))
  }

  /// Begins a new listing: everything frozen, stages opened, saved before page 1.
  func startListing() async throws {
    let frozen = try await source.freeze()
    let listing = Listing(
      generation: checkpoint.listing.generation + 1, frozen: frozen,
      order: plan.paging.order(of: plan.source.capabilities))
    checkpoint.begin(listing, phase: .snapshot(watchFrom: nil))
    if let limit = options.limit {
      // From the start: a listing with a size of its own is never taken up by another run.
      checkpoint.listing.taint(
        Listing.Taint("stopped_early", "the run was asked to stop after \(limit) documents (--limit)"))
    }
    if options.full { for name in checkpoint.sinks.keys { checkpoint.sinks[name]?.shape = nil } }
    loopGuard = LoopGuard()
    isResumedAtEnd = false
    report.resumedPages = 0
    for (index, sink) in sinks.enumerated() {
      let sinkPlan = plan.sinks[index]
      checkpoint.sinks[sinkPlan.name, default: Checkpoint.SinkCursor()].listingShape = sinkPlan.shape
      if sinkPlan.adapter.capabilities.publishMode == .replace, let publishing = sink as? any Publishing {
        checkpoint.sinks[sinkPlan.name]?.stage =
          try await publishing.openStage(generation: listing.generation, resuming: nil)
      } else {
        try await bind(sink, sinkPlan)
      }
    }
    try await makeLanes()
    try await deadLetters?.begin(isResumed: false)
    announce()
  }

  /// Notes the identity that the ledger is bound to, and says so where it is another than last time.
  func bind(_ sink: any Writable, _ sinkPlan: JobPlan.SinkPlan) async throws {
    let before = checkpoint.sinks[sinkPlan.name]?.identity
    let identity = try await sink.identity(creating: true)
    if let before, before != identity {
      note("sink \(sinkPlan.name) is not the one this job wrote before: everything is written, nothing is deleted")
    }
    checkpoint.sinks[sinkPlan.name]?.identity = identity
  }

  func makeLanes() async throws {
    lanes = []
    for (index, sink) in sinks.enumerated() {
      let sinkPlan = plan.sinks[index]
      guard let cursor = checkpoint.sinks[sinkPlan.name] else { continue }
      let route = try await route(to: sink, sinkPlan, identity: cursor.identity)
      let lane = SinkLane(
        name: sinkPlan.name, sink: sink, route: route, generation: checkpoint.listing.generation,
        sequence: cursor.sequence, trustsFingerprints: cursor.shape == sinkPlan.shape && !options.bringsKeys,
        acceptsRejections: plan.onReject != .stop,
        timestampDigits: sinkPlan.adapter.capabilities.timestampDigits,
        deletes: plan.mode == .mirror ? plan.deletes : .ignore, now: environment.now,
        held: try await held(by: sink, sinkPlan))
      if checkpoint.listing.pages == 0, let ledger = await lane.ledger {
        checkpoint.sinks[sinkPlan.name]?.heldBefore = try await ledger.liveCount()
      }
      lanes.append(lane)
    }
  }

  /// What a sink that is adopted holds.
  private func held(by sink: any Writable, _ sinkPlan: JobPlan.SinkPlan) async throws -> HeldContent? {
    let capabilities = sinkPlan.adapter.capabilities
    guard purpose == .adopt, capabilities.publishMode == .inPlace, capabilities.isVerifiable,
      let sink = sink as? any Verifiable
    else { return nil }
    return try await HeldContent(of: sink, timestampDigits: capabilities.timestampDigits)
  }

  private func route(
    to sink: any Writable, _ sinkPlan: JobPlan.SinkPlan, identity: SinkIdentity?
  ) async throws -> SinkLane.Route {
    if sinkPlan.adapter.capabilities.publishMode == .replace, let publishing = sink as? any Publishing {
      return .staged(publishing)
    }
    // A log that knows itself again is given what changed; one that does not, such as a pipe, everything.
    guard let identity else { return .direct }
    if sinkPlan.adapter.capabilities.isTransactional, let transactional = sink as? any Transactional {
      return .transactional(try await transactional.ledger(job: plan.name), identity)
    }
    return .compared(try await state.ledger(sink: sinkPlan.name, identity: identity), identity)
  }

  private func announce() {
    environment.observe(
      .started(job: plan.name, generation: checkpoint.listing.generation, resumedPages: report.resumedPages))
  }
}

extension StageMark {
  /// Nothing staged yet.
  static let empty = StageMark(length: 0, digest: RunningDigest().value, documents: 0)
}
