import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("command line") struct UsageTests {
  @Test(
    "what cannot be understood is said, with what was probably meant",
    arguments: [
      (["rnu"], "did you mean run?"), (["chekc"], "did you mean check?"), (["frobnicate"], "sluice help lists them"),
      (["run", "--confg", "x"], "did you mean --config?"), (["run", "--frobnicate"], "sluice help run"),
      (["check", "--restart"], "no option of sluice check"), (["run", "--config"], "needs a value"),
      (["run", "--restart=yes"], "takes no value"), (["run", "--max-delete", "many"], "--max-delete"),
      (["run", "--log", "xml"], "expected text or json"), (["components", "sqlit"], "did you mean sqlite?"),
      (["state"], "sluice state show"), (["state", "shwo"], "sluice state show"), (["help", "nothing"], "sluice help"),
      (["demo", "--port", "99999"], "is no port"), (["version", "now"], "takes no"), (["check", "a", "b"], "one file"),
      (["demo", "users"], "takes no"), (["components", "file", "sqlite"], "one component"),
      (["check", "--config", "a.yaml", "b.yaml"], "one file"), (["schema", "x"], "takes no"),
      (["docs"], "sluice docs DIR"), (["docs", "a", "b"], "one folder"), (["init", "a", "b"], "one file"),
      (["init", "--sink"], "needs a value"), (["init", "--config", "a"], "no option of sluice init"),
      (["completion", "zsh"], "sluice completion bash"), (["explian"], "did you mean explain?"),
      (["plan", "--limit", "0"], "expected a number from 1"), (["run", "--only", ""], "is no key"),
      (["run", "--only", "a%2"], "is no key"), (["run", "--only", "a", "--limit", "3"], "--limit does not go with it"),
      (["plan", "--only", "a", "--full"], "--full does not go with it"),
      (["run", "--repair"], "no option of sluice run"),
      (["verify", "--estimate"], "no option of sluice verify"), (["plan", "--keys", "-1"], "expected a number from 0"),
      (["preview", "a", "b"], "shows one job"), (["preview", "-n", "none"], "--count: expected a number"),
      (["preview", "-n"], "needs a value"), (["check", "-v"], "no option of sluice check"),
      (["state", "show", "--yes=1"], "takes no value"), (["verfy"], "did you mean verify?"),
      (["run", "-v"], "sluice run --dry-run"),
    ])
  func mistakes(arguments: [String], text: String) async throws {
    let run = try await Bench(users: 0).run(arguments)
    #expect(run.exitCode == 2)
    #expect(run.outputText.isEmpty)
    #expect(run.errorText.contains(text), "\(run.errorText)")
  }

  @Test("a job that is not there")
  func jobs() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    for arguments in [
      ["run", "usres"], ["plan", "usres"], ["plan", "--estimate", "usres"], ["verify", "usres"], ["preview", "usres"],
      ["state", "show", "usres"],
    ] {
      let run = try await bench.run(arguments)
      #expect(run.exitCode == 2)
      #expect(run.errorText.contains("did you mean users?"), "\(run.errorText)")
    }
    #expect(bench.listTokens.isEmpty)
  }

  @Test("help is on stdout: for all, for each command, in every way to ask for it")
  func help() async {
    let overview = await InProcess.sluice("help")
    #expect(overview.exitCode == 0)
    #expect(overview.errors.isEmpty)
    for command in Invocation.Command.allCases {
      #expect(overview.output.contains("sluice \(command.rawValue)"))
      let help = await InProcess.sluice("help", command.rawValue)
      #expect(help.exitCode == 0)
      #expect(help.output.hasPrefix("sluice \(command.rawValue)"))
      #expect((await InProcess.sluice(command.rawValue, "--help")).output == help.output)
      #expect((await InProcess.sluice(command.rawValue, "-h")).output == help.output)
    }
    for option in Invocation.options { #expect(overview.output.contains(option.name)) }
    for arguments in ["--help", "-h"] { #expect((await InProcess.sluice(arguments)).output == overview.output) }
    #expect(await InProcess.sluice("--version").output == "sluice \(Sluice.version)\n")
    #expect(await InProcess.sluice("version").output == "sluice \(Sluice.version)\n")
  }

  @Test("without a command it tells what there is")
  func nothing() async throws {
    let run = try await Bench(users: 0).run([])
    #expect(run.exitCode == 0)
    #expect(run.outputText == (await InProcess.sluice("help")).output)
  }

  @Test("a configuration that is not there, is a folder, is empty")
  func configuration() async throws {
    let bench = try Bench(users: 0)
    let missing = try await bench.run(["run"])
    #expect(missing.exitCode == 2)
    #expect(missing.errorText.contains("config.yaml"))
    #expect(missing.errorText.contains("--config"), "\(missing.errorText)")
    let folder = try await bench.run(["run", "--config", "."])
    #expect(folder.exitCode == 2)
    #expect(folder.errorText.contains("not a regular file"), "\(folder.errorText)")
    try bench.folder.write("", to: "config.yaml")
    let empty = try await bench.run(["check"])
    #expect(empty.exitCode == 2)
    #expect(empty.errorText.contains("the file is empty"))
    #expect(try bench.folder.names() == ["config.yaml"])
  }
}
