import SluiceCore

extension Engine {
  /// Compares the sinks of a job with its source: lists the source under the job's guards and budgets, and reads the
  /// sinks, never what is remembered of them. Documents are compared as each sink would keep them.
  ///
  /// Holds the job like a run. Never throws: what was found is in the report.
  @concurrent public func verify(_ plan: JobPlan, options: VerifyOptions = VerifyOptions()) async -> VerifyReport {
    let start = environment.elapsed()
    var report = VerifyReport(run: RunReport(job: plan.name, outcome: .completed))
    do {
      guard plan.sinks.contains(where: { $0.adapter.capabilities.isVerifiable }) else {
        throw SluiceError(
          .notVerifiable, "\(plan.sinks.map(\.name).joined(separator: ", ")) cannot be read back",
          hint: "sluice check says which sinks cannot be read back")
      }
      let state = try await store.open(job: plan.name)
      let found = await compare(plan, state)
      report.run = found.run
      report.sinks = found.sinks
      if options.repairs, report.exitCode == Int32(SluiceError.Category.difference.rawValue) {
        report.repair = await repair(plan, report.sinks, by: found.proof, options, state)
      }
      await state.close()
    } catch {
      report.run.outcome = Self.outcome(of: error, job: plan.name)
    }
    report.run.duration = environment.elapsed() - start
    return report
  }

  private typealias Found = (run: RunReport, sinks: [VerifyReport.Sink], proof: CompleteListing?)

  private func compare(_ plan: JobPlan, _ state: any JobState) async -> Found {
    var sinks: [VerifyReport.Sink] = []
    var proof: CompleteListing?
    var run = await work(plan, RunOptions(), for: .verify, state: state) { run in
      guard run.checkpoint.listing.hasEnded else { return }
      switch run.checkpoint.listing.finish() {
      case .success(let complete): proof = complete
      case .failure(let taint): run.note("what only a sink has is not named: \(taint.detail)")
      }
      for sink in run.sinks {
        guard let shadow = sink as? ShadowSink else { continue }
        sinks.append(try await run.compared(shadow, by: proof))
      }
    }
    if case .completed = run.outcome {
      let names = sinks.filter { $0.isReadable && !$0.isSame }.map(\.name)
      if !names.isEmpty {
        run.outcome = .failed(
          SluiceError(
            .differs, "\(names.joined(separator: ", ")) \(names.count == 1 ? "differs" : "differ") from the source",
            at: Place(job: plan.name), hint: "sluice verify --repair writes what differs"))
      }
    }
    return (run, sinks, proof)
  }
}

extension JobRun {
  /// One sink beside what was listed.
  fileprivate func compared(_ shadow: ShadowSink, by proof: CompleteListing?) async throws -> VerifyReport.Sink {
    var sink = VerifyReport.Sink(name: shadow.sinkName)
    guard let reconciler = shadow.reconciler else {
      sink.isReadable = false
      return sink
    }
    let difference = try await reconciler.finish()
    sink.equal = difference.equal
    sink.missing = difference.missing
    sink.different = difference.different.sorted()
    let isReplaced =
      plan.sinks.first { $0.name == shadow.sinkName }?.adapter.capabilities.publishMode == .replace
    sink.countsExtra = isReplaced || (plan.mode == .mirror && plan.deletes != .ignore)
    if let proof { sink.extra = try await absent(difference.extra, by: proof) }
    return sink
  }

  /// Keys that surely are not in the source, and were not left out of the listing because of their content.
  private func absent(_ keys: [Key], by proof: CompleteListing) async throws -> [Key] {
    let keys = keys.filter { !rejectedKeys.contains($0) }
    guard proof.needsSecondLook, !keys.isEmpty else { return keys }
    guard source is any Lookup else {
      note("what only a sink has is not named: the source's order is not stable, and it has no look-up")
      return []
    }
    return try await confirmedAbsent(keys.map { LedgerRow($0, .unknown) }).map(\.key)
  }
}

extension LedgerEntry {
  /// Of a document that the ledger need not know.
  static let unknown = LedgerEntry(version: .none, fingerprint: .ofNoFields, status: .live)
}
