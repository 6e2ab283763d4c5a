import Foundation
import SluiceBuiltin
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceCLI

/// Every sample in the README and in the written documents is compiled, checked or run.
@Suite("documentation") struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized.path
  static let files = ["README.md", "docs/flow.md", "docs/guards.md", "docs/encodings.md", "docs/adding-an-adapter.md"]
  private static let catalog = Catalog.builtin.adding(List.self).adding(Notebook.self)

  private static func text(_ file: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
  }

  private func blocks(_ language: String, _ file: String) throws -> [String] {
    Samples.blocks(of: language, in: try Self.text(file))
  }

  @Test("a configuration is one that check takes, without a warning", arguments: files)
  func configurations(file: String) throws {
    for block in try blocks("yaml", file) {
      let reading = Project.read(text: block, path: file, catalog: Self.catalog)
      #expect(reading.project != nil && reading.diagnostics.all.isEmpty, "\(block)\(reading.diagnostics.all)")
    }
  }

  @Test("the README shows the configuration that is there")
  func configuration() throws {
    let shown = try blocks("yaml", "README.md").first
    let lines = try Self.text("config.yaml").split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(shown == lines.joined(separator: "\n") + "\n")
  }

  @Test("a command line is one that the program understands", arguments: files)
  func commands(file: String) throws {
    for line in try blocks("sh", file).flatMap({ $0.split(separator: "\n") }) {
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      guard let program = words.first, program.hasSuffix("sluice") else { continue }
      #expect(throws: Never.self, "\(line)") { try Invocation(Array(words.dropFirst())) }
    }
  }

  @Test("Swift is what these tests compile and run", arguments: files)
  func code(file: String) async throws {
    let samples = try ["List", "Notebook"].map { try Self.text("Tests/CLITests/Samples/\($0).swift") }
    let main = try Self.text("Sources/sluice/main.swift").filter { $0 != "\n" }
    for block in try blocks("swift", file) {
      if block.hasPrefix("// swift-tools-version") {
        try await checkPackage(block)
      } else if block.contains("await Sluice.main") {
        let builtin = block.replacing(/\.adding\(\w+\.self\)/, with: "").filter { $0 != "\n" }
        #expect(builtin == main, "\(file)")
      } else {
        #expect(samples.contains { $0.contains(block) }, "\(file): \(block)")
      }
    }
  }

  /// A manifest is read by the package manager, and the products it names are ours.
  private func checkPackage(_ manifest: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(manifest, to: "Package.swift")
    let run = await
      (try ChildProcess(
        "/usr/bin/env", ["swift", "package", "dump-package", "--package-path", folder.path],
        environment: ProcessInfo.processInfo.environment)).wait()
    #expect(run.exitCode == 0, "\(run.errorText)")
    let package = try JSON.parse(run.outputText)
    let named = package["targets"]?.items.flatMap { $0["dependencies"]?.items ?? [] }
      .compactMap { $0["product"]?.items.first?.string }
    let own = try Self.text("Package.swift")
    for product in try #require(named) { #expect(own.contains(".library(name: \"\(product)\"")) }
  }

  @Test("links lead to files that are there", arguments: files + ["CONTRIBUTING.md", "docs/components/README.md"])
  func links(file: String) throws {
    let folder = URL(filePath: "\(Self.root)/\(file)").deletingLastPathComponent()
    for link in try Self.text(file).matches(of: /\]\(([^)#]+)\)/).map({ String($0.output.1) })
    where !link.contains("://") {
      let path = folder.appending(path: link).standardized.path
      #expect(FileManager.default.fileExists(atPath: path), "\(file): \(link)")
    }
  }

  @Test("the lines of encodings.md are what the two encodings write, and typed is read back without loss")
  func encodings() async throws {
    let lines = try blocks("json", "docs/encodings.md")
    try #require(lines.count == 2)
    let bench = try Bench(users: 0)
    try bench.folder.write(lines[0], to: "in.jsonl")
    try bench.folder.write(
      """
      version: 1
      jobs:
        a:
          source: { file: { path: in.jsonl, encoding: typed } }
          sinks: [{ file: { path: plain.jsonl } }, { file: { path: typed.jsonl, encoding: typed } }]
      """, to: "config.yaml")
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(try bench.folder.text("typed.jsonl") == lines[0])
    #expect(try bench.folder.text("plain.jsonl") == lines[1])
  }

  @Test("the sample adapters run: into a notebook, out of it, and again with nothing to do")
  func samples() async throws {
    let folder = try TemporaryFolder()
    let name = folder.path.split(separator: "/").last.map(String.init) ?? ""
    try folder.write(
      """
      version: 1
      jobs:
        list: { source: { list: { items: [b, a, c] } }, paging: offset, sink: { file: { path: list.jsonl } } }
        fill:
          source: { file: { path: notes.jsonl } }
          on_reject: skip
          mode: mirror
          sink: { notebook: { name: \(name) } }
        read:
          source: { notebook: { name: \(name), upper_case: true } }
          paging: { keyset: { size: 2 } }
          sink: { file: { path: read.jsonl } }
      """, to: "config.yaml")
    try folder.write(
      ["a", "b", "c", "d"].map { "{\"_key\":\"\($0)\",\"text\":\"of \($0)\"}\n" }.joined() + "{\"_key\":\"e\"}\n",
      to: "notes.jsonl")
    func run(_ job: String) async -> Int32 {
      let record = Console(isTerminal: false) { _, _ in }
      return await Sluice.run(
        ["run", job, "--config", folder.file("config.yaml")], catalog: Self.catalog, console: record)
    }
    #expect(await run("list") == 0)
    #expect(try folder.text("list.jsonl").split(separator: "\n").count == 3)
    #expect(await run("fill") == 6, "one note has no text")
    #expect(await run("read") == 0)
    let lines = "abcd".map { "{\"_key\":\"\($0)\",\"text\":\"OF \($0.uppercased())\"}\n" }
    #expect(try folder.text("read.jsonl") == lines.joined())
    try folder.write(
      "{\"_key\":\"b\",\"text\":\"of b\"}\n{\"_key\":\"c\",\"text\":\"new\"}\n{\"_key\":\"d\",\"text\":\"of d\"}\n",
      to: "notes.jsonl")
    #expect(await run("fill") == 0)
    #expect(await run("read") == 0)
    #expect(try folder.text("read.jsonl").contains("\"text\":\"NEW\""))
    #expect(try !folder.text("read.jsonl").contains("\"_key\":\"a\""))
  }
}
