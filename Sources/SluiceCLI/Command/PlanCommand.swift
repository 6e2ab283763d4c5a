import SluiceCore
import SluiceEngine

/// `sluice plan [JOB…]`, and `sluice run --dry-run`: what a run would do, without doing it.
struct PlanCommand: Sendable {
  let jobs: JobsAtWork

  private var isJSON: Bool { jobs.invocation.output == .json }

  func run() async -> Int32 { await jobs.invocation.isEstimate ? estimate() : plan() }

  private func plan() async -> Int32 {
    let invocation = jobs.invocation
    func show(_ reports: [PlanReport]) { if isJSON { jobs.console.out(PlanText.json(reports)) } }
    return await jobs.each(show: show, exitCode: { $0.exitCode }) { engine, job in
      let report = await engine.plan(job, options: invocation.runOptions, keys: invocation.keys ?? 0)
      if !isJSON { jobs.console.out(PlanText.text(report)) }
      return report
    }
  }

  private func estimate() async -> Int32 {
    func show(_ estimates: [Estimate]) { if isJSON { jobs.console.out(PlanText.json(estimates)) } }
    return await jobs.each(show: show, exitCode: { $0.exitCode }) { engine, job in
      let estimate = await engine.estimate(job)
      if !isJSON { jobs.console.out(PlanText.text(estimate)) }
      return estimate
    }
  }
}
