import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting
import Testing

@Suite("File as a source")
struct FileReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func line(_ number: Int, padding: Int = 0) -> String {
    #"{"_key":"\#(numberedKey(number))","n":\#(number),"p":"\#(String(repeating: "x", count: padding))"}"#
  }

  @Test("every document once, in order, for any page size, also when each page is read by another instance")
  func pages() async throws {
    try folder.write((0..<10).map { Self.line($0) }.joined(separator: "\n") + "\n", to: "a.jsonl")
    for size in [1, 3, 5, 10, 11] {
      for reopening in [false, true] {
        let pages = try await allPages({ try folder.source("a.jsonl") }, size: size, reopening: reopening)
        #expect(pages.flatMap { $0.batch.map(\.key.description) } == (0..<10).map(numberedKey), "size \(size)")
        #expect(pages.count == (10 + size - 1) / size)
        #expect(pages.map(\.signals.count) == pages.map(\.batch.count))
        #expect(pages.map(\.signals.receivedBytes).reduce(0, +) == (try folder.text("a.jsonl").utf8.count))
      }
    }
  }

  @Test("lines of any length across the blocks that are read, and a page that ends early where lines are long")
  func blocks() async throws {
    var random = SeededGenerator(seed: 3)
    var text = ""
    for number in 0..<300 { text += Self.line(number, padding: Int(random.next() % 30_000)) + "\n" }
    text += Self.line(300, padding: 3 << 20) + "\n" + Self.line(301)
    try folder.write(text, to: "a.jsonl")
    for size in [7, 1_000] {
      let pages = try await allPages({ try folder.source("a.jsonl") }, size: size)
      #expect(pages.flatMap { $0.batch.map(\.key.description) } == (0..<302).map(numberedKey))
    }
    try folder.write((0..<4).map { Self.line($0, padding: 9 << 20) }.joined(separator: "\n"), to: "b.jsonl")
    let pages = try await allPages({ try folder.source("b.jsonl") }, size: 1_000)
    #expect(pages.map(\.batch.count) == [2, 2])
  }

  @Test("C129 a 15 MB line between two short ones is read; over the limit the error names line, offset and limit")
  func longLine() async throws {
    let short = Self.line(0)
    try folder.write([short, Self.line(1, padding: 15_000_000), Self.line(2)].joined(separator: "\n"), to: "a.jsonl")
    let pages = try await allPages({ try folder.source("a.jsonl") }, size: 1)
    #expect(pages.flatMap { $0.batch.map(\.key.description) } == ["k000", "k001", "k002"])
    for limit in [1_000_000, 15_000_000] {
      let error = await thrown {
        _ = try await allPages({ try folder.source("a.jsonl", maxLineBytes: limit) }, size: 10)
      }
      #expect(error?.code == .limitExceeded)
      #expect(error?.place.file == folder.file("a.jsonl"))
      #expect(error?.place.line == 2)
      #expect(error?.place.byteOffset == short.utf8.count + 1)
      #expect(error?.message.contains(ByteCount(limit).description) == true)
    }
    let exact = Self.line(7)
    try folder.write(exact + "\n" + exact, to: "b.jsonl")
    let fits = try await allPages({ try folder.source("b.jsonl", maxLineBytes: exact.utf8.count) }, size: 10)
    #expect(fits.first?.batch.count == 2)
    let error = await thrown {
      _ = try await allPages({ try folder.source("b.jsonl", maxLineBytes: exact.utf8.count - 1) }, size: 10)
    }
    #expect(error?.place.line == 1)
  }

  @Test("C130 a broken line in the middle, a cut tail, and a whole tail without a line end")
  func brokenLines() async throws {
    let cases: [(text: String, line: Int?, offset: ClosedRange<Int>)] = [
      ("{\"_key\":\"a\"}\n{\"_key\":\n{\"_key\":\"c\"}\n", 2, 13...22),
      ("{\"_key\":\"a\"}\n{\"_key\":\"b\"", 2, 13...24),
      ("{\"_key\":\"a\"}\n{\"_key\":\"b\"}", nil, 0...0),
    ]
    for (text, line, offset) in cases {
      try folder.write(text, to: "a.jsonl")
      for size in [1, 10] {
        let error = await thrown { _ = try await allPages({ try folder.source("a.jsonl") }, size: size) }
        #expect(error?.code == (line == nil ? nil : .malformedData), "\(text)")
        #expect(error?.place.line == line)
        if let error {
          #expect(error.place.file == folder.file("a.jsonl"))
          #expect(error.place.byteOffset.map(offset.contains) == true, "\(error.place)")
          #expect((error.hint != nil) == !text.hasSuffix("\n"))
        }
      }
    }
  }

  @Test("C131 blank lines, CR LF and a byte order mark are no documents, and lines are counted with them")
  func blankLines() async throws {
    let text = "\u{FEFF}\r\n{\"_key\":\"a\"}\r\n\n \t\r\n{\"_key\":\"b\"}\n\n\n{\"_key\":\"c\"}\r\n\r\n"
    try folder.write(text, to: "a.jsonl")
    for size in [1, 2, 3, 10] {
      let pages = try await allPages({ try folder.source("a.jsonl") }, size: size)
      #expect(pages.flatMap { $0.batch.map(\.key.description) } == ["a", "b", "c"])
    }
    try folder.write(text + "broken\n", to: "b.jsonl")
    let error = await thrown { _ = try await allPages({ try folder.source("b.jsonl") }, size: 1) }
    #expect(error?.place.line == 10)
    #expect(error?.place.byteOffset == text.utf8.count)
  }

  @Test("C133 bool, whole number and double stay apart, from file to file, in both encodings")
  func kinds() async throws {
    try folder.write(#"{"_key":"a","t":true,"n":1,"z":0,"d":1.0}"#, to: "a.jsonl")
    var batch = try #require(try await allPages({ try folder.source("a.jsonl") }, size: 1).first).batch
    for encoding in JSONLinesEncoding.allCases {
      var driver = SinkDriver(try folder.sink("b.jsonl", encoding: encoding))
      try await driver.openStage()
      try await driver.send(batch)
      try await driver.publish()
      batch = try #require(try await allPages({ try folder.source("b.jsonl", encoding: encoding) }, size: 1).first)
        .batch
      #expect(
        batch.fields(at: 0).materialized == [
          Field("t", .bool(true)), Field("n", .int(1)), Field("z", .int(0)), Field("d", .double(1)),
        ])
    }
  }

  @Test("a key twice in a file comes twice, in order")
  func duplicates() async throws {
    try folder.write("{\"_key\":\"a\",\"n\":1}\n{\"_key\":\"a\",\"n\":2}\n", to: "a.jsonl")
    let page = try #require(try await allPages({ try folder.source("a.jsonl") }, size: 10).first)
    #expect(page.batch.indices.map { page.batch.fields(at: $0)["n"] } == [.int(1), .int(2)])
  }

  @Test("another key field holds plain ids")
  func keyField() async throws {
    try folder.write("{\"id\":\"50%/a\"}\n{\"id\":7}\n", to: "a.jsonl")
    let page = try #require(try await allPages({ try folder.source("a.jsonl", keyField: "id") }, size: 10).first)
    #expect(page.batch.map(\.key) == [Key("50%/a"), Key("7")])
    #expect(page.batch.fields(at: 0).isEmpty)
  }

  @Test("a file without documents is an empty listing", arguments: ["", "\n", "\u{FEFF}", " \r\n\n"])
  func empty(text: String) async throws {
    try folder.write(text, to: "a.jsonl")
    let pages = try await allPages({ try folder.source("a.jsonl") }, size: 10)
    #expect(pages.allSatisfy { $0.batch.isEmpty && $0.signals.count == 0 })
    #expect(pages.last?.signals.nextToken == nil)
  }
}
