import SluiceCore

extension Engine {
  /// What stands in the place of sinks and state where nothing is to be changed; nil for other purposes.
  func shadows(
    of sinks: [any Writable], _ plan: JobPlan, _ purpose: Purpose, _ checkpoint: Checkpoint, _ state: any JobState
  ) async throws -> ShadowState? {
    guard purpose.changesNothing else { return nil }
    let listed = KeySet()
    let keys = if case .plan(let keys) = purpose { keys } else { 0 }
    var shadows: [ShadowSink] = []
    for (sink, sinkPlan) in zip(sinks, plan.sinks) {
      let isReplaced = sinkPlan.adapter.capabilities.publishMode == .replace
      let base = purpose == .verify ? nil : try await savedLedger(of: sink, sinkPlan, plan, checkpoint, state)
      shadows.append(
        ShadowSink(
          sink, sinkPlan, ledger: ShadowLedger(base: base, keys: keys), comparing: purpose == .verify || isReplaced,
          rejects: purpose != .verify, earlier: listed))
    }
    return ShadowState(base: state, store: store, listed: listed, sinks: shadows)
  }

  /// The ledger that a run would go by. It is asked for only where it is there and speaks of the sink as it is now, so
  /// that asking makes nothing.
  private func savedLedger(
    of sink: any Writable, _ sinkPlan: JobPlan.SinkPlan, _ plan: JobPlan, _ checkpoint: Checkpoint,
    _ state: any JobState
  ) async throws -> (any Ledger)? {
    guard sinkPlan.adapter.capabilities.publishMode != .replace, let known = checkpoint.sinks[sinkPlan.name]?.identity,
      try await sink.identity(creating: false) == known
    else { return nil }
    if sinkPlan.adapter.capabilities.isTransactional, let sink = sink as? any Transactional {
      return try await sink.ledger(job: plan.name)
    }
    return try await state.ledger(sink: sinkPlan.name, identity: known)
  }
}
