import Foundation
import SluiceBuiltin
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("sluice docs") struct ReferenceTests {
  private static let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
    .standardized.path

  @Test("what lies in docs is what would be written now")
  func current() async {
    let run = await InProcess.sluice("docs", Self.docs, "--check")
    #expect(run.exitCode == 0, "\(run.errors)")
  }

  @Test("writes a page for each component, an index and the schema; --check sees what is stale, gone or left over")
  func written() async throws {
    let folder = try TemporaryFolder()
    let docs = folder.file("docs")
    #expect(await InProcess.sluice("docs", docs, "--check").exitCode == 1)
    #expect(try folder.names() == [], "--check writes nothing")
    #expect(await InProcess.sluice("docs", docs).exitCode == 0)
    #expect(await InProcess.sluice("docs", docs, "--check").exitCode == 0)
    let index = try folder.text("docs/components/README.md")
    for component in Catalog.builtin.components {
      let page = try folder.text("docs/components/\(component.pageName)")
      for setting in component.schema.settings { #expect(page.contains("| `\(setting.key)` |")) }
      #expect(index.contains("(\(component.pageName))"))
    }
    try folder.write(ComponentPages.marker + "\n", to: "docs/components/adapter-gone.md")
    try folder.write("written by hand", to: "docs/components/mine.md")
    folder.remove("docs/components/job.md")
    try folder.write("{}", to: "docs/sluice.schema.json")
    let stale = await InProcess.sluice("docs", docs, "--check")
    #expect(stale.exitCode == 1)
    for name in ["adapter-gone.md", "job.md", "sluice.schema.json"] { #expect(stale.errors.contains(name)) }
    #expect(!stale.errors.contains("mine.md"))
    #expect(await InProcess.sluice("docs", docs).exitCode == 0)
    #expect(await InProcess.sluice("docs", docs, "--check").exitCode == 0)
    #expect(!folder.exists("docs/components/adapter-gone.md"))
    #expect(folder.exists("docs/components/mine.md"))
  }

  @Test("a folder that cannot be made is an error with its path")
  func noFolder() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    let run = await InProcess.sluice("docs", folder.file("file/docs"))
    #expect(run.exitCode == 1)
    #expect(run.errors.contains(folder.file("file/docs")))
    #expect(await InProcess.sluice("docs").exitCode == 2)
  }

  @Test("the example on each page is one that check takes", arguments: Catalog.builtin.components.map(\.pageName))
  func examples(page: String) async throws {
    let component = try #require(Catalog.builtin.components.first { $0.pageName == page })
    let text = try #require(ComponentPages(catalog: .builtin).pages.first { $0.name == page }?.text)
    let sample = try #require(Samples.blocks(of: "yaml", in: text).first)
    for line in sample.split(separator: "\n") {
      let keys = ["source", "sink"].filter { !line.hasPrefix($0) }
      // A source that every strategy can page.
      let others = ["source": "{ memory: { name: other, consistent: true } }", "sink": "{ memory: { name: copy } }"]
      let parts = keys.map { "    \($0): \(others[$0] ?? "")" }
      let text =
        component.kind == .state
        ? "version: 1\n\(line)\njobs:\n  a:\n" : "version: 1\njobs:\n  a:\n    \(line)\n"
      let check = Project.read(text: text + parts.joined(separator: "\n"), path: "x.yaml", catalog: .builtin)
      #expect(check.project != nil, "\(line): \(check.diagnostics.all)")
    }
  }
}
