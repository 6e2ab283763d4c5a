import SluiceCore

/// What follows the last page: the proof, the deletes that need it, publishing, the final save.
extension JobRun {
  /// How many rows are deleted in one delivery.
  private static let deleteBatch = 500

  /// Ends a listing whose parts have all ended.
  func complete() async throws {
    distrustCap()
    if purpose == .verify { return }
    switch checkpoint.listing.finish() {
    case .success(let proof):
      try await guardEmptySource()
      try await guardShrinkage()
      if plan.mode == .mirror, plan.deletes != .ignore, purpose != .adopt { try await deleteAbsent(by: proof) }
      try await publish(by: proof)
    case .failure(let taint):
      try await completeWithoutProof(taint)
    }
    if options.limit == nil { for sink in plan.sinks { checkpoint.sinks[sink.name]?.shape = sink.shape } }
    if let deadLetters {
      try await deadLetters.finish()
      if checkpoint.counters.rejects > 0 { note("what was left out is noted in \(deadLetters.path)") }
    }
    checkpoint.phase = .finished
    try await save()
  }

  /// A listing as long as the source ever gives may have been cut there.
  private func distrustCap() {
    let listed = checkpoint.counters.documents
    guard let most = plan.limits.maxResults, listed >= most else { return }
    checkpoint.listing.taint(
      Listing.Taint(
        "cap_reached", "\(listed) documents were listed, and the source gives no more than \(most) (max_results)"))
  }

  /// A listing without proof still counts for sinks that take changes as they come; nothing is deleted or replaced.
  private func completeWithoutProof(_ taint: Listing.Taint) async throws {
    note("no deletes and nothing replaced: \(taint.detail)")
    for (index, sink) in sinks.enumerated() where plan.sinks[index].adapter.capabilities.publishMode == .replace {
      if let publishing = sink as? any Publishing { try await publishing.discardStage() }
    }
    if options.limit != nil { return }
    if plan.sinks.contains(where: { $0.adapter.capabilities.publishMode == .replace }) {
      throw SluiceError(
        .limitExceeded, "a replacing sink needs a complete listing: \(taint.detail)", at: place(),
        hint: "nothing was published")
    }
  }

  private func guardEmptySource() async throws {
    guard checkpoint.counters.documents == 0, !plan.limits.allowEmpty else { return }
    let deleteGuard = deleteGuard
    for (index, sink) in sinks.enumerated() {
      let removes =
        (plan.mode == .mirror && plan.deletes != .ignore)
        || plan.sinks[index].adapter.capabilities.publishMode == .replace
      guard removes else { continue }
      try deleteGuard.check(documents: 0, sinkIsEmpty: try await sink.isEmpty(), sink: plan.sinks[index].name)
    }
    note("the source has no documents")
  }

  /// A replaced set that shrinks loses documents by absence too.
  private func guardShrinkage() async throws {
    for sink in plan.sinks where sink.adapter.capabilities.publishMode == .replace {
      guard let cursor = checkpoint.sinks[sink.name], let before = cursor.publication?.content.documents,
        let after = cursor.stage?.documents
      else { continue }
      try deleteGuard.check(deletes: max(0, before - after), of: before, sink: sink.name)
    }
  }

  var deleteGuard: DeleteGuard {
    DeleteGuard(limit: options.maxDelete ?? plan.limits.maxDelete, allowsEmpty: plan.limits.allowEmpty)
  }

  private func deleteAbsent(by proof: CompleteListing) async throws {
    if proof.needsSecondLook, !(source is any Lookup) {
      let unreadable = checkpoint.listing.unreadable
      note(
        unreadable > 0
          ? "absent documents were kept: any of them may be among the \(unreadable) that could not be read"
          : "absent documents were kept: the source's order is not stable, and it has no look-up")
      return
    }
    for lane in lanes {
      guard let ledger = await lane.ledger else { continue }
      // Counted first, then deleted: the guard sees the whole number, and nothing is held but one batch.
      var absent = 0
      try await forEachAbsent(in: ledger, by: proof) { rows in
        absent += rows.count
        await (ledger as? ShadowLedger)?.countAbsent(rows)
      }
      guard absent > 0 else { continue }
      let held = checkpoint.sinks[lane.name]?.heldBefore ?? 0
      try deleteGuard.check(deletes: absent, of: max(held, absent), sink: lane.name)
      try budget.check(deletes: absent)
      if purpose.changesNothing { continue }
      try await forEachAbsent(in: ledger, by: proof) { try await self.delete($0, in: lane, by: proof) }
    }
  }

