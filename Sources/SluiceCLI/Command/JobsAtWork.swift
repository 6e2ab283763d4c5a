import SluiceConfig
import SluiceCore
import SluiceEngine

/// What all commands on jobs have in common: the configuration is read, the state opened, each named job done in turn.
struct JobsAtWork: Sendable {
  let invocation: Invocation
  let catalog: Catalog
  let console: Console
  let observer: RunObserver
  let stop: StopSignal
  var inputs = ConfigInputs.process

  /// Does something to all named jobs, whatever becomes of the others; answers the exit code of the first that failed.
  func each<Report: Sendable>(
    show: ([Report]) -> Void, exitCode: (Report) -> Int32, _ work: (Engine, JobPlan) async -> Report
  ) async -> Int32 {
    await withProject { project in
      let jobs = try project.jobs(named: invocation.names)
      if jobs.isEmpty { observer.notice("no job is enabled: name one, or set enabled: true") }
      let store = try await project.state.open(StateContext(baseDirectory: project.directory))
      let engine = Engine(store: store, environment: environment(of: project))
      var reports: [Report] = []
      for job in jobs {
        if stop.reason != nil, !reports.isEmpty { break }
        reports.append(await work(engine, job))
      }
      await store.close()
      if reports.count < jobs.count { observer.notRun(jobs.dropFirst(reports.count).map(\.name)) }
      show(reports)
      if let failure = reports.map(exitCode).first(where: { $0 != 0 }) { return failure }
      guard let signal = stop.reason, reports.count < jobs.count else { return 0 }
      return 128 + signal
    }
  }

  /// Reads the configuration, shows what is wrong with it, and goes on where it can be used.
  func withProject(_ work: (Project) async throws -> Int32) async -> Int32 {
    let reading = Project.read(invocation.configPath, catalog: catalog, inputs: inputs)
    console.hide(reading.redactor)
    observer.show(DiagnosticText(reading, console))
    guard let project = reading.project else { return Int32(SluiceError.Category.usage.rawValue) }
    return await SluiceCLI.exitCode(telling: observer.error) { try await work(project) }
  }

  /// What runs have around them.
  func environment(of project: Project) -> RunEnvironment {
    let inputs = inputs
    let observer = observer
    let console = console
    return RunEnvironment(
      baseDirectory: project.directory, environment: { inputs.text(ofVariable: $0) },
      now: WallClock.now, observe: { observer.observe($0) }, stop: stop,
      deadLetters: { job in
        DeadLetterFile(job: job, directory: project.directory) { console.withoutSecrets($0) }
      })
  }
}

extension ConfigInputs {
  /// A variable as adapters see it: one that is not set, or no text, is absent.
  fileprivate func text(ofVariable name: String) -> String? {
    do { return try variable(name) } catch { return nil }
  }
}
