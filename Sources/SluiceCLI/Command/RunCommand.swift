import SluiceConfig
import SluiceCore
import SluiceEngine

/// `sluice run [JOB…]`: each job as a snapshot, one after the other.
struct RunCommand: Sendable {
  private let invocation: Invocation
  private let catalog: Catalog
  private let console: Console
  private let inputs: ConfigInputs
  private let observer: RunObserver
  private let stop: StopSignal

  init(
    _ invocation: Invocation, _ catalog: Catalog, _ console: Console, _ observer: RunObserver, stop: StopSignal,
    inputs: ConfigInputs = .process
  ) {
    self.observer = observer
    self.stop = stop
    self.invocation = invocation
    self.catalog = catalog
    self.console = console
    self.inputs = inputs
  }

  /// Runs all named jobs, whatever becomes of the others; answers the exit code of the first that failed.
  func run() async -> Int32 {
    let reading = Project.read(invocation.configPath, catalog: catalog, inputs: inputs)
    console.hide(reading.redactor)
    observer.show(DiagnosticText(reading, console))
    guard let project = reading.project else { return Int32(SluiceError.Category.usage.rawValue) }
    return await exitCode(telling: observer.error) { try await run(project) }
  }

  private func run(_ project: Project) async throws -> Int32 {
    let inputs = inputs
    let console = console
    let jobs = try project.jobs(named: invocation.names)
    if jobs.isEmpty { observer.notice("no job is enabled: name one, or set enabled: true") }
    let observer = observer
    let store = try await project.state.open(StateContext(baseDirectory: project.directory))
    let environment = RunEnvironment(
      baseDirectory: project.directory, environment: { inputs.text(ofVariable: $0) },
      now: WallClock.now, observe: { observer.observe($0) }, stop: stop,
      deadLetters: { job in
        DeadLetterFile(job: job, directory: project.directory) { console.withoutSecrets($0) }
      })
    let engine = Engine(store: store, environment: environment)
    var reports: [RunReport] = []
    for job in jobs {
      if stop.reason != nil, !reports.isEmpty { break }
      let options = RunOptions(restart: invocation.isRestart, maxDelete: invocation.maxDelete)
      reports.append(await engine.run(job, options: options))
    }
    await store.close()
    if reports.count < jobs.count { observer.notRun(jobs.dropFirst(reports.count).map(\.name)) }
    if invocation.output == .json { console.out(ReportJSON.text(reports)) }
    if let failure = reports.first(where: { $0.exitCode != 0 }) { return failure.exitCode }
    guard let signal = stop.reason, reports.count < jobs.count else { return 0 }
    return 128 + signal
  }
}

extension ConfigInputs {
  /// A variable as adapters see it: one that is not set, or no text, is absent.
  fileprivate func text(ofVariable name: String) -> String? {
    do { return try variable(name) } catch { return nil }
  }
}
