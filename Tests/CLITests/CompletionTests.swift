import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("sluice completion") struct CompletionTests {
  /// What bash offers for a line, the last word of which is being typed.
  private func offers(_ bench: Bench, _ words: String...) async throws -> [String] {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let run = try await bench.shell(
      """
      source <(sluice completion bash)
      COMP_WORDS=(sluice \(quoted)); COMP_CWORD=\(words.count)
      _sluice && printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.errorText.isEmpty, "\(run.errorText)")
    return run.outputText.split(separator: "\n").map(String.init)
  }

  @Test("commands, options of the command, values of the option, components")
  func words() async throws {
    let bench = try Bench(users: 0)
    #expect(try await offers(bench, "") == Invocation.Command.allCases.map(\.rawValue))
    #expect(try await offers(bench, "ex") == ["explain"])
    for command in Invocation.Command.allCases {
      let options = Invocation.options.filter { $0.commands.contains(command) }.map(\.name)
      #expect(try await offers(bench, command.rawValue, "--") == options, "\(command)")
    }
    #expect(try await offers(bench, "run", "--log", "") == ["text", "json"])
    #expect(try await offers(bench, "init", "--sink", "s") == ["sqlite", "stdout"])
    #expect(try await offers(bench, "components", "fi") == ["file", "firestore"])
    #expect(try await offers(bench, "help", "che") == ["check"])
    #expect(try await offers(bench, "completion", "") == ["--config", "bash"])
  }

  @Test("jobs of the configuration, and files")
  func jobs() async throws {
    let bench = try Bench(users: 0)
    #expect(try await offers(bench, "run", "us") == [], "without a configuration")
    try bench.write(jobs: ["users": ("", Job.file), "teams": ("", "sink: broken")])
    #expect(try await offers(bench, "run", "us") == ["users"])
    #expect(try await offers(bench, "explain", "t") == ["teams"], "also of a file with errors")
    #expect(try await offers(bench, "run", "--config", "conf") == ["config.yaml"])
    try bench.folder.write("version: 1\njobs: { other: { source: x, sink: y } }", to: "other.yaml")
    #expect(try await offers(bench, "run", "--config", "other.yaml", "o") == ["other"])
    #expect(
      try await offers(bench, "state", "") == [
        "--config", "--count", "--yes", "--log", "--output", "show", "runs", "adopt", "rename", "reset", "teams",
        "users",
      ])
    #expect(try await offers(bench, "verify", "us") == ["users"])
    #expect(try await offers(bench, "preview", "-n", "") == [])
  }

  @Test("shells that are not known are refused")
  func shells() async {
    #expect(await InProcess.sluice("completion").exitCode == 2)
    let run = await InProcess.sluice("completion", "tcsh")
    #expect(run.exitCode == 2)
    #expect(run.errors.contains("sluice completion bash"))
  }
}
