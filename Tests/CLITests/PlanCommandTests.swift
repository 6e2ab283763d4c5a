import FirestoreServer
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@Suite("sluice plan") struct PlanCommandTests {
  @Test("C82 plan prints what is added, changed and deleted, before anything is; run does it; verify agrees")
  func beforeTheRun() async throws {
    let bench = try Bench()
    try bench.configure(Job.table + "\nmode: mirror")
    let first = try await bench.sluice("plan")
    #expect(first.exitCode == 0, "\(first.errorText)")
    #expect(
      withoutNotes(first.outputText) == """
        users: a run would do this
          read    5 pages, 100 documents
          sink    sqlite: +100 ~0 −0 =0
          reads   100 billed for this plan; a run reads about as many again

        """)
    #expect(!bench.folder.exists("out"))
    #expect(try await bench.sluice("run").exitCode == 0)
    try bench.server.store.delete("users/u0007")
    try bench.server.store.seed("{\"_key\":\"u0008\",\"n\":-8}\n{\"_key\":\"u0200\",\"n\":200}", into: "users")
    let saved = try await bench.saved()
    let plan = try await bench.sluice("plan", "users", "-v")
    #expect(
      withoutNotes(plan.outputText) == """
        users: a run would do this
          read    5 pages, 100 documents
          sink    sqlite: +1 ~1 −1 =98
                    + u0200
                    ~ u0008
                    − u0007
          reads   100 billed for this plan; a run reads about as many again

        """)
    #expect(try await bench.saved() == saved, "nothing is saved")
    let dry = try await bench.sluice("run", "--dry-run", "--keys=10")
    #expect(dry.outputText == plan.outputText)
    let different = try await bench.sluice("verify")
    #expect(different.exitCode == 5)
    #expect(
      withoutNotes(different.outputText) == """
        users: sqlite differs from the source
          hint    sluice verify --repair writes what differs
          read    5 pages, 100 documents, 100 billed reads
          sink    sqlite: =98, 1 missing, 1 different, 1 too many
                    missing u0200
                    different u0008
                    too many u0007

        """)
    let run = try await bench.sluice("run")
    #expect(run.errorText.contains("sqlite: 2 writes, 1 deletes, 98 unchanged"), "\(run.errorText)")
    #expect(try await bench.sluice("plan").outputText.contains("users: nothing to do"))
    let same = try await bench.sluice("verify")
    #expect(same.exitCode == 0)
    #expect(same.outputText.contains("users: the same"))
  }

  @Test("C82 a copy deletes nothing, in the plan and in the run")
  func copy() async throws {
    let bench = try Bench()
    try bench.configure(Job.table)
    #expect(try await bench.sluice("run").exitCode == 0)
    try bench.server.store.delete("users/u0007")
    #expect(try await bench.sluice("plan").outputText.contains("sqlite: +0 ~0 −0 =99"))
    #expect(try await bench.sluice("verify").outputText.contains("1 others, which a copy leaves"))
  }

  @Test("a replaced file is compared with what is published")
  func file() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    #expect(try await bench.sluice("plan").outputText.contains("file: +100 ~0 −0 =0, replaced as a whole"))
    #expect(!bench.folder.exists("out"))
    #expect(try await bench.sluice("run").exitCode == 0)
    let current = try await bench.sluice("plan")
    #expect(current.outputText.contains("users: nothing to do"))
    #expect(current.outputText.contains("file: +0 ~0 −0 =100, left as it is"))
    try bench.server.store.delete("users/u0007")
    #expect(
      try await bench.sluice("plan", "-v").outputText.contains("−1 =99, replaced as a whole\n            − u0007"))
  }

  @Test("where a guard would refuse the run, the plan says why and how to allow it, and ends with its code")
  func refused() async throws {
    let bench = try Bench()
    try bench.configure(Job.table + "\nmode: mirror")
    #expect(try await bench.sluice("run").exitCode == 0)
    for number in 10..<30 { try bench.server.store.delete("users/u00\(number)") }
    let plan = try await bench.sluice("plan")
    #expect(plan.exitCode == 3)
    #expect(
      plan.outputText.contains("users: a run would be refused: too_many_deletes: 20 of 100"), "\(plan.outputText)")
    #expect(plan.outputText.contains("--max-delete 20"))
    #expect(plan.outputText.contains("−20 =80"))
    #expect(try await bench.sluice("plan", "--max-delete", "20").exitCode == 0)
    bench.server.store.wipe()
    let empty = try await bench.sluice("plan")
    #expect(empty.exitCode == 3)
    #expect(empty.outputText.contains("empty_source"))
  }

  @Test("what a plan reads counts in the day's budget")
  func spends() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + "\nlimits: { reads_per_day: 150 }")
    #expect(try await bench.sluice("plan").exitCode == 0)
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 4)
    #expect(run.errorText.contains("reads_per_day"))
  }

  @Test("an estimate lists nothing")
  func estimate() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let unknown = try await bench.sluice("plan", "--estimate")
    #expect(unknown.exitCode == 0, "\(unknown.errorText)")
    #expect(bench.listTokens.isEmpty)
    #expect(unknown.outputText.contains("users: not known"), "\(unknown.outputText)")
    #expect(try await bench.sluice("run").exitCode == 0)
    let listed = bench.listTokens.count
    let known = try await bench.sluice("plan", "--estimate")
    #expect(
      known.outputText == "users: about 100 documents, as of the last listing; a run costs about 100 billed reads\n")
    #expect(bench.listTokens.count == listed)
    let json = try JSON.parse(try await bench.sluice("plan", "--estimate", "--output", "json").output)
    #expect(json.items.first?["documents"]?.int == 100)
    #expect(json.items.first?["basis"]?.string == "last_run")
  }

  @Test("--output json has stable names, and stdout for itself")
  func json() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let plan = try await bench.sluice("plan", "-v", "--output", "json")
    let value = try #require(try JSON.parse(plan.output).items.first)
    guard case .map(let fields) = value, case .map(let sink)? = value["sinks"]?.items.first else {
      Issue.record("no plan: \(plan.outputText)")
      return
    }
    #expect(
      fields.map(\.name) == [
        "job", "outcome", "exit_code", "pages", "documents", "dropped", "rejects", "requests_of_plan", "reads_of_plan",
        "reads_of_run", "sinks", "notes",
      ])
    #expect(
      sink.map(\.name) == [
        "name", "publish", "adds", "updates", "deletes", "unchanged", "compared", "current", "keys",
      ])
    #expect(value["sinks"]?.items.first?["adds"]?.int == 100)
    #expect(value["sinks"]?.items.first?["keys"]?["adds"]?.items.count == 10)
  }

  @Test("--log json: what is heard while a plan or a verification works is JSON, too", arguments: ["plan", "verify"])
  func log(command: String) async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let run = try await bench.sluice(command, "--log", "json")
    let events = try run.errorText.split(separator: "\n").map { try JSON.parse(Array($0.utf8))["event"]?.string }
    #expect(events.prefix(2) == ["endpoint", "started"] && events.dropFirst(2).allSatisfy { $0 == "progress" })
  }

  @Test("a job of which a sink only prints says so, and prints nothing")
  func stdout() async throws {
    let bench = try Bench()
    try bench.configure("sink: stdout")
    let plan = try await bench.sluice("plan")
    #expect(plan.outputText.contains("stdout: +100 ~0 −0 =0, added to what is there"))
    #expect(!plan.outputText.contains("_key"))
    let verify = try await bench.sluice("verify")
    #expect(verify.exitCode == 2)
    #expect(verify.outputText.contains("stdout cannot be read back"), "\(verify.outputText)")
  }
}

/// A report without its notes, of which there are others from case to case.
func withoutNotes(_ text: String) -> String {
  text.split(separator: "\n").filter { !$0.hasPrefix("  note ") }.map { $0 + "\n" }.joined()
}
