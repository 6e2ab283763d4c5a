import FirestoreServer
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("sluice verify, preview, run --limit --full --only") struct VerifyCommandTests {
  @Test("--repair reads only what differs, and exits 0 when all is mended")
  func repair() async throws {
    let bench = try Bench()
    try bench.configure(Job.table + "\nmode: mirror")
    #expect(try await bench.sluice("run").exitCode == 0)
    let connection = try Connection(path: bench.folder.file("out/users.db"), creating: false, synchronous: .normal)
    try connection.run("DELETE FROM users WHERE key = 'u0003'")
    try connection.run("UPDATE users SET document = '{\"n\":0}' WHERE key = 'u0004'")
    try connection.run(
      "INSERT INTO users (key, document) SELECT 'foreign', document FROM users WHERE key = 'u0005'")
    let listed = bench.listTokens.count
    let report = try await bench.sluice("verify", "--repair")
    #expect(report.exitCode == 0, "\(report.outputText)")
    #expect(
      withoutNotes(report.outputText) == """
        users: differed, and is repaired
          read    5 pages, 100 documents, 100 billed reads
          sink    sqlite: =98, 1 missing, 1 different, 1 too many
                    missing u0003
                    different u0004
                    too many foreign
          repair  sqlite: 2 writes, 1 deletes

        """)
    #expect(bench.listTokens.count == listed + 5, "one listing")
    #expect(try await bench.sluice("verify").exitCode == 0)
    let run = try await bench.sluice("run")
    #expect(run.errorText.contains("0 writes, 0 deletes, 100 unchanged"), "\(run.errorText)")
  }

  @Test("a cut file is found, and made anew")
  func file() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    #expect(try await bench.sluice("run").exitCode == 0)
    let lines = try bench.lines()
    try bench.folder.write(lines.dropLast(2).joined(separator: "\n") + "\n", to: "out/users.jsonl")
    let found = try await bench.sluice("verify", "--keys", "1")
    #expect(found.exitCode == 5)
    #expect(found.outputText.contains("missing u0098\n            … and 1 more missing"), "\(found.outputText)")
    #expect(try await bench.sluice("verify", "--repair").exitCode == 0)
    #expect(try bench.lines() == lines)
  }

  @Test("C06 a server that ends its listing at a full page is caught by verify and plan: more was published")
  func cut() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    #expect(try await bench.sluice("run").exitCode == 0)
    bench.server.script(try .named("endsHere", page: 2))
    let found = try await bench.sluice("verify", "--keys", "0")
    #expect(found.exitCode == 5)
    #expect(found.outputText.contains("file: =40, 0 missing, 0 different, 60 too many\n"), "\(found.outputText)")
    #expect(found.outputText.contains("the last page was full and named no next one"))
    let plan = try await bench.sluice("plan")
    #expect(plan.exitCode == 3)
    #expect(plan.outputText.contains("too_many_deletes: 60 of 100"), "\(plan.outputText)")
    #expect(try bench.lines().count == 100)
  }

  @Test("of several sinks each is compared, but for those that cannot be read back")
  func several() async throws {
    let bench = try Bench()
    try bench.configure(
      """
      paging: { page_token: { size: 20 } }
      sinks:
        - file: { path: out/users.jsonl }
        - stdout
        - sqlite: { path: out/users.db, table: users }
      """)
    #expect(try await bench.sluice("run").exitCode == 0)
    let same = try await bench.sluice("verify")
    #expect(same.exitCode == 0)
    #expect(same.outputText.contains("users: the same, as far as sinks can be read back"))
    #expect(same.outputText.contains("stdout: cannot be read back"))
    bench.folder.remove("out/users.jsonl")
    let found = try await bench.sluice("verify", "--keys", "0")
    #expect(found.exitCode == 5)
    #expect(found.outputText.contains("file: =0, 100 missing, 0 different, 0 too many\n"), "\(found.outputText)")
    #expect(found.outputText.contains("sqlite: =100, 0 missing"), "\(found.outputText)")
    let plan = try await bench.sluice("plan")
    #expect(plan.outputText.contains("file: +100 ~0 −0 =0, replaced as a whole"))
    #expect(plan.outputText.contains("sqlite: +0 ~0 −0 =100"))
  }

  @Test("verify --output json has stable names")
  func json() async throws {
    let bench = try Bench()
    try bench.configure(Job.table)
    #expect(try await bench.sluice("run").exitCode == 0)
    let value = try JSON.parse(try await bench.sluice("verify", "--output", "json").output)
    let report = try #require(value.items.first)
    #expect(report["exit_code"]?.int == 0)
    #expect(report["sinks"]?.items.first?["same"] == .bool(true))
    #expect(report["sinks"]?.items.first?["equal"]?.int == 100)
  }

  @Test("preview reads one small page, shows documents after the transforms, and leaves nothing behind")
  func preview() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + "\ntransforms: [rename: { fields: { n: number } }]")
    let shown = try await bench.sluice("preview", "users", "-n", "2")
    #expect(shown.exitCode == 0, "\(shown.errorText)")
    #expect(shown.outputText == "{\"_key\":\"u0000\",\"number\":0}\n{\"_key\":\"u0001\",\"number\":1}\n")
    #expect(shown.errorText.contains("2 documents shown, nothing written"))
    #expect(shown.errorText.contains("2 billed reads, there are more"), "\(shown.errorText)")
    #expect(bench.listTokens.count == 1)
    #expect(bench.server.log.requests.first { $0.method == .list }?.parameter("pageSize") == "2")
    let typed = try await bench.sluice("preview", "--typed", "-n1")
    #expect(typed.exitCode == 2, "a value is apart from its option")
    let one = try await bench.sluice("preview", "--typed", "-n", "1")
    #expect(one.outputText.contains("\"number\":{\"integerValue\":\"0\"}"), "\(one.outputText)")
    #expect(try bench.folder.names() == ["config.yaml"])
  }

  @Test("preview goes on where transforms leave documents out, and ends where the source does")
  func previewFiltered() async throws {
    let bench = try Bench()
    try bench.configure(Job.file + "\ntransforms: [where: { field: n, ge: 97 }]")
    let shown = try await bench.sluice("preview", "-n", "5")
    #expect(shown.outputText.split(separator: "\n").count == 3)
    #expect(shown.errorText.contains("97 dropped by transforms, there are no more"), "\(shown.errorText)")
  }

  @Test("run --limit, --full and --only")
  func options() async throws {
    let bench = try Bench()
    try bench.configure(Job.table + "\nmode: mirror")
    let limited = try await bench.sluice("run", "--limit", "7")
    #expect(limited.exitCode == 0, "\(limited.errorText)")
    #expect(limited.errorText.contains("7 writes"), "\(limited.errorText)")
    #expect(limited.errorText.contains("nothing replaced"))
    #expect(try await bench.sluice("run").errorText.contains("100 documents"))
    #expect(try await bench.sluice("run", "--full").errorText.contains("100 writes"))
    try bench.server.store.delete("users/u0007")
    let listed = bench.listTokens.count
    let only = try await bench.sluice("run", "--only", "u0007", "--only=u0008")
    #expect(only.exitCode == 0, "\(only.errorText)")
    #expect(only.errorText.contains("sqlite: 1 writes, 1 deletes"), "\(only.errorText)")
    #expect(bench.listTokens.count == listed)
    #expect(try await bench.sluice("verify").exitCode == 0)
    try bench.configure(Job.file)
    let replaced = try await bench.sluice("run", "--only", "u0008")
    #expect(replaced.exitCode == 2)
    #expect(replaced.errorText.contains("replaced as a whole"))
  }
}
