import Foundation
import SluiceCore
import SluiceJSON
import SluicePaging
import SluiceTesting
import Testing

@testable import SluiceCLI
@testable import SluiceEngine

/// The file of dead letters, by the real program.
@Suite("dead letters") struct DeadLetterTests {
  private func bench(_ job: String = "") throws -> Bench {
    let bench = try Bench(users: 0)
    try bench.folder.write(
      """
      version: 1
      jobs:
        users:
          source: { file: { path: in.jsonl } }
          transforms:
            - compute: { field: x, lua: "return 1 + doc.n" }
            - drop: { fields: [secret] }
          sink: { file: { path: out.jsonl } }
          on_reject: dead_letter
      \(job)
      """, to: "config.yaml")
    return bench
  }

  private static let path = ".sluice/users.rejects.jsonl"

  private static let input = """
    {"_key":"a","n":1}
    broken
    {"_key":"b","n":"text","secret":"m4rker"}
    {"_key":"c","n":1,"secret":"m4rker"}

    """

  private func letters(_ bench: Bench, _ path: String = path) throws -> [Value] {
    try bench.folder.text(path).split(separator: "\n").map { try JSON.parse(String($0)) }
  }

  @Test("hold key, error and place, for their owner only; exit code 6, and a line in the report")
  func kept() async throws {
    let bench = try bench()
    try bench.folder.write(Self.input, to: "in.jsonl")
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 6, "\(run.errorText)")
    #expect(run.errorText.contains("done, 2 left out"))
    #expect(run.errorText.contains(Self.path), "\(run.errorText)")
    #expect(try bench.folder.rights(Self.path) == 0o600)
    let letters = try letters(bench)
    #expect(letters.count == 2)
    #expect(letters.first?["key"] == nil && letters.first?["line"]?.int == 2 && letters.first?["byte"]?.int == 19)
    #expect(letters.first?["file"]?.string?.hasSuffix("in.jsonl") == true)
    #expect(letters.last?["key"]?.string == "b" && letters.last?["field"]?.string == "x")
    #expect(letters.allSatisfy { $0["job"]?.string == "users" && $0["code"] != nil && $0["message"] != nil })
    #expect(try !bench.folder.text(Self.path).contains("m4rker"))
    #expect(try bench.lines(of: "out.jsonl").count == 2)

