import SluiceCore
import SluiceEngine

/// `sluice verify [JOB…] [--repair]`: whether the sinks hold what the source has.
struct VerifyCommand: Sendable {
  let jobs: JobsAtWork

  func run() async -> Int32 {
    let invocation = jobs.invocation
    let console = jobs.console
    let options = VerifyOptions(repairs: invocation.isRepairing, maxDelete: invocation.maxDelete)
    let keys = invocation.keys ?? VerifyText.usualKeys
    let isJSON = invocation.output == .json
    return await jobs.each(
      show: { if isJSON { console.out(VerifyText.json($0, keys: keys)) } }, exitCode: \.exitCode
    ) { engine, job in
      let report = await engine.verify(job, options: options)
      if !isJSON { console.out(VerifyText.text(report, keys: keys)) }
      return report
    }
  }
}
