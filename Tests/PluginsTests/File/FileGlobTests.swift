import Foundation
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceFile

@Suite("File as a source: several files")
struct FileGlobTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["data", "data/2024", "data/2025", "data/empty.jsonl.d"] {
      #expect(mkdir(folder.file(name), 0o755) == 0)
    }
    try folder.write("{\"_key\":\"b1\"}\n{\"_key\":\"b2\"}\n", to: "data/b.jsonl")
    try folder.write("{\"_key\":\"a1\"}\n{\"_key\":\"a2\"}\n{\"_key\":\"a3\"}\n", to: "data/a.jsonl")
    try folder.write("[{\"_key\":\"c1\"}]", to: "data/c.json")
    try folder.write("hidden", to: "data/.a.jsonl")
    try folder.write("{\"_key\":\"x\"}\n", to: "data/2024/x.jsonl")
    try folder.write("{\"_key\":\"y\"}\n", to: "data/2025/x.jsonl")
  }

  private func keys(_ settings: FileAdapter.Config, size: Int = 2, reopening: Bool = false) async throws -> [String] {
    try await allPages({ try folder.source(settings) }, size: size, reopening: reopening)
      .flatMap { $0.batch.map(\.key.description) }
  }

  @Test("what a pattern matches")
  func patterns() {
    let cases: [(String, [String], [String])] = [
      ("*.jsonl", ["a.jsonl", "é.jsonl", "a.b.jsonl"], [".a.jsonl", "a.json", "a.jsonl.gz"]),
      ("a?c", ["abc", "aéc"], ["ac", "abbc"]), ("[a-c]1", ["a1", "c1"], ["d1", "-1"]), ("[!a]", ["b"], ["a", ""]),
      ("*", ["a", "x.y"], [".x"]), (".*", [".x"], ["x"]), ("a*b*c", ["abc", "axxbxbc"], ["ab", "acb"]),
      ("[]x]", ["]", "x"], ["y"]), ("[x", ["[x"], ["x"]), ("[a-]", ["a", "-"], ["b"]),
    ]
    for (pattern, matching, others) in cases {
      for name in matching { #expect(Glob(pattern).matches(name), "\(pattern) \(name)") }
      for name in others { #expect(!Glob(pattern).matches(name), "\(pattern) \(name)") }
    }
    #expect(!Glob(String(repeating: "*a", count: 40)).matches(String(repeating: "a", count: 200) + "b"))
  }

  @Test("all files of a pattern, in the order of their names, in pages of any size, resumed at each")
  func all() async throws {
    for (pattern, expected) in [
      ("data/*.jsonl", ["a1", "a2", "a3", "b1", "b2"]), ("data/*", ["a1", "a2", "a3", "b1", "b2", "c1"]),
      ("data/20??/x.jsonl", ["x", "y"]), ("*/*/x.jsonl", ["x", "y"]), ("data/[b-z].json*", ["b1", "b2", "c1"]),
      ("./data/*.jsonl", ["a1", "a2", "a3", "b1", "b2"]),
    ] {
      for size in [1, 2, 10] {
        for reopening in [false, true] {
          #expect(try await keys(fileSettings(pattern), size: size, reopening: reopening) == expected, "\(pattern)")
        }
      }
    }
  }

  @Test("positions name their file")
  func positions() async throws {
    let pages = try await allPages({ try folder.source("data/*.jsonl") }, size: 2)
    #expect(pages.map(\.signals.nextToken) == ["28:3@a.jsonl", "0:1@b.jsonl", nil])
    for token in ["0:1", "0:1@none.jsonl", "0:1@../config.yaml", "0:1@"] {
      let source = try folder.source("data/*.jsonl")
      let error = await thrown { _ = try await source.page(PageRequest(position: .token(token), size: 1)) }
      #expect(error?.code == .positionLost, "\(token)")
    }
  }

  @Test("keys below the path of their file, where they would clash")
  func byFile() async throws {
    try folder.write("{\"_key\":\"x\"}\n", to: "data/2025/x.jsonl")
    let settings = fileSettings("data/*/x.jsonl") { $0.keys = .byFile }
    #expect(try await keys(settings) == ["2024/x.jsonl/x", "2025/x.jsonl/x"])
    try folder.write("{\"id\":\"50%/a\"}\n", to: "data/2024/x.jsonl")
    let ids = fileSettings("data/2024/*") {
      $0.keys = .byFile
      $0.keyField = "id"
    }
    #expect(try await keys(ids) == ["x.jsonl/50%25%2Fa"])
  }

  @Test("a file that changed, went or came between pages is noticed; one that came is none of this listing's")
  func changes() async throws {
    let changes: [(name: String, change: () throws -> Void, loses: Bool)] = [
      (
        "grown", { try folder.write("{\"_key\":\"b1\"}\n{\"_key\":\"b2\"}\n{\"_key\":\"b3\"}\n", to: "data/b.jsonl") },
        true
      ),
      ("gone", { #expect(unlink(folder.file("data/b.jsonl")) == 0) }, true),
      ("another", { try folder.write("{\"_key\":\"z\"}\n", to: "data/b.jsonl") }, true),
      ("new", { try folder.write("{\"_key\":\"z\"}\n", to: "data/bb.jsonl") }, false),
    ]
    for (name, change, loses) in changes {
      folder.remove("data/bb.jsonl")
      try folder.write("{\"_key\":\"b1\"}\n{\"_key\":\"b2\"}\n", to: "data/b.jsonl")
      let source = try folder.source("data/*.jsonl")
      let frozen = try await source.freeze()
      _ = try await source.page(PageRequest(size: 2, frozen: frozen))
      try change()
      let request = PageRequest(position: .token("0:1@b.jsonl"), size: 2, frozen: frozen)
      let error = await thrown { _ = try await source.page(request) }
      #expect((error != nil) == loses, "\(name): \(String(describing: error))")
      // Another run cannot tell a file that came from one that was left out.
      let later = try folder.source("data/*.jsonl")
      #expect(await thrown { _ = try await later.page(request) }?.code == .positionLost, "\(name)")
    }
  }

  @Test("many files without documents are no empty pages")
  func emptyFiles() async throws {
    for number in 0..<150 {
      try folder.write(number % 2 == 0 ? "" : "\n\n", to: "data/2024/e\(numberedKey(number)).jsonl")
    }
    let pages = try await allPages({ try folder.source("data/2024/*.jsonl") }, size: 10)
    #expect(pages.map(\.batch.count) == [1])
  }

  @Test("a pattern that matches nothing is an error; a file of that very name is meant")
  func literal() async throws {
    let error = await thrown { _ = try folder.source("data/*.csv") }
    #expect(error?.code == .io)
    #expect(error?.message.contains("data/*.csv") == true)
    try folder.write("{\"_key\":\"star\"}\n", to: "data/*.jsonl")
    #expect(try await keys(fileSettings("data/*.jsonl")) == ["star"])
  }

  @Test("an error in one of the files names it, with line and offset")
  func errors() async throws {
    try folder.write("{\"_key\":\"b1\"}\nbroken\n", to: "data/b.jsonl")
    let error = await thrown { _ = try await keys(fileSettings("data/*.jsonl"), size: 10) }
    #expect(error?.place.file == folder.file("data/b.jsonl"))
    #expect(error?.place.line == 2 && error?.place.byteOffset == 14)
  }

  @Test("a sink that writes what the source reads, by the words of both paths")
  func overlaps() {
    let cases: [(sink: String, source: String, overlap: Bool)] = [
      ("a.jsonl", "a.jsonl", true), ("./out/../a.jsonl", "a.jsonl", true), ("/x/a", "/x//a", true),
      ("a.jsonl", "b.jsonl", false), ("data/all.jsonl", "data/*.jsonl", true), ("out/all.jsonl", "data/*.jsonl", false),
      ("data/all.json", "data/*.jsonl", false), ("out/{collection}.jsonl", "out/{collection}.jsonl", true),
      ("out/{collection}.jsonl", "out/users.jsonl", true), ("out/{collection}.jsonl", "out/*.jsonl", true),
      ("out/{collection}.jsonl", "in/{collection}.jsonl", false), ("../a", "a", false),
      ("data/2024/x.jsonl", "data/*/x.jsonl", true), ("data/x.jsonl", "data/*/x.jsonl", false),
    ]
    for (sink, source, overlap) in cases {
      #expect(WrittenPaths.overlap(sink: sink, other: source) == overlap, "\(sink) \(source)")
    }
  }
}
