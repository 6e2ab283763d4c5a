import SluiceCore

extension RunOptions {
  /// Whether single keys are written, in place of a listing: whatever is known of them.
  var bringsKeys: Bool { !only.isEmpty || mend != nil }
}

/// Bringing single keys, by looking them up: the listing that was saved stays as it is.
extension JobRun {
  /// How many keys are looked up at a time: the most that an adapter is given.
  private static let part = 100

  /// The counters of the run: those of the listing, unless it has its own.
  var counters: Checkpoint.Counters { ownCounters ?? checkpoint.counters }

  /// Looks keys up and writes each that is there. One that is not there, or that a transform leaves out, is deleted from
  /// the sinks of a mirror, where this job wrote it. `sinks` are the only ones to be changed; nil: all.
  func bring(_ keys: [Key], only sinks: Set<String>? = nil) async throws {
    guard keys.isEmpty || source is any Lookup else {
      throw SluiceError(
        .usage, "\(plan.source.name) cannot be asked for single documents", at: Place(job: plan.name),
        hint: "run the job without --only")
    }
    if let replaced = plan.sinks.first(where: { $0.adapter.capabilities.publishMode == .replace }),
      sinks?.contains(replaced.name) ?? true
    {
      throw SluiceError(
        .usage, "sink \(replaced.name) is replaced as a whole, and cannot take single keys", at: Place(job: plan.name),
        hint: "run the job without --only, or set publish: in_place where the sink has it")
    }
    try await bindForKeys(sinks)
    let listed = checkpoint.counters
    checkpoint.counters = Checkpoint.Counters()
    defer {
      ownCounters = checkpoint.counters
      checkpoint.counters = listed
    }
    guard let source = source as? any Lookup else { return }
    for start in stride(from: 0, to: keys.count, by: Self.part) {
      try environment.stop.check()
      try await bring(Array(keys[start..<min(start + Self.part, keys.count)]), from: source, saving: listed)
    }
  }

  /// Opens the lanes. A listing that was begun on a sink that is another now cannot go on.
  private func bindForKeys(_ names: Set<String>?) async throws {
    for (sink, sinkPlan) in zip(sinks, plan.sinks) where sinkPlan.adapter.capabilities.publishMode == .inPlace {
      let before = checkpoint.sinks[sinkPlan.name]?.identity
      try await bind(sink, sinkPlan)
      if let before, checkpoint.sinks[sinkPlan.name]?.identity != before {
        checkpoint.listing.taint(
          Listing.Taint("other_sink", "sink \(sinkPlan.name) is not the one the listing was begun with"))
      }
    }
    try await makeLanes()
    if let names { lanes.removeAll { !names.contains($0.name) } }
  }

  private func bring(_ keys: [Key], from source: any Lookup, saving listed: Checkpoint.Counters) async throws {
    try budget.reserve(reads: keys.count, elapsed: environment.elapsed() - startedAt)
    try await saveKeeping(listed)
    var batch = try await source.documents(for: keys)
    budget.settle(reserved: keys.count, billed: keys.count, bytes: batch.byteCount)
    checkpoint.counters.documents += batch.indices.count { batch.isDocument(at: $0) }
    if self.source.billingAccount != nil { checkpoint.counters.reads += keys.count }
    let rejected = try await transform(&batch, page: nil)
    checkpoint.counters.rejects += rejected.count
    // A document that a transform leaves out is absent from what is mirrored.
    batch = batch.resolving { index, kind in kind == .dropped && !rejected.contains(index) ? .delete : kind }
    if options.mend != nil { try await expect(batch) }
    var saved = checkpoint.assumingConfirmed(nil)
    saved.counters = listed
    let outcomes = try await deliver(batch, rejected: rejected, saved: saved, page: nil)
    for (name, outcome) in outcomes { try checkpoint.advance(name, by: outcome.receipt) }
    try await count(outcomes, of: batch)
    let kept = batch.count(of: .delete) - (outcomes.values.map(\.deletes).max() ?? 0)
    if kept > 0, plan.mode == .copy { note("\(kept) keys are not in the source; a copy deletes nothing") }
    try await saveKeeping(listed, ledgers: outcomes.values.compactMap(\.ledger))
    try budget.checkUsed()
  }

  /// Saves with the counters of the listing, not with those of this run.
  func saveKeeping(_ listed: Checkpoint.Counters, ledgers: [LedgerPage] = []) async throws {
    let own = checkpoint.counters
    checkpoint.counters = listed
    defer { checkpoint.counters = own }
    try await save(ledgers: ledgers)
  }
}
