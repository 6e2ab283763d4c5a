import Foundation
import SluiceTesting
import Testing

/// The package in `Tests/Stranger` is no target of this one. It is built as a stranger would build it, in a folder that
/// is kept between runs. Slow the first time: all of Sluice is built with it.
@Suite("a stranger's adapter", .serialized, .enabled(if: Stranger.hasPackageManager, "not where SwiftPM is missing"))
struct StrangerTests {
  @Test("its package builds and keeps its promises; its program knows it", .timeLimit(.minutes(20)))
  func builds() async throws {
    let build = try await Stranger.swift("build", "--build-tests")
    try #require(build.exitCode == 0, "\(build.outputText.suffix(4000))\(build.errorText.suffix(4000))")
    #expect(!build.outputText.contains("warning:") && !build.errorText.contains("warning:"), "\(build.outputText)")
    try await conforms()
    let program = try await Stranger.program()
    try await isKnown(to: program)
    try await runs(program)
  }

  private func conforms() async throws {
    let tests = try await Stranger.swift("test", "--skip-build", "--disable-xctest")
    let output = tests.outputText + tests.errorText
    #expect(tests.exitCode == 0, "\(output.suffix(8000))")
    // A kit that yields nothing passes, too.
    let count = output.firstMatch(of: /with (\d+) test cases/).flatMap { Int($0.1) } ?? 0
    #expect(count >= 30, "\(output.suffix(2000))")
  }

  private func isKnown(to program: String) async throws {
    let folder = try TemporaryFolder()
    func output(_ arguments: String...) async throws -> String {
      let run = await (try ChildProcess(program, arguments, environment: ["TMPDIR": folder.path])).wait()
      #expect(run.exitCode == 0, "\(arguments): \(run.errorText)")
      return run.outputText
    }
    let list = try await output("components")
    #expect(list.contains("key_values") && list.contains("firestore"))
    let page = try await output("components", "key_values")
    for word in ["path", "suffix", "comments", "What the names of the files end in"] { #expect(page.contains(word)) }
    #expect(try await output("components", "--matrix").contains("key_values"))
    let schema = try await output("schema")
    #expect(schema.contains("\"key_values\"") && schema.contains("Leave out lines that begin with #."))
    for block in try Stranger.blocks(of: "yaml", in: "docs/adding-an-adapter.md") {
      try folder.write(block, to: "notes.yaml")
      _ = try await output("check", folder.file("notes.yaml"))
    }
    try folder.write(
      "version: 1\njobs: { a: { source: { key_values: { path: x, suffix: a.b, comment: yes } }, sink: stdout } }\n",
      to: "wrong.yaml")
    let wrong = await (try ChildProcess(program, ["check", folder.file("wrong.yaml")], environment: [:])).wait()
    #expect(wrong.exitCode == 2)
    #expect((wrong.outputText + wrong.errorText).contains("did you mean comments"), "\(wrong.errorText)")
  }

  /// Into a folder, out of it again, and a second time with nothing to do.
  private func runs(_ program: String) async throws {
    let folder = try TemporaryFolder()
    func run(_ job: String) async throws -> ChildProcess.Result {
      let arguments = ["run", job, "--config", folder.file("config.yaml")]
      return await (try ChildProcess(program, arguments, environment: [:])).wait()
    }
    try folder.write(
      """
      version: 1
      jobs:
        fill:
          source: { file: { path: in.jsonl } }
          on_reject: skip
          mode: mirror
          sink: { key_values: { path: notes } }
        read:
          source: { key_values: { path: notes } }
          paging: { keyset: { size: 2 } }
          sink: { file: { path: out.jsonl } }
      """, to: "config.yaml")
    let lines = ["a", "b", "c", "d"].map { "{\"_key\":\"\($0)\",\"text\":\"of \($0)\"}\n" }
    try folder.write(lines.joined() + "{\"_key\":\"e\",\"n\":1}\n", to: "in.jsonl")
    #expect(try await run("fill").exitCode == 6, "one document has a number")
    #expect(try await run("read").exitCode == 0)
    #expect(try folder.text("out.jsonl") == lines.joined())
    try folder.write(lines[0] + lines[2] + lines[3], to: "in.jsonl")
    let second = try await run("fill")
    #expect(second.exitCode == 0, "\(second.errorText)")
    #expect(try await run("read").exitCode == 0)
    #expect(try folder.text("out.jsonl") == lines[0] + lines[2] + lines[3], "the document that is gone was deleted")
  }
}

/// The stranger's package, and the package manager.
enum Stranger {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  static let hasPackageManager: Bool = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/swift") }
  }()

  /// Runs the package manager on the stranger's package. Its build lies beside ours, and is used again.
  static func swift(_ arguments: String...) async throws -> ChildProcess.Result {
    // What this test run was told is not meant for the other one.
    let environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("SWIFT_TESTING") && !name.hasPrefix("SWIFTPM_") && !name.hasPrefix("XCTest")
    }
    let places = [
      "--package-path", root.appending(path: "Tests/Stranger").path, "--scratch-path",
      root.appending(path: ".build/stranger").path,
    ]
    let process = try ChildProcess("/usr/bin/env", ["swift"] + arguments + places, environment: environment)
    return await process.wait()
  }

  /// The stranger's program.
  static func program() async throws -> String {
    let shown = try await swift("build", "--show-bin-path")
    return shown.outputText.trimmingCharacters(in: .whitespacesAndNewlines) + "/my-sluice"
  }

  /// The fenced blocks of a language in a document.
  static func blocks(of language: String, in file: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }
}
