import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import Synchronization
import SluiceTesting
import Testing

@Suite("File as a sink")
struct FilePublishingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func publish(_ sink: FileAdapter, _ batches: [Batch], generation: UInt64 = 1) async throws -> Publication {
    var driver = SinkDriver(sink, generation: generation)
    try await driver.openStage()
    for batch in batches { try await driver.send(batch) }
    return try await driver.publish()
  }

  @Test(
    "a set is staged beside the file, for its owner only, and takes its place whole",
    arguments: [
      FileAdapter.Config.Durability.process, .power,
    ])
  func publish(durability: FileAdapter.Config.Durability) async throws {
    try folder.write("old\n", to: "a.jsonl")
    let sink = try folder.sink("a.jsonl", durability: durability)
    var driver = SinkDriver(sink, generation: 12)
    #expect(try await driver.openStage().length == 0)
    let one = try #require(try await driver.send(try numbered(0..<2)).stage)
    #expect(one.documents == 2)
    #expect(try folder.names() == [".a.jsonl.sluice-12", "a.jsonl"])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(".a.jsonl.sluice-12"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? UInt64 == one.length)
    #expect(try folder.text("a.jsonl") == "old\n")
    try await driver.send(try numbered(2..<3))
    let publication = try await driver.publish()
    #expect(try folder.names() == ["a.jsonl"])
    #expect(
      try folder.text("a.jsonl")
        == (0..<3).map { #"{"_key":"k00\#($0)","n":\#($0),"text":"old"}"# + "\n" }.joined())
    #expect(publication.content.documents == 3)
    #expect(publication.generation == 12)
    #expect(try await sink.shows(publication))
    await sink.close()
  }

  @Test("C145 a reader in a loop sees a whole old set or a whole new one, never a part")
  func observed() async throws {
    _ = try await publish(try folder.sink("a.jsonl"), [try numbered(0..<100, text: "g0")])
    let path = folder.file("a.jsonl")
    let looks = Mutex(0)
    let isDone = Mutex(false)
    let observer = Task.detached {
      var seen: Set<String> = []
      while !isDone.withLock({ $0 }) {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        let lines = text.split(separator: "\n")
        let sets = Set(lines.map { $0.split(separator: "\"text\":").last.map(String.init) ?? "" })
        seen.insert("\(lines.count) \(sets.count)")
        looks.withLock { $0 += 1 }
        await Task.yield()
      }
      return seen
    }
    var generation: UInt64 = 0
    while generation < 30 || looks.withLock({ $0 }) < 30 {
      generation += 1
      let batches = [try numbered(0..<50, text: "g\(generation)"), try numbered(50..<100, text: "g\(generation)")]
      _ = try await publish(try folder.sink("a.jsonl"), batches, generation: generation)
      await Task.yield()
    }
    isDone.withLock { $0 = true }
    let seen = try await observer.value
    #expect(seen == ["100 1"], "\(seen)")
  }

  @Test("an empty set is an empty file")
  func emptySet() async throws {
    try folder.write("{\"_key\":\"a\"}\n", to: "a.jsonl")
    let sink = try folder.sink("a.jsonl")
    #expect(try await !sink.isEmpty())
    let publication = try await publish(sink, [])
    #expect(try folder.text("a.jsonl").isEmpty)
    #expect(try await sink.isEmpty())
    #expect(try await sink.shows(publication))
  }

  @Test("whether a file is empty", arguments: [("", true), ("\n \r\n", true), ("\n{}", false), ("x", false)])
  func isEmpty(text: String, expected: Bool) async throws {
    let sink = try folder.sink("a.jsonl")
    #expect(try await sink.isEmpty())
    try folder.write(text, to: "a.jsonl")
    #expect(try await sink.isEmpty() == expected)
  }

  @Test("folders on the way are made, but only when something is staged")
  func folders() async throws {
    let sink = try folder.sink("out/deep/a.jsonl")
    #expect(try folder.names().isEmpty)
    _ = try await publish(sink, [try numbered(0..<1)])
    #expect(try folder.text("out/deep/a.jsonl").hasPrefix("{\"_key\":\"k000\""))
    let plain = try folder.sink("b.jsonl")
    _ = try await publish(plain, [try numbered(0..<1)])
    #expect(try folder.names() == ["b.jsonl", "out"])
  }

  @Test(
    "odd names",
    arguments: [
      "with space.jsonl", "ünï-e\u{301}🙂.jsonl", "new\nline", "-rf", "%2F", String(repeating: "n", count: 255),
      String(repeating: "é", count: 127), ".hidden", "a.sluice-7",
    ])
  func oddNames(name: String) async throws {
    let sink = try folder.sink(name)
    var driver = SinkDriver(sink, generation: .max)
    try await driver.openStage()
    let mark = try #require(try await driver.send(try numbered(0..<1)).stage)
    #expect(try folder.names().count == 1)
    await sink.close()
    var later = SinkDriver(try folder.sink(name), generation: .max)
    #expect(try await later.openStage(resuming: mark) == mark)
    try await later.publish()
    #expect(try folder.names() == [name])
  }

  @Test("two long names with the same beginning do not share a stage")
  func longNames() async throws {
    let names = ["a", "b"].map { String(repeating: "n", count: 254) + $0 }
    var drivers = [SinkDriver(try folder.sink(names[0])), SinkDriver(try folder.sink(names[1]))]
    for index in drivers.indices {
      try await drivers[index].openStage()
      try await drivers[index].send(try numbered(index..<index + 1))
    }
    for driver in drivers { try await driver.publish() }
    #expect(try folder.text(names[0]).hasPrefix("{\"_key\":\"k000\""))
    #expect(try folder.text(names[1]).hasPrefix("{\"_key\":\"k001\""))
  }

  @Test("a link to the file stays a link, also to one that is not there yet", arguments: [true, false])
  func link(targetExists: Bool) async throws {
    try FileManager.default.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: true)
    if targetExists { try folder.write("old\n", to: "real/a.jsonl") }
    symlink("real/a.jsonl", folder.file("second"))
    symlink(folder.file("second"), folder.file("first"))
    _ = try await publish(try folder.sink("first"), [try numbered(0..<1)])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("first")) == folder.file("second"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("second")) == "real/a.jsonl")
    #expect(try folder.text("real/a.jsonl").hasPrefix("{\"_key\":\"k000\""))
  }

  @Test("a replaced file keeps its mode, a new one has that of any new file", arguments: [0o640, 0o444, 0o666])
  func mode(old: Int) async throws {
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }
    try folder.write("old\n", to: "a.jsonl")
    try FileManager.default.setAttributes([.posixPermissions: old], ofItemAtPath: folder.file("a.jsonl"))
    _ = try await publish(try folder.sink("a.jsonl"), [try numbered(0..<1)])
    #expect(try mode("a.jsonl") == old)
    close(open(folder.file("any"), O_CREAT | O_WRONLY, 0o666))
    _ = try await publish(try folder.sink("b.jsonl"), [try numbered(0..<1)])
    #expect(try mode("b.jsonl") == mode("any"))
  }

  @Test("a document with a field of the key's name is rejected, or stops the delivery before anything is written")
  func clash() async throws {
    var builder = BatchBuilder()
    builder.add(key: "a", ["n": .int(1)])
    builder.add(key: "b/1", ["id": .string("mine")])
    builder.add(key: "c", ["deep": .map([Field("id", .int(1))])])
    builder.add(key: "m", header: DocumentHeader(isMissing: true), [:])
    let batch = try builder.finish()
    let sink = try folder.sink("a.jsonl", keyField: "id")
    var driver = SinkDriver(sink)
    try await driver.openStage()
    let stopped = await thrown { _ = try await driver.send(batch, acceptsRejections: false) }
    #expect(stopped?.code == .rejected)
    #expect(stopped?.place.key == "b%2F1")
    #expect(stopped?.place.field == "id")
    let receipt = try await driver.send(batch)
    #expect(receipt.rejections.map(\.key) == [Key("b/1")])
    #expect(receipt.stage?.documents == 2)
    try await driver.publish()
    #expect(try folder.text("a.jsonl") == "{\"id\":\"a\",\"n\":1}\n{\"id\":\"c\",\"deep\":{\"id\":1}}\n")
  }

  @Test("the typed encoding brings every kind back as it was")
  func typed() async throws {
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789)
    var builder = BatchBuilder()
    let header = DocumentHeader(version: .time(time), createTime: time, updateTime: time)
    builder.add(
      key: Key(segments: ["rooms", "r/1"]), header: header,
      [
        Field("null", .null), Field("bool", .bool(true)), Field("int", .int(.min)), Field("double", .double(-0.0)),
        Field("nan", .double(.nan)), Field("time", .timestamp(time)), Field("text", .string("é\n\"\u{1F642}")),
        Field("bytes", .bytes([0, 255])), Field("reference", .reference("projects/p/databases/d/documents/a/b")),
        Field("geo", .geoPoint(latitude: 1.5, longitude: -2)), Field("array", .array([.int(1), .array([])])),
        Field("map", .map([Field("", .map([]))])), Field("vector", .vector([1, 2.5])),
      ])
    let batch = try builder.finish()
    _ = try await publish(try folder.sink("a.jsonl", encoding: .typed), [batch])
    let pages = try await allPages({ try folder.source("a.jsonl", encoding: .typed) }, size: 10)
    let read = try #require(pages.first?.batch)
    #expect(read.count == 1)
    #expect(read.key(at: 0) == batch.key(at: 0))
    #expect(read.header(at: 0) == header)
    #expect(read.fields(at: 0).materialized == batch.fields(at: 0).materialized)
  }
}
