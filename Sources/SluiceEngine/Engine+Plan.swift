import SluiceCore

extension Engine {
  /// Finds out what a run of the job would do: lists its source whole, under the same guards and budgets, and compares.
  ///
  /// Nothing is written into sinks, and nothing into the state but what was spent. Holds the job like a run. Never throws:
  /// how a run would end is in the report. `keys` of each kind are named.
  @concurrent public func plan(_ plan: JobPlan, options: RunOptions = RunOptions(), keys: Int = 0) async -> PlanReport {
    let start = environment.elapsed()
    var report = PlanReport(run: RunReport(job: plan.name, outcome: .completed))
    do {
      let state = try await store.open(job: plan.name)
      var sinks: [PlanReport.Sink] = []
      report.run = await work(plan, options, for: .plan(keys: keys), state: state) { run in
        for (index, sink) in run.sinks.enumerated() {
          guard let shadow = sink as? ShadowSink else { continue }
          sinks.append(try await run.foreseen(of: shadow, at: index, keys: keys))
        }
      }
      report.sinks = sinks
      await state.close()
    } catch {
      report.run.outcome = Self.outcome(of: error, job: plan.name)
    }
    report.run.duration = environment.elapsed() - start
    return report
  }

  /// Finds out how large a job is by what its source counts, or by what the last listing brought.
  @concurrent public func estimate(_ plan: JobPlan) async -> Estimate {
    var estimate = Estimate(job: plan.name, documents: nil, basis: .unknown, reads: nil)
    do {
      let saved = try await store.checkpoints().first { $0.job == plan.name }
      estimate.documents = saved.flatMap(Self.known)
      if estimate.documents != nil { estimate.basis = .lastRun }
      try await countInto(&estimate, plan)
    } catch {
      if case .failed(let error) = Self.outcome(of: error, job: plan.name) { estimate.error = error }
    }
    return estimate
  }

  private func countInto(_ estimate: inout Estimate, _ plan: JobPlan) async throws {
    var opened: [any Adapter] = []
    do {
      let source = try await open(
        plan.source, role: .source, plan, RetryTally(), as: (any Pageable).self, changesNothing: true, into: &opened)
      if plan.source.capabilities.isCountable, let countable = source as? any Countable {
        let count = try await countable.count(frozen: try await source.freeze())
        estimate.documents = count.documents
        estimate.basis = .counted
        estimate.billedReads = count.billedReads
        if let account = source.billingAccount, count.billedReads > 0 {
          let spent = Spending(reads: count.billedReads, requests: 1)
          try await store.charge([Charge(account: account, day: Day(environment.now()), amount: spent)])
        }
      }
      // A query that finds nothing is billed as one read.
      estimate.reads = source.billingAccount == nil ? 0 : estimate.documents.map { max(1, $0) }
    } catch {
      for adapter in opened { await adapter.close() }
      throw error
    }
    for adapter in opened { await adapter.close() }
  }
}

extension JobRun {
  /// What a run would do to one sink.
  fileprivate func foreseen(of shadow: ShadowSink, at index: Int, keys: Int) async throws -> PlanReport.Sink {
    let mode = plan.sinks[index].adapter.capabilities.publishMode ?? .inPlace
    let counted = report.sinks[index]
    var sink = PlanReport.Sink(name: shadow.sinkName, mode: mode)
    sink.isCurrent = counted.wasCurrent
    switch mode {
    case .append, .inPlace:
      let tally = await shadow.ledger.tally
      sink.adds = tally.adds.count
      sink.updates = tally.updates.count
      sink.deletes = tally.deletes.count
      sink.unchanged = counted.unchanged
      sink.isCurrent = tally.adds.count + tally.updates.count + tally.deletes.count == 0
      sink.keys = .init(adds: tally.adds.keys, updates: tally.updates.keys, deletes: tally.deletes.keys)
    case .replace:
      // A listing that was cut says nothing of what is gone.
      guard checkpoint.listing.hasEnded, let reconciler = shadow.reconciler else {
        sink.adds = counted.staged
        sink.isCompared = false
        break
      }
      let difference = try await reconciler.finish()
      (sink.adds, sink.updates) = (difference.missing.count, difference.different.count)
      (sink.deletes, sink.unchanged) = (difference.extra.count, difference.equal)
      sink.keys = .init(
        adds: Array(difference.missing.prefix(keys)), updates: Array(difference.different.prefix(keys)),
        deletes: Array(difference.extra.prefix(keys)))
    }
    return sink
  }
}
