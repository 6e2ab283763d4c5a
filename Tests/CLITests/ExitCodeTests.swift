import FirestoreServer
import SluiceCore
import SluiceTesting
import Testing

/// Each exit code by a run that deserves it.
@Suite("exit codes") struct ExitCodeTests {
  @Test("0: done, and again: nothing to write")
  func done() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let first = try await bench.sluice("run")
    #expect(first.exitCode == 0, "\(first.errorText)")
    #expect(first.output.isEmpty)
    #expect(try bench.lines().count == 100)
    let again = try await bench.sluice("run")
    #expect(again.exitCode == 0)
    #expect(again.errorText.contains("left as it was"))
  }

  @Test("1: the source refuses, and nothing is published", arguments: ["r401", "bad", "html", "dropforever"])
  func failed(fault: String) async throws {
    let bench = try Bench()
    try bench.configure(Job.file + Job.noRetry)
    bench.server.script(try .named(fault, page: 3))
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 1)
    #expect(run.errorText.contains("page 3"), "\(run.errorText)")
    #expect(!bench.folder.exists("out/users.jsonl"))
    bench.server.script(FaultScript())
    #expect(try await bench.sluice("run").exitCode == 0)
    #expect(try bench.lines().count == 100)
  }

  @Test("2: a wrong configuration begins nothing")
  func wrong() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + "\nlimits: { max_delete: lots }")
    #expect(try await bench.sluice("run").exitCode == 2)
    #expect(bench.listTokens.isEmpty)
    #expect(try bench.folder.names() == ["config.yaml"])
  }

  @Test("2: the state of another source is not taken up, but for --restart")
  func otherSource() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    #expect(try await bench.sluice("run").exitCode == 0)
    try bench.configure(source: "fields: [n]", Job.file)
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains("fields"))
    #expect(run.errorText.contains("--restart"))
    #expect(try await bench.sluice("run", "--restart").exitCode == 0)
  }

  @Test("3: a guard refuses: a loop, and a source that has lost its documents")
  func refused() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    bench.server.script(try .named("sameTokenForever"))
    #expect(try await bench.sluice("run").exitCode == 3)
    bench.server.script(FaultScript())
    #expect(try await bench.sluice("run").exitCode == 0)
    let lines = try bench.lines()
    bench.server.store.wipe()
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 3)
    #expect(try bench.lines() == lines)
    #expect(try await bench.sluice("run", "--max-delete", "100%").exitCode == 3, "an empty source is another guard")
  }

  @Test("3: more deletes than allowed, and allowed for once")
  func deletes() async throws {
    let bench = try Bench()
    try bench.configure(Job.table + "\nmode: mirror")
    #expect(try await bench.sluice("run").exitCode == 0)
    for number in 0..<11 { try bench.server.store.delete("users/u00\(number < 10 ? "0" : "")\(number)") }
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains("--max-delete 11"))
    #expect(try await bench.sluice("run", "--max-delete=11").exitCode == 0)
  }

  @Test("4: the budget is reached, and every further run goes on where the last one stopped")
  func budget() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + "\nlimits: { reads_per_run: 45 }")
    for pages in [2, 4] {
      let run = try await bench.sluice("run")
      #expect(run.exitCode == 4, "\(run.errorText)")
      #expect(run.errorText.contains("reads_per_run"))
      #expect(try await bench.savedPages() == pages)
      #expect(!bench.folder.exists("out/users.jsonl"))
    }
    #expect(try await bench.sluice("run").exitCode == 0)
    #expect(try bench.lines().count == 100)
    #expect(bench.listTokens.count == 5, "no page twice")
    #expect(Set(bench.listTokens).count == 5)
  }

  @Test("6: done, but some documents were left out; with stop the run fails")
  func rejects() async throws {
    let bench = try Bench()
    let compute = "\ntransforms: [compute: { field: x, lua: \"if doc.n % 10 == 3 then return doc.n.y end return 1\" }]"
    try bench.configure(Job.file + compute)
    let stopped = try await bench.sluice("run")
    #expect(stopped.exitCode == 1)
    #expect(stopped.errorText.contains("u0003"))
    #expect(!bench.folder.exists("out/users.jsonl"))
    try bench.configure(Job.file + compute + "\non_reject: skip")
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 6, "\(run.errorText)")
    #expect(try bench.lines().count == 90)
    #expect(run.errorText.contains("left out u0013"))
  }

  @Test("7: another process runs the job")
  func busy() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let gate = FaultGate()
    bench.server.script(FaultScript(FaultRule(.method(.list) && .page(2), .hold(gate))))
    let first = try bench.start("run")
    await gate.arrived()
    let second = try await bench.sluice("run")
    #expect(second.exitCode == 7)
    #expect(second.errorText.contains("process \(first.identifier)"), "\(second.errorText)")
    gate.open()
    #expect(await first.wait().exitCode == 0)
    #expect(try bench.lines().count == 100)
  }

  @Test("all jobs are tried, and the exit is the first failure's")
  func several() async throws {
    let bench = try Bench()
    try bench.write(jobs: [
      "a": ("endpoint: \"127.0.0.1:1\"", "sink: { file: { path: out/a.jsonl } }" + Job.noRetry),
      "b": (
        "", "sink: { file: { path: out/b.jsonl } }\nlimits: { reads_per_run: 20 }\npaging: { page_token: { size: 20 } }"
      ),
      "c": ("", "sink: { file: { path: out/c.jsonl } }"),
      "d": ("", "sink: { file: { path: out/d.jsonl } }\nenabled: false"),
    ])
    let all = try await bench.sluice("run")
    #expect(all.exitCode == 1)
    #expect(try bench.lines(of: "out/c.jsonl").count == 100)
    #expect(!bench.folder.exists("out/d.jsonl"))
    #expect(try await bench.sluice("run", "c", "b", "a").exitCode == 4)
    #expect(try await bench.sluice("run", "d").exitCode == 0)
    #expect(try bench.lines(of: "out/d.jsonl").count == 100)
  }
}
