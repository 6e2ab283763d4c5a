import SluiceCore
import SluiceEngine

/// `sluice run [JOB…]`: each job as a snapshot, one after the other.
struct RunCommand: Sendable {
  let jobs: JobsAtWork

  /// Runs all named jobs, whatever becomes of the others; answers the exit code of the first that failed.
  func run() async -> Int32 {
    let options = jobs.invocation.runOptions
    return await jobs.each(show: show, exitCode: \.exitCode) { engine, job in
      await engine.run(job, options: options)
    }
  }

  private func show(_ reports: [RunReport]) {
    if jobs.invocation.output == .json { jobs.console.out(ReportJSON.text(reports)) }
  }
}

extension Invocation {
  /// What the options say of a run.
  var runOptions: RunOptions {
    RunOptions(restart: isRestart, maxDelete: maxDelete, full: isFull, limit: limit, only: only)
  }
}
