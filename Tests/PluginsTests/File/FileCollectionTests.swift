import Foundation
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceFile

@Suite("File: one for each collection")
struct FileCollectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func batch(_ keys: [[String]]) throws -> Batch {
    var builder = BatchBuilder()
    for segments in keys { builder.add(key: Key(segments: segments), [Field("id", .string(segments.last ?? ""))]) }
    return try builder.finish()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).filter { !$0.hasPrefix(".") }.sorted()
  }

  private func readBack(_ settings: FileAdapter.Config) async throws -> Set<[UInt8]> {
    let pages = try await allPages({ try folder.source(settings) }, size: 3)
    return Set(pages.flatMap { $0.batch.map(\.key.bytes) })
  }

  static let oddNames = [
    "Doc1", "doc1", "a:b", "CON", "con.txt", "Com1", "x.", "x ", " x", ".hidden", "..", ".", "_", "%", "%2F", "~",
    "a/b",
    "a\\b", "*", "?", "[x]", "{collection}", "\"", "<|>", "\u{1}\u{7F}", "é", "e\u{301}", "日本", "LPT0", "nul", "x",
    String(repeating: "i", count: 300), String(repeating: "i", count: 300) + "2", String(repeating: "語", count: 100),
  ]

  @Test("C105 every name is a name on every file system, and is read back or found inside")
  func names105() throws {
    let path = try #require(CollectionPath("out/{collection}.jsonl"))
    for foldsCase in [false, true] {
      var seen: Set<[UInt8]> = []
      for id in Self.oddNames {
        let collection = Key(id).bytes
        let name = path.name(of: collection, foldsCase: foldsCase)
        #expect(name.utf8.count <= 255)
        #expect(!name.utf8.contains { $0 < 0x20 || $0 == 0x7F || "/\\:*?\"<>|".utf8.contains($0) }, "\(name)")
        #expect(
          name.first != "." && name.first != " " && !name.hasSuffix(" .jsonl") && !name.hasSuffix("..jsonl"), "\(name)")
        let stem = name.prefix { $0 != "." }.lowercased()
        #expect(!["con", "nul", "com1", "lpt0"].contains(stem), "\(name)")
        #expect(seen.insert(Array((foldsCase ? name.lowercased() : name).utf8)).inserted, "\(name) stands for two")
        let escaped = try #require(path.escapedName(in: name))
        if id.utf8.count < 200 {
          #expect(CollectionName.collection(of: escaped) == collection, "\(name)")
        } else {
          #expect(CollectionName.collection(of: escaped) == nil)
          #expect(escaped.contains("~"))
        }
      }
    }
    #expect(path.name(of: [], foldsCase: false) == "_.jsonl")
    #expect(CollectionName.collection(of: "_") == [])
    #expect(
      path.name(of: Key(segments: ["rooms", "r1", "messages"]).bytes, foldsCase: false) == "rooms%2Fr1%2Fmessages.jsonl"
    )
  }

  @Test("C105 one file for each collection, whatever it is called; all keys come back")
  func oddCollections() async throws {
    for name in ["out/{collection}.jsonl", "out/{collection}.json.gz"] {
      let keys = Self.oddNames.map { [$0, "d1"] } + [["flat"], ["rooms", "r1", "messages", "m1"]]
      let settings = fileSettings(name)
      try await folder.publish([try batch(keys), try batch(keys.map { $0.dropLast() + ["d2"] })], to: settings)
      #expect(try names().count == keys.count)
      let expected = Set((keys + keys.map { $0.dropLast() + ["d2"] }).map { Key(segments: $0).bytes })
      #expect(try await readBack(settings) == expected)
      #expect(try folder.names() == ["out"])
      try FileManager.default.removeItem(atPath: folder.file("out"))
    }
  }

  @Test("a collection that is gone takes its file along; files of others stay, also those of like names")
  func gone() async throws {
    let settings = fileSettings("out/{collection}.jsonl")
    try await folder.publish([try batch([["a", "1"], ["b", "1"], ["a", "2"]])], to: settings)
    #expect(try folder.text("out/a.jsonl") == "{\"_key\":\"a/1\",\"id\":\"1\"}\n{\"_key\":\"a/2\",\"id\":\"2\"}\n")
    try folder.write("mine", to: "out/notes.txt")
    try folder.write("mine", to: "out/other.jsonl")
    let publication = try await folder.publish([try batch([["a", "1"]])], to: settings)
    #expect(try names() == ["a.jsonl", "notes.txt", "other.jsonl"])
    #expect(try await folder.sink(settings).shows(publication))
    for harm in [{ try self.folder.write("x", to: "out/a.jsonl") }, { self.folder.remove("out/a.jsonl") }] {
      try harm()
      #expect(try await !folder.sink(settings).shows(publication))
    }
  }

  @Test("left after any delivery, or in the middle of publishing, the next run ends with the whole set")
  func resumes() async throws {
    let settings = fileSettings("out/{collection}.jsonl")
    let batches = try (0..<3).map { try batch([["a", "\($0)"], ["b", "\($0)"], ["c\($0)", "x"]]) }
    for steps in 0...3 {
      var left = SinkDriver(try folder.sink(settings), generation: 5)
      var marks = [try await left.openStage()]
      for step in 0..<steps { marks.append(try #require(try await left.send(batches[step]).stage)) }
      await left.sink.close()
      var driver = SinkDriver(try folder.sink(settings), generation: 5)
      #expect(try await driver.openStage(resuming: marks[steps]) == marks[steps])
      for step in steps..<3 { try await driver.send(batches[step]) }
      if steps == 2 {
        // A folder in the place of a file: nothing is published, and the stage stays.
        #expect(mkdir(folder.file("out/b.jsonl.d"), 0o755) == 0)
        #expect(unlink(folder.file("out/b.jsonl")) == 0 && mkdir(folder.file("out/b.jsonl"), 0o755) == 0)
        let waiting = driver
        #expect(await code { try await waiting.publish() } == .io)
        #expect(rmdir(folder.file("out/b.jsonl")) == 0 && rmdir(folder.file("out/b.jsonl.d")) == 0)
      }
      let publication = try await driver.publish()
      #expect(publication.content.documents == 9)
      #expect(try names() == ["a.jsonl", "b.jsonl", "c0.jsonl", "c1.jsonl", "c2.jsonl"])
      #expect(try folder.text("out/a.jsonl").split(separator: "\n").count == 3)
      let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).filter { $0.hasPrefix(".") }
      #expect(hidden == [".{collection}.jsonl.sluice-set"])
      await driver.sink.close()
    }
  }

  @Test("killed between two files of a publication: it is not taken for published, and done again")
  func killedWhilePublishing() async throws {
    let settings = fileSettings("out/{collection}.jsonl")
    try await folder.publish([try batch([["a", "old"], ["z", "old"]])], to: settings)
    let old = try folder.read("out/a.jsonl")
    var driver = SinkDriver(try folder.sink(settings), generation: 5)
    try await driver.openStage()
    let mark = try #require(try await driver.send(try batch([["a", "1"], ["b", "1"]])).stage)
    let stage = "out/.{collection}.jsonl.sluice-5"
    let staged = try folder.read(stage)
    let publication = try await driver.publish()
    await driver.sink.close()
    // As it is behind the first rename: the stage and all parts are there, the list is of all files and of no content.
    let list = "out/.{collection}.jsonl.sluice-set"
    guard case .map(let fields) = try JSON.parse(try folder.read(list)), case .array(var files)? = fields.last?.value
    else { return #expect(Bool(false)) }
    try folder.write(staged, to: stage)
    try folder.write(old, to: "out/z.jsonl")
    try folder.write(try folder.read("out/b.jsonl"), to: stage + ".1")
    folder.remove("out/b.jsonl")
    files.append(
      .map([
        Field("name", .string("z.jsonl")), Field("length", .int(1)),
        Field("digest", .string(String(repeating: "0", count: 32))),
        Field("witness", .string("")),
      ]))
    try folder.write(
      JSON.encode(.map([Field("sluice_collections", .int(1)), Field("files", .array(files))])), to: list)
    let later = try folder.sink(settings)
    #expect(try await !later.shows(publication))
    #expect(try await later.openStage(generation: 5, resuming: mark) == mark)
    let again = try await later.publish(try SinkDriver.proof(generation: 5), content: mark)
    #expect(again.content == publication.content)
    #expect(try names() == ["a.jsonl", "b.jsonl"])
    #expect(try await later.shows(again))
    await later.close()
  }

  @Test("a link in a file's place is replaced, never followed; what a list names elsewhere is not touched")
  func links() async throws {
    let settings = fileSettings("out/{collection}.jsonl")
    try await folder.publish([try batch([["a", "1"]])], to: settings)
    try folder.write("precious", to: "victim")
    #expect(unlink(folder.file("out/a.jsonl")) == 0)
    symlink("../victim", folder.file("out/a.jsonl"))
    let list = "out/.{collection}.jsonl.sluice-set"
    let text = try folder.text(list)
    try folder.write(text.replacing("\"a.jsonl\"", with: "\"../victim\""), to: list)
    try await folder.publish([try batch([["a", "1"]])], to: settings)
    #expect(try folder.text("victim") == "precious")
    #expect(try folder.text("out/a.jsonl") == "{\"_key\":\"a/1\",\"id\":\"1\"}\n")
  }

  @Test("files of others: the name is the collection, the field holds the id")
  func foreign() async throws {
    #expect(mkdir(folder.file("in"), 0o755) == 0)
    try folder.write("{\"id\":\"u1\"}\n", to: "in/users.jsonl")
    try folder.write("{\"id\":\"m/1\"}\n", to: "in/rooms%2Fr1%2Fmessages.jsonl")
    try folder.write("{\"id\":\"x\"}\n", to: "in/_.jsonl")
    let settings = fileSettings("in/{collection}.jsonl") { $0.keyField = "id" }
    let expected = ["users/u1", "rooms/r1/messages/m%2F1", "x"].map { Array($0.utf8) }
    #expect(try await readBack(settings) == Set(expected))
  }

  @Test("whether a set is empty")
  func empty() async throws {
    let settings = fileSettings("out/{collection}.json")
    #expect(try await folder.sink(settings).isEmpty())
    try await folder.publish([try batch([["a", "1"]])], to: settings)
    #expect(try await !folder.sink(settings).isEmpty())
    try await folder.publish([try batch([])], to: settings)
    #expect(try names() == [])
    #expect(try await folder.sink(settings).isEmpty())
  }
}
