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
  /// Shows what lies in `Tests/Stranger`; its configurations are for the program of that package, whose test checks them.
  private static let stranger = "docs/adding-an-adapter.md"
  private static let catalog = Catalog.builtin.adding(List.self)

  private static let strangersTests = "Stranger/Tests/my-sluiceTests/ConformanceTests"

  private static func text(_ file: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
  }

  private func blocks(_ language: String, _ file: String) throws -> [String] {
    Samples.blocks(of: language, in: try Self.text(file))
  }

  @Test("a configuration is one that check takes, without a warning", arguments: files.filter { $0 != stranger })
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

  @Test("what is shown of an adapter is the stranger's, word for word")
  func strangerIsShown() throws {
    let shown = try blocks("swift", Self.stranger)
    let files = [
      "Package", "Sources/my-sluice/main", "Sources/my-sluice/KeyValues", "Tests/my-sluiceTests/ConformanceTests",
    ]
    let texts = try files.map { try Self.text("Tests/Stranger/\($0).swift") }
    for block in shown { #expect(texts.contains { $0.contains(block) }, "\(block)") }
    for text in texts { #expect(shown.contains { text.contains($0) }, "\(text)") }
  }

  @Test("Swift is what these tests compile and run", arguments: files)
  func code(file: String) async throws {
    let samples = try ["CLITests/Samples/List", "Stranger/Sources/my-sluice/KeyValues", Self.strangersTests].map {
      try Self.text("Tests/\($0).swift")
    }
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

  @Test("the sample adapter runs")
  func samples() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      version: 1
      jobs:
        list: { source: { list: { items: [b, a, c] } }, paging: offset, sink: { file: { path: list.jsonl } } }
      """, to: "config.yaml")
    let record = Console(isTerminal: false) { _, _ in }
    let exit = await Sluice.run(
      ["run", "list", "--config", folder.file("config.yaml")], catalog: Self.catalog, console: record)
    #expect(exit == 0)
    #expect(try folder.text("list.jsonl").split(separator: "\n").count == 3)
  }
}
