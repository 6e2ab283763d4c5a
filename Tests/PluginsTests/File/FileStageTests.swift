import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting
import Testing

@Suite("File as a sink: crashes and resumes")
struct FileStageTests {
  private let folder: TemporaryFolder
  private static let stage = ".a.jsonl.sluice-5"

  init() throws { folder = try TemporaryFolder() }

  /// Runs a listing of three deliveries and leaves it after `steps` of them, the way a killed process does. Answers the
  /// marks that were confirmed.
  private func abandon(after steps: Int, generation: UInt64 = 5) async throws -> [StageMark] {
    var driver = SinkDriver(try folder.sink("a.jsonl"), generation: generation)
    var marks = [try await driver.openStage()]
    for step in 0..<steps {
      marks.append(try #require(try await driver.send(try numbered(step * 10..<step * 10 + 10, text: "new")).stage))
    }
    return marks
  }

  private var whole: String {
    (0..<30).map { #"{"_key":"\#(numberedKey($0))","n":\#($0),"text":"new"}"# + "\n" }.joined()
  }

  @Test("left after any delivery, saved at that one or the one before: the next run goes on and publishes the same")
  func everyStep() async throws {
    for steps in 0...3 {
      for lag in 0...min(steps, 1) {
        try folder.write("old\n", to: "a.jsonl")
        let marks = try await abandon(after: steps)
        #expect(try folder.text("a.jsonl") == "old\n")
        let saved = steps - lag
        var driver = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
        #expect(try await driver.openStage(resuming: marks[saved]) == marks[saved], "\(steps) \(lag)")
        for step in saved..<3 { try await driver.send(try numbered(step * 10..<step * 10 + 10, text: "new")) }
        let publication = try await driver.publish()
        #expect(try folder.text("a.jsonl") == whole)
        #expect(publication.content.documents == 30)
        #expect(try folder.names() == ["a.jsonl"])
      }
    }
  }

  @Test("left before publishing: another instance publishes the stage it finds, and no other")
  func beforePublishing() async throws {
    let marks = try await abandon(after: 3)
    let proof = try SinkDriver.proof(generation: 5)
    let late = try folder.sink("a.jsonl")
    #expect(try await !late.shows(Publication(generation: 5, content: marks[3])))
    let unknown = StageMark(length: marks[3].length, digest: marks[2].digest, documents: 30)
    #expect(await code { _ = try await late.publish(proof, content: unknown) } == .io)
    #expect(try folder.names() == [Self.stage])
    let publication = try await late.publish(proof, content: marks[3])
    #expect(try folder.text("a.jsonl") == whole)
    #expect(try await late.shows(publication))
  }

  @Test("left after publishing and before saving: the file is known again by its content")
  func afterPublishing() async throws {
    var driver = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
    try await driver.openStage()
    let mark = try #require(try await driver.send(try numbered(0..<10)).stage)
    try await driver.publish()
    let later = try folder.sink("a.jsonl")
    #expect(try await later.shows(Publication(generation: 5, content: mark)))
    // What a confused caller would do next is refused and leaves the file alone.
    let before = try folder.text("a.jsonl")
    let proof = try SinkDriver.proof(generation: 5)
    #expect(await code { _ = try await later.publish(proof, content: mark) } == .io)
    #expect(try folder.text("a.jsonl") == before)
  }

  @Test("a stage that is not the one the mark was taken of is begun anew, and nothing is followed or kept")
  func mismatches() async throws {
    typealias Harm = (name: String, change: (_ stage: String, _ folder: TemporaryFolder) throws -> Void)
    let harms: [Harm] = [
      ("gone", { stage, _ in try FileManager.default.removeItem(atPath: stage) }),
      ("shorter", { stage, _ in #expect(truncate(stage, 20) == 0) }),
      ("empty", { stage, _ in #expect(truncate(stage, 0) == 0) }),
      (
        "altered",
        { stage, _ in
          let handle = try #require(FileHandle(forUpdatingAtPath: stage))
          try handle.seek(toOffset: 30)
          try handle.write(contentsOf: Data("~".utf8))
          try handle.close()
        }
      ),
      (
        "a link to a twin",
        { stage, folder in
          try FileManager.default.moveItem(atPath: stage, toPath: folder.file("twin"))
          symlink(folder.file("twin"), stage)
        }
      ),
      ("with a second name", { stage, folder in #expect(Foundation.link(stage, folder.file("twin")) == 0) }),
      (
        "a pipe",
        { stage, _ in
          try FileManager.default.removeItem(atPath: stage)
          #expect(mkfifo(stage, 0o600) == 0)
        }
      ),
    ]
    for harm in harms {
      let marks = try await abandon(after: 2)
      try harm.change(folder.file(Self.stage), folder)
      let twin = FileManager.default.fileExists(atPath: folder.file("twin")) ? try folder.text("twin") : nil
      var driver = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
      #expect(try await driver.openStage(resuming: marks[2]) == marks[0], "\(harm.name)")
      try await driver.send(try numbered(0..<1))
      try await driver.publish()
      #expect(try folder.text("a.jsonl") == "{\"_key\":\"k000\",\"n\":0,\"text\":\"old\"}\n", "\(harm.name)")
      if let twin {
        #expect(try folder.text("twin") == twin, "\(harm.name)")
        try FileManager.default.removeItem(atPath: folder.file("twin"))
      }
      try FileManager.default.removeItem(atPath: folder.file("a.jsonl"))
      #expect(try folder.names().isEmpty, "\(harm.name)")
    }
  }

  @Test("a stage that grew beyond the mark is cut back to it")
  func longer() async throws {
    let marks = try await abandon(after: 2)
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.file(Self.stage)))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("half a li".utf8))
    try handle.close()
    var driver = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
    #expect(try await driver.openStage(resuming: marks[2]) == marks[2])
    try await driver.send(try numbered(20..<30, text: "new"))
    try await driver.publish()
    #expect(try folder.text("a.jsonl") == whole)
  }

  @Test("stages of other generations go, files of like names stay")
  func otherGenerations() async throws {
    let strangers = [
      ".a.jsonl.sluice-", ".a.jsonl.sluice-+3", ".a.jsonl.sluice-03", ".a.jsonl.sluice-x", ".b.jsonl.sluice-3",
      "a.jsonl.sluice-3",
    ]
    for name in strangers { try folder.write("mine", to: name) }
    for generation in [UInt64(1), 2, 4, .max] { try folder.write("stale", to: ".a.jsonl.sluice-\(generation)") }
    let marks = try await abandon(after: 1)
    #expect(try folder.names() == (strangers + [Self.stage]).sorted())
    try folder.write("stale", to: ".a.jsonl.sluice-6")
    let later = try folder.sink("a.jsonl")
    #expect(try await later.openStage(generation: 5, resuming: marks[1]) == marks[1])
    #expect(try folder.names() == (strangers + [Self.stage]).sorted())
    try await later.discardStage()
    #expect(try folder.names() == strangers.sorted())
    try await later.discardStage()
  }

  @Test("the stage of a file whose name has the same letters, otherwise composed, is another's")
  func composedNames() async throws {
    let names = ["\u{E9}.jsonl", "e\u{301}.jsonl"]
    var first = SinkDriver(try folder.sink(names[0]), generation: 1)
    try await first.openStage()
    try await first.send(try numbered(0..<1))
    var second = SinkDriver(try folder.sink(names[1]), generation: 2)
    try await second.openStage()
    try await first.publish()
    try await second.publish()
    #expect(Set(try folder.names().map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
  }

  @Test("closing keeps the stage; discarding without opening removes it")
  func closing() async throws {
    let sink = try folder.sink("a.jsonl")
    var driver = SinkDriver(sink, generation: 5)
    try await driver.openStage()
    try await driver.send(try numbered(0..<1))
    await sink.close()
    #expect(try folder.names() == [Self.stage])
    try await folder.sink("a.jsonl").discardStage()
    #expect(try folder.names().isEmpty)
    try await folder.sink("none/a.jsonl").discardStage()
  }

  @Test("what the file shows: the same file, the same content, or not the publication")
  func shows() async throws {
    var driver = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
    try await driver.openStage()
    try await driver.send(try numbered(0..<10))
    let publication = try await driver.publish()
    let content = Publication(generation: 5, content: publication.content)
    let original = try folder.text("a.jsonl")
    func expect(_ expected: Bool, _ comment: Comment) async throws {
      let sink = try folder.sink("a.jsonl")
      #expect(try await sink.shows(publication) == expected, comment)
      #expect(try await sink.shows(content) == expected, comment)
    }
    try await expect(true, "untouched")
    try folder.write(original, to: "a.jsonl")
    try await expect(true, "written again with the same content")
    try folder.write(original.replacingOccurrences(of: "k009", with: "k008"), to: "a.jsonl")
    try await expect(false, "edited, same length")
    try folder.write(original + "\n", to: "a.jsonl")
    try await expect(false, "longer")
    try folder.write(String(original.dropLast()), to: "a.jsonl")
    try await expect(false, "shorter")
    try FileManager.default.removeItem(atPath: folder.file("a.jsonl"))
    try await expect(false, "deleted")
  }

  @Test("a folder or pipe put in the place of the file is an error, and the stage stays")
  func targetTaken() async throws {
    let sink = try folder.sink("a.jsonl")
    var driver = SinkDriver(sink, generation: 5)
    try await driver.openStage()
    try await driver.send(try numbered(0..<1))
    try FileManager.default.createDirectory(atPath: folder.file("a.jsonl"), withIntermediateDirectories: true)
    let publication = Publication(generation: 5, content: try #require(driver.mark))
    #expect(await code { try await driver.publish() } == .io)
    #expect(await code { _ = try await sink.shows(publication) } == .io)
    #expect(try folder.names() == [Self.stage, "a.jsonl"])
  }

  @Test("two jobs that write one file: the second is told, the first is not disturbed")
  func twoJobs() async throws {
    var first = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
    try await first.openStage()
    try await first.send(try numbered(0..<1))
    for generation in [UInt64(5), 6] {
      let second = try folder.sink("a.jsonl")
      #expect(
        await code { _ = try await second.openStage(generation: generation, resuming: nil) } == .alreadyRunning)
      #expect(
        await code { _ = try await second.openStage(generation: generation, resuming: first.mark) } == .alreadyRunning)
    }
    try await first.publish()
    #expect(try folder.text("a.jsonl") == "{\"_key\":\"k000\",\"n\":0,\"text\":\"old\"}\n")
    _ = try await folder.sink("a.jsonl").openStage(generation: 6, resuming: nil)
  }

  @Test("a stage that somebody removed or exchanged is not published")
  func exchanged() async throws {
    try folder.write("old\n", to: "a.jsonl")
    for isRemoved in [true, false] {
      var driver = SinkDriver(try folder.sink("a.jsonl"), generation: 5)
      try await driver.openStage()
      try await driver.send(try numbered(0..<1))
      try FileManager.default.removeItem(atPath: folder.file(Self.stage))
      if !isRemoved { try folder.write("forged\n", to: Self.stage) }
      let publishing = driver
      let error = await thrown { try await publishing.publish() }
      #expect(error?.code == .io)
      #expect(try folder.text("a.jsonl") == "old\n")
    }
  }
}
