import FirestoreServer
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@Suite("outputs") struct OutputTests {
  private func events(_ run: ChildProcess.Result) throws -> [Value] {
    try run.errorText.split(separator: "\n").map { line in
      let event = try JSON.parse(Array(line.utf8))
      #expect(event["time"]?.string?.hasSuffix("Z") == true, "\(line)")
      #expect(event["event"]?.string != nil, "\(line)")
      return event
    }
  }

  private func names(_ value: Value) -> [String] { if case .map(let fields) = value { fields.map(\.name) } else { [] } }

  @Test("--log json: each line of stderr is an object with stable names")
  func log() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + "\nretry: { attempts: 2, initial_delay: 1ms }")
    bench.server.script(FaultScript(FaultRule(.method(.list) && .page(3) && .attempts(upTo: 1), .status(503))))
    let run = try await bench.sluice("run", "--log", "json")
    #expect(run.exitCode == 0)
    let events = try events(run)
    #expect(
      events.compactMap { $0["event"]?.string } == [
        "endpoint", "started", "progress", "progress", "retry", "progress", "progress", "notice", "progress",
        "published",
        "ended",
      ])
    let ended = try #require(events.last)
    #expect(
      names(ended) == [
        "time", "event", "job", "outcome", "exit_code", "duration_ms", "pages", "documents", "dropped", "reads",
        "bytes",
        "writes", "deletes", "unchanged", "rejects", "retries", "resumed_pages", "requests_this_run", "reads_this_run",
        "sinks", "notes",
      ])
    #expect(ended["retries"]?.int == 1)
    #expect(
      names(try #require(events.first { $0["event"]?.string == "retry" }))
        == ["time", "event", "job", "attempt", "delay_ms", "error"])
  }

  @Test("--log json: also where the run fails, is refused, is stopped, or never begins")
  func logOfFailures() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + Job.noRetry)
    bench.server.script(try .named("r401", page: 2))
    let failed = try events(try await bench.sluice("run", "--log", "json"))
    #expect(failed.last?["outcome"]?.string == "failed")
    #expect(failed.last?["error"]?["code"]?.string == "unauthenticated")
    let gate = FaultGate()
    bench.server.script(FaultScript(FaultRule(.method(.list) && .page(2), .hold(gate))))
    let run = try bench.start("run", "--log", "json")
    await gate.arrived()
    run.signal(15)
    let stopped = try events(await run.wait())
    // The word of the signal comes from a thread of its own, and may be the last.
    #expect(stopped.first { $0["event"]?.string == "ended" }?["outcome"]?.string == "interrupted")
    #expect(stopped.contains { $0["event"]?.string == "stopping" && $0["signal"]?.int == 15 })
    gate.open()
    let unknown = try events(try await bench.sluice("run", "usres", "--log", "json"))
    #expect(unknown.last?["event"]?.string == "error")
    #expect(unknown.last?["error"]?["code"]?.string == "usage")
    try bench.folder.write("no database", to: ".sluice/state.db")
    let noState = try events(try await bench.sluice("run", "--log", "json"))
    #expect(noState.last?["error"]?["code"]?.string == "invalid_state")
    try bench.configure("sink: { file: { path: x, encoding: typed, key_field: id } }\nmode: mirror")
    let wrong = try events(try await bench.sluice("run", "--log", "json"))
    #expect(wrong.allSatisfy { $0["event"]?.string == "diagnostic" })
    #expect(Set(wrong.compactMap { $0["severity"]?.string }) == ["error", "warning"])
    #expect(wrong.allSatisfy { $0["line"]?.int != nil && $0["file"]?.string == "config.yaml" })
  }

  @Test("--output json: one JSON text on stdout, and nothing else there")
  func json() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let run = try await bench.sluice("run", "--output", "json")
    #expect(try JSON.parse(run.output).items.first?["outcome"]?.string == "completed")
    #expect(run.errorText.contains("users: done"))
    for arguments in [
      ["check"], ["components"], ["components", "sqlite"], ["state", "show"], ["state", "runs"], ["plan"], ["verify"],
    ] {
      let command = try await bench.run(arguments + ["--output", "json"])
      #expect(command.exitCode == 0)
      if case .array = try JSON.parse(command.output) {
      } else {
        Issue.record("\(arguments) wrote \(command.outputText)")
      }
    }
    try bench.configure("sink: { file: { pth: x } }")
    let wrong = try await bench.sluice("check", "--output", "json")
    #expect(wrong.exitCode == 2)
    #expect(try JSON.parse(wrong.output).items.compactMap { $0["suggestion"]?.string } == ["path"])
  }

  @Test("the stdout sink has stdout for itself")
  func stdout() async throws {
    let bench = try Bench()
    try bench.configure("sink: stdout")
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 0)
    let lines = run.outputText.split(separator: "\n")
    #expect(lines.count == 100)
    #expect(lines.first == #"{"_key":"u0000","n":0}"#)
    #expect(run.errorText.contains("100 documents"))
  }

  @Test("a reader of stdout that goes away is an error that says so, no signal")
  func brokenPipe() async throws {
    let bench = try Bench(users: 20_000)
    try bench.configure("sink: stdout")
    let run = try await bench.shell("sluice run | head -1; exit ${PIPESTATUS[0]}")
    #expect(run.exitCode == 1)
    #expect(run.outputText == "{\"_key\":\"u0000\",\"n\":0}\n")
    #expect(run.errorText.contains("has stopped reading"), "\(run.errorText)")
  }

  @Test("a reader of stdout that goes away does not keep a report from its end")
  func brokenPipeOfReport() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let run = try await bench.shell("sluice run --output json | true; exit ${PIPESTATUS[0]}")
    #expect([0, 1].contains(run.exitCode), "no signal")
    #expect(try bench.lines().count == 100)
  }
}