  /// The keys that this listing did not bring, in batches; those that a second look finds are left out.
  private func forEachAbsent(
    in ledger: any Ledger, by proof: CompleteListing, _ body: ([LedgerRow]) async throws -> Void
  ) async throws {
    var last: Key?
    while true {
      let rows = try await ledger.unseen(generation: proof.generation, after: last, limit: Self.deleteBatch)
      guard let end = rows.last?.key else { return }
      last = end
      let absent = proof.needsSecondLook ? try await confirmedAbsent(rows) : rows
      if !absent.isEmpty { try await body(absent) }
    }
  }

  /// Those of the keys that are not there now either.
  func confirmedAbsent(_ rows: [LedgerRow]) async throws -> [LedgerRow] {
    guard let lookup = source as? any Lookup else { return [] }
    var absent: [LedgerRow] = []
    for start in stride(from: 0, to: rows.count, by: 100) {
      let part = rows[start..<min(start + 100, rows.count)]
      var batch = try await lookup.documents(for: part.map(\.key))
      var rejections: [Rejection] = []
      for transform in transforms { try transform.apply(to: &batch, rejections: &rejections) }
      let rejected = Set(rejections.map(\.key))
      let present = Set(
        batch.indices.filter { batch.kind(at: $0) == .upsert && !batch.header(at: $0).isMissing }.map(batch.key(at:)))
      absent += part.filter { !present.contains($0.key) && !rejected.contains($0.key) }
    }
    return absent
  }

  func delete(_ rows: [LedgerRow], in lane: SinkLane, by proof: CompleteListing) async throws {
    try environment.stop.check()
    let outcome = try await lane.delete(rows, by: proof, saved: checkpoint.assumingConfirmed(nil))
    try checkpoint.advance(lane.name, by: outcome.receipt)
    try await count([lane.name: outcome])
    try await save(ledgers: [outcome.ledger].compactMap { $0 })
    try budget.checkUsed()
  }

  private func publish(by proof: CompleteListing) async throws {
    for (index, sink) in sinks.enumerated() {
      let name = plan.sinks[index].name
      guard let publishing = sink as? any Publishing, let stage = checkpoint.sinks[name]?.stage,
        plan.sinks[index].adapter.capabilities.publishMode == .replace
      else { continue }
      switch purpose {
      case .run: try await publish(stage, in: publishing, by: proof, report: index)
      case .adopt: try await adopt(stage, in: publishing, by: proof, report: index)
      case .plan: try await foresee(stage, in: publishing, report: index)
      case .verify: break
      }
    }
  }

  private func publish(
    _ stage: StageMark, in sink: any Publishing, by proof: CompleteListing, report index: Int
  ) async throws {
    let name = plan.sinks[index].name
    let before = checkpoint.sinks[name]?.publication
    if let before, before.content == stage, checkpoint.sinks[name]?.shape == plan.sinks[index].shape,
      try await sink.shows(before)
    {
      try await sink.discardStage()
      report.sinks[index].wasCurrent = true
      report.sinks[index].unchanged = stage.documents
      checkpoint.counters.unchanged += stage.documents
    } else {
      try budget.check(writes: stage.documents)
      let publication = Publication(generation: proof.generation, content: stage)
      // After a crash between swapping in and saving, the target shows the set already.
      var isDone = false
      if isResumedAtEnd, before?.generation != proof.generation { isDone = try await sink.shows(publication) }
      checkpoint.sinks[name]?.publication = isDone ? publication : try await sink.publish(proof, content: stage)
      report.sinks[index].isPublished = true
      report.sinks[index].writes = stage.documents
      checkpoint.counters.writes += stage.documents
      budget.note(writes: stage.documents, deletes: 0)
    }
    checkpoint.sinks[name]?.shape = plan.sinks[index].shape
    environment.observe(
      .published(
        job: plan.name, sink: name, documents: stage.documents, wasCurrent: report.sinks[index].wasCurrent))
    try await save()
  }
}
