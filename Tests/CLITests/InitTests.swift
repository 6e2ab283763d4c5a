import SluiceBuiltin
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("sluice init") struct InitTests {
  private static let pairs: [(source: String, sink: String)] = {
    let catalog = Catalog.builtin
    return catalog.components(for: .source).flatMap { source in
      catalog.components(for: .sink).map { (source.name, $0.name) }
    }
  }()

  @Test("what it writes passes check: every source with every sink", arguments: pairs)
  func passes(source: String, sink: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("job.yaml")
    let run = await InProcess.sluice("init", path, "--source", source, "--sink", sink, "--job", "one")
    #expect(run.exitCode == 0, "\(run.errors)")
    #expect(run.errors.contains("sluice check \(path)"))
    let check = await InProcess.sluice("check", path)
    #expect(check.exitCode == 0, "\(check.errors)")
    #expect(check.errors.contains("one: \(source) → "))
    #expect(!check.errors.contains("warning"))
  }

  @Test("every transform and paging strategy, several sinks, and the defaults")
  func parts() async throws {
    let folder = try TemporaryFolder()
    let transforms = Catalog.builtin.components(for: .transform).flatMap { ["--transform", $0.name] }
    var arguments = ["init", folder.file("all.yaml"), "--sink", "file", "--sink", "sqlite"] + transforms
    #expect(await InProcess.run(arguments).exitCode == 0)
    #expect(await InProcess.sluice("check", folder.file("all.yaml")).exitCode == 0)
    arguments = ["init", folder.file("keyset.yaml"), "--source", "memory", "--paging", "keyset"]
    #expect(await InProcess.run(arguments).exitCode == 0)
    #expect(await InProcess.sluice("init", folder.file("plain.yaml")).exitCode == 0)
    #expect(await InProcess.sluice("check", folder.file("plain.yaml")).exitCode == 0)
  }

  /// Each comment that shows a setting is one to be made a setting by removing the sign.
  @Test("a setting that is shown as a comment is one that check knows, and its value is one it takes")
  func comments() async throws {
    let folder = try TemporaryFolder()
    let transforms = Catalog.builtin.components(for: .transform).flatMap { ["--transform", $0.name] }
    _ = await InProcess.run(
      ["init", folder.file("c.yaml"), "--source", "file", "--sink", "sqlite", "--sink", "memory"] + transforms)
    let lines = try folder.text("c.yaml").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var count = 0
    var group: Int?
    for (index, line) in lines.enumerated() {
      guard let found = line.firstMatch(of: /^( +)# ( *)[a-z_]+:( |$)/) else { continue }
      if found.output.2.isEmpty { group = index }
      var text = lines
      text[index] = line.replacing("# ", with: "", maxReplacements: 1)
      if !found.output.2.isEmpty, let group { text[group] = lines[group].replacing("# ", with: "") }
      let reading = Project.read(text: text.joined(separator: "\n"), path: "c.yaml", catalog: .builtin)
      let problems = reading.diagnostics.all.filter { $0.severity == .error }
      #expect(problems.allSatisfy { ["interpolation", "missing_key"].contains($0.code) }, "\(line): \(problems)")
      count += 1
    }
    #expect(count > 50)
  }

  @Test("never writes over a file, and writes nothing that would not do")
  func refuses() async throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "config.yaml")
    let there = await InProcess.sluice("init", folder.file("config.yaml"))
    #expect(there.exitCode == 2)
    #expect(there.errors.contains("is there already"))
    #expect(try folder.text("config.yaml") == "mine")
    let unknown = await InProcess.sluice("init", folder.file("a.yaml"), "--sink", "sqlit")
    #expect(unknown.exitCode == 2)
    #expect(unknown.errors.contains("did you mean sqlite?"))
    let cannot = await InProcess.sluice("init", folder.file("b.yaml"), "--source", "stdout")
    #expect(cannot.exitCode == 2)
    #expect(cannot.errors.contains("there is no source \"stdout\""))
    let paging = await InProcess.sluice("init", folder.file("c.yaml"), "--source", "firestore", "--paging", "offset")
    #expect(paging.exitCode == 2)
    #expect(paging.errors.contains("nothing was written"))
    let name = await InProcess.sluice("init", folder.file("d.yaml"), "--job", "No Name")
    #expect(name.exitCode == 2)
    #expect(try folder.names() == ["config.yaml"])
    #expect(await InProcess.sluice("init", folder.file("no/such/folder.yaml")).exitCode == 1)
  }
}
