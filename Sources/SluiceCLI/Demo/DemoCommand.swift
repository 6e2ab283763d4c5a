import FirestoreServer
import SluiceConfig
import SluiceCore
import SluiceEngine

/// `sluice demo`: the main job end to end on the embedded server, and what happens when things go wrong.
struct DemoCommand: Sendable {
  private let invocation: Invocation
  private let catalog: Catalog
  private let console: Console
  private let stop: StopSignal

  init(_ invocation: Invocation, _ catalog: Catalog, _ console: Console, stop: StopSignal) {
    self.invocation = invocation
    self.catalog = catalog
    self.console = console
    self.stop = stop
  }

  func run() async -> Int32 {
    await exitCode(telling: console.error) {
      var configuration = Configuration()
      configuration.port = invocation.port
      let server = try FirestoreServer(configuration: configuration)
      defer { server.stop() }
      let count = try server.store.seed(DemoData.users, into: "users")
      console.line("an embedded Firestore with \(count) users listens at \(server.origin)")
      return invocation.isServing ? await serve(server) : try await show(server)
    }
  }

  private func serve(_ server: FirestoreServer) async -> Int32 {
    console.line("for another shell:  FIRESTORE_EMULATOR_HOST=127.0.0.1:\(server.port) sluice run")
    console.line("it ends with Ctrl-C")
    await stop.untilRequested()
    return 0
  }

  private func show(_ server: FirestoreServer) async throws -> Int32 {
    let folder = DemoFolder(invocation.directory ?? "sluice-demo")
    try folder.claim("config.yaml", DemoData.configuration)
    for name in ["out/users.jsonl", "out/users.db", ".sluice/state.db", ".sluice/state.db-wal", ".sluice/state.db-shm"]
    {
      try folder.remove(name)
    }
    let steps = DemoSteps(
      folder: folder, server: server, console: console,
      runJob: { await runJob(in: folder, server) })
    return try await steps.run()
  }

  /// Runs the job of the folder's configuration, as `sluice run` does.
  private func runJob(in folder: DemoFolder, _ server: FirestoreServer) async -> Int32 {
    var run = invocation
    run.command = .run
    run.names = []
    run.configFile = folder.path(of: "config.yaml")
    let host = "127.0.0.1:\(server.port)"
    let process = ConfigInputs.process
    let inputs = ConfigInputs(
      variable: { name throws(SluiceError) in
        name == "FIRESTORE_EMULATOR_HOST" ? host : try process.variable(name)
      }, file: process.file)
    let jobs = JobsAtWork(
      invocation: run, catalog: catalog, console: console, observer: RunObserver(console, style: .text), stop: stop,
      inputs: inputs)
    return await RunCommand(jobs: jobs).run()
  }
}
