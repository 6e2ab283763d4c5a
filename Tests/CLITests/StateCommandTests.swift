import FirestoreServer
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@Suite("sluice state") struct StateCommandTests {
  @Test("looking at a state that is not there makes nothing", arguments: ["show", "runs"])
  func nothing(verb: String) async throws {
    let bench = try Bench(users: 0)
    try bench.configure(Job.file)
    #expect(try await bench.sluice("state", verb).exitCode == 0)
    #expect(try await bench.sluice("state", "reset", "users", "--yes").exitCode == 0)
    #expect(try await bench.sluice("state", "rename", "old", "users").exitCode == 1)
    #expect(try bench.folder.names() == ["config.yaml"])
  }

  @Test("runs are shown with how they ended, the newest first")
  func runs() async throws {
    let bench = try Bench()
    try bench.configure(Job.table + "\nmode: mirror")
    #expect(try await bench.sluice("run").exitCode == 0)
    bench.server.store.wipe()
    #expect(try await bench.sluice("run").exitCode == 3)
    #expect(try await bench.sluice("plan").exitCode == 3)
    let shown = try await bench.sluice("state", "runs", "users")
    let lines = shown.outputText.split(separator: "\n")
    #expect(lines.count == 3, "a plan is no run: \(shown.outputText)")
    #expect(lines[0] == "users")
    #expect(lines[1].contains("exit 3  empty_source"))
    #expect(lines[2].contains("exit 0  completed"))
    #expect(lines[2].contains("5 pages, 100 documents, 100 reads, 100 writes, 0 deletes"))
    let json = try JSON.parse(try await bench.sluice("state", "runs", "-n", "1", "--output", "json").output)
    #expect(json.items.count == 1)
    #expect(json.items.first?["error"]?.string == "empty_source")
  }

  @Test("a job of a new name keeps its place, its ledger in the sink too", arguments: [Job.table, Job.file])
  func rename(job: String) async throws {
    let bench = try Bench()
    try bench.configure(job)
    #expect(try await bench.sluice("run").exitCode == 0)
    try bench.write(jobs: ["people": ("", job)])
    let renamed = try await bench.sluice("state", "rename", "users", "people")
    #expect(renamed.exitCode == 0, "\(renamed.errorText)")
    #expect(renamed.outputText == "users is now people\n")
    let run = try await bench.sluice("run")
    #expect(run.errorText.contains("100 unchanged"), "\(run.errorText)")
    #expect(try await bench.sluice("state", "show").outputText.contains("people: finished, listing 2"))
    let again = try await bench.sluice("state", "rename", "users", "people")
    #expect(again.exitCode == 1)
    #expect(again.errorText.contains("no saved state of a job users"))
  }

  @Test("a reset says what is lost and asks for --yes, then the next run writes everything")
  func reset() async throws {
    let bench = try Bench()
    try bench.configure(Job.table)
    #expect(try await bench.sluice("run").exitCode == 0)
    let asked = try await bench.sluice("state", "reset", "users")
    #expect(asked.exitCode == 2)
    #expect(asked.errorText.contains("the next run lists anew and writes everything"), "\(asked.errorText)")
    #expect(asked.errorText.contains("sluice state reset users --yes"))
    #expect(try await bench.sluice("run").errorText.contains("100 unchanged"))
    #expect(try await bench.sluice("state", "reset", "users", "--yes").exitCode == 0)
    #expect(try await bench.sluice("state", "show").outputText == "no job has saved state\n")
    #expect(try await bench.sluice("run").errorText.contains("100 writes, 0 deletes, 0 unchanged"))
  }

  @Test("what is adopted is not written by the first run", arguments: [Job.table, Job.file])
  func adopt(job: String) async throws {
    let bench = try Bench()
    try bench.configure(job)
    #expect(try await bench.sluice("run").exitCode == 0)
    // The state is lost; the sink is not.
    bench.folder.remove(".sluice")
    let adopted = try await bench.sluice("state", "adopt", "users")
    #expect(adopted.exitCode == 0, "\(adopted.errorText)")
    #expect(adopted.errorText.contains("0 writes, 0 deletes, 100 unchanged"), "\(adopted.errorText)")
    #expect(try await bench.sluice("run").errorText.contains("0 writes, 0 deletes, 100 unchanged"))
  }

  @Test(
    "names that are too few, too many or unknown",
    arguments: [
      (["adopt"], "takes one job"), (["adopt", "a", "b"], "takes one job"),
      (["adopt", "usres"], "did you mean users?"),
      (["rename", "a"], "takes two names"), (["rename", "a", "a"], "takes two names"),
      (["rename", "a", "b"], "there is no job"), (["reset"], "takes one job"), (["reset", "a", "b"], "takes one job"),
      (["reset", "usres", "--yes"], "did you mean users?"), (["runs", "usres"], "did you mean users?"),
      (["rnus"], "did you mean sluice state runs?"),
    ])
  func mistakes(arguments: [String], text: String) async throws {
    let bench = try Bench(users: 0)
    try bench.configure(Job.file)
    let run = try await bench.run(["state"] + arguments)
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains(text), "\(run.errorText)")
  }
}
