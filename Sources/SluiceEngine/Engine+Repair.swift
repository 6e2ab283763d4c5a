import SluiceCore

extension Engine {
  /// Writes what differs, sink by sink; deletes what only the sink of a mirror has, by the proof of the listing that
  /// found it. A replaced set is made anew as a whole, and so is everything where the source has no look-up.
  func repair(
    _ plan: JobPlan, _ found: [VerifyReport.Sink], by proof: CompleteListing?, _ options: VerifyOptions,
    _ state: any JobState
  ) async -> RunReport {
    let damaged = found.filter { $0.isReadable && !$0.isSame }
    let needsAll = plan.sinks.contains { sink in
      let isReplaced = sink.adapter.capabilities.publishMode == .replace
      return damaged.contains { $0.name == sink.name } && (isReplaced || !plan.source.capabilities.hasLookup)
    }
    var full = RunOptions(maxDelete: options.maxDelete)
    full.full = needsAll
    // The keys that are written single; a full run brings them all.
    let keys = needsAll ? [] : Set(damaged.flatMap { $0.missing + $0.different }).sorted()
    if needsAll {
      let report = await work(plan, full, for: .run, state: state)
      guard report.exitCode == 0 else { return report }
      guard hasExtras(damaged, plan) else { return report }
      var rest = await mend(plan, [], damaged, proof, full, state)
      for (index, sink) in report.sinks.enumerated() where index < rest.sinks.count {
        rest.sinks[index].writes += sink.writes
        rest.sinks[index].isPublished = sink.isPublished
      }
      return rest
    }
    return await mend(plan, keys, damaged, proof, full, state)
  }

  private func hasExtras(_ damaged: [VerifyReport.Sink], _ plan: JobPlan) -> Bool {
    plan.sinks.contains { sink in
      sink.adapter.capabilities.publishMode == .inPlace
        && damaged.contains { $0.name == sink.name && $0.countsExtra && !$0.extra.isEmpty }
    }
  }

  /// Brings single keys to the sinks that lack them, and deletes what is too much.
  private func mend(
    _ plan: JobPlan, _ keys: [Key], _ damaged: [VerifyReport.Sink], _ proof: CompleteListing?, _ options: RunOptions,
    _ state: any JobState
  ) async -> RunReport {
    var options = RunOptions(maxDelete: options.maxDelete)
    options.mend = Mending(
      keys: keys, sinks: Set(damaged.map(\.name)), proof: proof,
      extra: Dictionary(
        uniqueKeysWithValues: damaged.filter(\.countsExtra).map { ($0.name, (keys: $0.extra, held: $0.held)) }))
    return await work(plan, options, for: .run, state: state)
  }
}

/// What is to be written and deleted beside a listing.
struct Mending: Sendable {
  var keys: [Key]
  /// The sinks that are to be changed.
  var sinks: Set<String>
  var proof: CompleteListing?
  /// Keys to delete, for each sink, and how many documents it holds.
  var extra: [String: (keys: [Key], held: Int)]
}

extension VerifyReport.Sink {
  fileprivate var held: Int { equal + different.count + extra.count }
}

extension JobRun {
  /// Writes and deletes what a comparison found.
  func mend(_ mending: Mending) async throws {
    // Refused before anything is written.
    for (name, extra) in mending.extra {
      try deleteGuard.check(deletes: extra.keys.count, of: extra.held, sink: name)
    }
    try await bring(mending.keys, only: mending.sinks)
    try await checkMended()
    guard let proof = mending.proof else { return }
    let listed = checkpoint.counters
    checkpoint.counters = ownCounters ?? listed
    defer {
      ownCounters = checkpoint.counters
      checkpoint.counters = listed
    }
    for lane in lanes {
      let rows = mending.extra[lane.name].map { $0.keys.map { LedgerRow($0, .unknown) } } ?? []
      try budget.check(deletes: rows.count)
      for start in stride(from: 0, to: rows.count, by: 500) {
        try environment.stop.check()
        try await delete(Array(rows[start..<min(start + 500, rows.count)]), in: lane, by: proof, saving: listed)
      }
    }
  }

  /// Notes what the sinks must hold once a batch is applied.
  func expect(_ batch: Batch) async throws {
    for (sink, sinkPlan) in zip(sinks, plan.sinks) where lanes.contains(where: { $0.name == sinkPlan.name }) {
      guard let sink = sink as? any Verifiable else { continue }
      let kept = try await sink.asKept(batch)
      let digits = sinkPlan.adapter.capabilities.timestampDigits
      for index in kept.indices where kept.isDocument(at: index) {
        mended[sinkPlan.name, default: [:]][kept.key(at: index)] =
          kept.fingerprint(at: index, timestampDigits: digits)
      }
    }
  }

  /// Looks whether the sinks hold what was written. One that has a newer version of a document keeps that.
  private func checkMended() async throws {
    for (sink, sinkPlan) in zip(sinks, plan.sinks) {
      guard var rest = mended[sinkPlan.name], !rest.isEmpty, let sink = sink as? any Verifiable else { continue }
      let digits = sinkPlan.adapter.capabilities.timestampDigits
      var place: String?
      repeat {
        let contents = try await sink.contents(after: place, limit: 1_000)
        let batch = contents.batch
        for index in batch.indices {
          let key = batch.key(at: index)
          if rest[key] == batch.fingerprint(at: index, timestampDigits: digits) { rest[key] = nil }
        }
        place = contents.next
      } while place != nil
      guard let first = rest.keys.min() else { continue }
      throw SluiceError(
        .differs, "sink \(sinkPlan.name) did not take \(rest.count) of the documents: it holds newer versions of them",
        at: Place(job: plan.name, component: sinkPlan.name, key: first.description),
        hint: "somebody else writes there; delete them from the sink to have the source's")
    }
  }

  private func delete(
    _ rows: [LedgerRow], in lane: SinkLane, by proof: CompleteListing, saving listed: Checkpoint.Counters
  ) async throws {
    var saved = checkpoint.assumingConfirmed(nil)
    saved.counters = listed
    let outcome = try await lane.delete(rows, by: proof, saved: saved)
    try checkpoint.advance(lane.name, by: outcome.receipt)
    try await count([lane.name: outcome])
    try await saveKeeping(listed, ledgers: [outcome.ledger].compactMap { $0 })
  }
}