    // The next listing's letters take their place; without any, there is no file.
    #expect(try await bench.sluice("run").exitCode == 6)
    #expect(try self.letters(bench).count == 2)
    try bench.folder.write("{\"_key\":\"a\",\"n\":1}\n{\"_key\":\"b\",\"n\":1}\n", to: "in.jsonl")
    #expect(try await bench.sluice("run").exitCode == 0)
    #expect(!bench.folder.exists(Self.path))
  }

  @Test("hold the document a sink could not take, only on request and after the transforms")
  func documents() async throws {
    for keeps in [false, true] {
      let bench = try bench("    dead_letters: { path: rejects.jsonl, documents: \(keeps) }")
      let config = try bench.folder.text("config.yaml")
      try bench.folder.write(
        config.replacing("path: out.jsonl", with: "path: out.jsonl, key_field: k"), to: "config.yaml")
      try bench.folder.write(
        "{\"_key\":\"a\",\"n\":1,\"k\":2,\"secret\":\"m4rker\"}\n{\"_key\":\"b\",\"n\":1}\n", to: "in.jsonl")
      let run = try await bench.sluice("run")
      #expect(run.exitCode == 6, "\(run.errorText)")
      let letters = try letters(bench, "rejects.jsonl")
      #expect(letters.count == 1)
      #expect(letters.first?["component"]?.string == "file")
      #expect((letters.first?["document"] != nil) == keeps)
      if keeps { #expect(letters.first?["document"]?["k"]?["integerValue"]?.string == "2") }
      #expect(try !bench.folder.text("rejects.jsonl").contains("m4rker"))
    }
  }

  @Test("hold no secret of the configuration, whatever an error says")
  func secrets() async throws {
    let secret = "m4rker-0123456789"
    let bench = try bench("    dead_letters: { documents: true }")
    let config = try bench.folder.text("config.yaml")
    try bench.folder.write(
      config.replacing("path: in.jsonl", with: "path: \"${env:SECRET_NAME}.jsonl\""), to: "config.yaml")
    try bench.folder.write("broken\n{\"_key\":\"\(secret)\",\"n\":\"x\"}\n", to: "\(secret).jsonl")
    let run = try await bench.sluice("run", environment: ["SECRET_NAME": secret])
    #expect(run.exitCode == 6, "\(run.errorText)")
    #expect(try letters(bench).count == 2)
    #expect(try !bench.folder.text(Self.path).contains(secret))
    #expect(!run.errorText.contains(secret))
  }

  @Test("of a listing that goes on stay, but for half a line; a new listing begins anew with its first letter")
  func resumed() async throws {
    let folder = try TemporaryFolder()
    var plan = JobPlan.forDeadLetters
    plan.deadLetters.path = "x/rejects.jsonl"
    func letter(_ key: String) -> DeadLetter {
      DeadLetter(
        job: "job", generation: 1, time: Timestamp(seconds: 0, nanoseconds: 0), key: Key(key),
        error: SluiceError(.rejected, "no"))
    }
    func keys() throws -> [String?] {
      try folder.text("x/rejects.jsonl").split(separator: "\n").map { try JSON.parse(String($0))["key"]?.string }
    }
    let first = DeadLetterFile(job: plan, directory: folder.path) { $0 }
    try await first.begin(isResumed: false)
    try await first.add(letter("a"))
    try await first.add(letter("b"))
    try folder.write(try folder.text("x/rejects.jsonl") + "{\"time\":\"half", to: "x/rejects.jsonl")
    let second = DeadLetterFile(job: plan, directory: folder.path) { $0 }
    try await second.begin(isResumed: true)
    try await second.finish()
    try await second.begin(isResumed: true)
    try await second.add(letter("c"))
    #expect(try keys() == ["a", "b", "c"])
    try await second.begin(isResumed: false)
    #expect(try keys() == ["a", "b", "c"])
    try await second.add(letter("d"))
    #expect(try keys() == ["d"])
    try await second.begin(isResumed: false)
    try await second.finish()
    #expect(!folder.exists("x/rejects.jsonl"))
  }

  @Test("a file of something else is left as it is, with and without letters to write")
  func foreign() async throws {
    for input in [Self.input, "{\"_key\":\"a\",\"n\":1}\n"] {
      let bench = try bench("    dead_letters: { path: mine.jsonl }")
      try bench.folder.write("{\"_key\":\"precious\"}\n", to: "mine.jsonl")
      try bench.folder.write(input, to: "in.jsonl")
      let run = try await bench.sluice("run")
      #expect(run.exitCode == 1)
      #expect(run.errorText.contains("holds no dead letters of this job"), "\(run.errorText)")
      #expect(try bench.folder.text("mine.jsonl") == "{\"_key\":\"precious\"}\n")
      #expect(!bench.folder.exists("out.jsonl"))
    }
  }

  @Test("two jobs with one file are refused by check")
  func oneFile() async throws {
    let bench = try bench("    dead_letters: { path: rejects.jsonl }")
    let text = try bench.folder.text("config.yaml")
    let job = text.components(separatedBy: "jobs:\n")[1].replacing("users:", with: "others:")
    try bench.folder.write(text + "\n" + job, to: "config.yaml")
    let check = try await bench.sluice("check")
    #expect(check.exitCode == 2)
    #expect(check.errorText.contains("same_store: the jobs users and others"), "\(check.errorText)")
  }

  @Test("a link in the file's place is not followed")
  func link() async throws {
    let bench = try bench("    dead_letters: { path: rejects.jsonl }")
    try bench.folder.write("precious", to: "victim")
    symlink("victim", bench.folder.file("rejects.jsonl"))
    try bench.folder.write(Self.input, to: "in.jsonl")
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 1)
    #expect(run.errorText.contains("dead_letters.path"))
    #expect(try bench.folder.text("victim") == "precious")
  }
}

extension JobPlan {
  /// A plan with nothing in it but where its dead letters go.
  fileprivate static var forDeadLetters: JobPlan {
    JobPlan(
      name: "job", source: AdapterPlan(Nothing.self, NoSettings()), paging: PagingPlan(PageToken(PageToken.Config())),
      sinks: [], onReject: .deadLetter)
  }
}

private final class Nothing: Adapter {
  typealias Config = NoSettings
  static let name = "nothing"
  static let summary = "Nothing."
  init(_ config: NoSettings, context: AdapterContext) {}
}
