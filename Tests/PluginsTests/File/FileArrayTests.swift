import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting
import Testing

@Suite("File as a source: a JSON array")
struct FileArrayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let texts = [
    #"[{"_key":"a"},{"_key":"b"},{"_key":"c"}]"#,
    "\u{FEFF} [\n{\"_key\":\"a\"}\r\n,\t{\"_key\":\"b\"},\n\n{\"_key\":\"c\"}\n]\n\n",
    #"[{"_key":"a","t":"]},{\"\\","l":[[1,{"x":[]}],[]]} , {"_key":"b","m":{"n":{"o":"\\\""}}},{"_key":"c"} ]"#,
    "[\n  {\n    \"_key\": \"a\"\n  },\n  {\n    \"_key\": \"b\"\n  },\n  {\n    \"_key\": \"c\"\n  }\n]",
  ]

  @Test("items however they are spaced, in pages of any size, by one instance or several", arguments: texts)
  func items(text: String) async throws {
    try folder.write(text, to: "a.json")
    for size in [1, 2, 3, 4] {
      for reopening in [false, true] {
        let pages = try await allPages({ try folder.source("a.json") }, size: size, reopening: reopening)
        #expect(pages.flatMap { $0.batch.map(\.key.description) } == ["a", "b", "c"])
        #expect(pages.count == (3 + size - 1) / size)
        #expect(pages.map(\.signals.receivedBytes).reduce(0, +) == text.utf8.count)
      }
    }
  }

  @Test("items across the blocks that are read", arguments: [1, 50, 1_000])
  func blocks(size: Int) async throws {
    var random = SeededGenerator(seed: 5)
    let items = (0..<300).map { number in
      let text = String(repeating: "],{\\\"", count: Int(random.next() % 6_000))
      return "{\"_key\":\"\(numberedKey(number))\",\n\"t\":\"\(text)\",\"n\":[\(number)]}"
    }
    try folder.write("[" + items.joined(separator: ",\n") + "]", to: "a.json")
    let pages = try await allPages({ try folder.source("a.json") }, size: size, reopening: size == 50)
    #expect(pages.flatMap { $0.batch.map(\.key.description) } == (0..<300).map(numberedKey))
    #expect(
      pages.flatMap { page in page.batch.indices.map { page.batch.fields(at: $0)["n"] } }.last == .array([.int(299)]))
  }

  @Test("a file that is no whole array is an error with file, line and offset, at any page size")
  func broken() async throws {
    let cases: [(text: String, line: Int, offset: Int, words: String)] = [
      ("", 1, 0, "no array"), (" \n", 2, 2, "no array"), ("{\"_key\":\"a\"}\n", 1, 0, "no array"),
      ("[{\"_key\":\"a\"},\n{\"_key\":\"b\"}", 2, 27, "not closed"), ("[{\"_key\":\"a\"},\n", 2, 15, "not closed"),
      ("[", 1, 1, "not closed"), ("[{\"_key\":\"a\"},\n]", 2, 15, "expected an item"),
      ("[{\"_key\":\"a\"},,{\"_key\":\"b\"}]", 1, 14, "expected an item"), ("[,]", 1, 1, "expected an item"),
      ("[{\"_key\":\"a\"}]\nx", 2, 15, "more after"), ("[] []", 1, 3, "more after"),
      ("[{\"_key\":\"a\"},\n{\"_key\":\"b", 2, 25, "not closed"),
    ]
    for (text, line, offset, words) in cases {
      try folder.write(text, to: "a.json")
      for size in [1, 10] {
        let error = await thrown { _ = try await allPages({ try folder.source("a.json") }, size: size) }
        #expect(error?.code == .malformedData, "\(text)")
        #expect(error?.message.contains(words) == true, "\(text): \(error?.message ?? "")")
        #expect(error?.place.file == folder.file("a.json"))
        #expect(error?.place.line == line && error?.place.byteOffset == offset, "\(text): \(String(describing: error))")
      }
    }
  }

  @Test("a broken item is named with its place, and the others of its page are there")
  func brokenItem() async throws {
    try folder.write("[\n {\"_key\":\"a\"},\n {\"_key\":\n  nul},\n 7, {\"_key\":\"c\"}\n]", to: "a.json")
    let source = try folder.source("a.json")
    let page = try await source.page(PageRequest(size: 10, frozen: try await source.freeze()))
    #expect(page.batch.map(\.key.description) == ["a", "c"])
    #expect(page.signals.count == 4)
    #expect(page.rejections.map(\.place.line) == [4, 5])
    #expect(page.rejections.map(\.place.byteOffset) == [29, 36])
    #expect(page.rejections.allSatisfy { $0.place.file == folder.file("a.json") && $0.code == .malformedData })
  }

  @Test("an item that is too long is an error with its place and the limit")
  func tooLong() async throws {
    try folder.write(
      "[{\"_key\":\"a\"},\n{\"_key\":\"b\",\"t\":\"\(String(repeating: "x", count: 500))\"}]", to: "a.json")
    let settings = fileSettings("a.json") { $0.maxLine = ByteCount(100) }
    let error = await thrown { _ = try await allPages({ try folder.source(settings) }, size: 1) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.place.line == 2 && error?.place.byteOffset == 15)
    #expect(error?.hint?.contains("max_line") == true)
  }

  @Test("lines where an array is expected, and the reverse, are told which format to set")
  func wrongFormat() async throws {
    try folder.write("{\"_key\":\"a\"}\n", to: "a.json")
    try folder.write("[{\"_key\":\"a\"}]\n", to: "a.jsonl")
    for (name, words) in [("a.json", "json_lines"), ("a.jsonl", "json_array")] {
      let error = await thrown { _ = try await allPages({ try folder.source(name) }, size: 1) }
      #expect(error?.hint?.contains(words) == true, "\(name)")
      let other = fileSettings(name) { $0.format = name == "a.json" ? .jsonLines : .jsonArray }
      #expect(try await allPages({ try folder.source(other) }, size: 1).map(\.batch.count) == [1])
    }
  }
}
