import SluiceCore

extension Engine {
  /// Takes over what the sinks of a job hold already, as if the job had written it: lists the source, reads the sinks,
  /// and notes what is equal. Nothing is written into sinks but what they keep about jobs. What differs, or is not there,
  /// the next run writes; what only a sink has stays unknown, and so is never deleted.
  ///
  /// Holds the job like a run. Never throws: how it ended is in the report.
  @concurrent public func adopt(_ plan: JobPlan) async -> RunReport {
    let start = environment.elapsed()
    var report = RunReport(job: plan.name, outcome: .completed)
    do {
      for sink in plan.sinks
      where sink.adapter.capabilities.publishMode == .append || !sink.adapter.capabilities.isVerifiable {
        throw SluiceError(
          .notVerifiable, "sink \(sink.name) cannot be read back, so there is nothing to take over",
          at: Place(job: plan.name))
      }
      let state = try await store.open(job: plan.name)
      report = await work(plan, RunOptions(), for: .adopt, state: state)
      await state.close()
    } catch {
      report.outcome = Self.outcome(of: error, job: plan.name)
    }
    report.duration = environment.elapsed() - start
    return report
  }
}
