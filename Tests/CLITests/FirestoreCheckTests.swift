import SluiceTesting
import Testing

@Suite("sluice check of a Firestore source") struct FirestoreCheckTests {
  @Test("C09 show_missing together with order_by: an error that names both keys and their lines, before any request")
  func orderAndMissing() async throws {
    let bench = try Bench(users: 3)
    try bench.configure(source: "show_missing: true,\n      order_by: n", Job.file)
    for arguments in [["check"], ["run"]] {
      let run = try await bench.run(arguments)
      #expect(run.exitCode == 2)
      #expect(
        run.errorText.contains("config.yaml:5:7: conflicting_settings: show_missing and order_by"), "\(run.errorText)")
      #expect(run.errorText.contains("config.yaml:4:") && run.errorText.contains("show_missing is set here"))
    }
    #expect(bench.server.log.counters.requests == 0)
  }
}
