import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting
import Testing

@Suite("File as a source: what it refuses")
struct FileSourceGuardTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let lines = "{\"_key\":\"a\"}\n{\"_key\":\"b\"}\n"

  /// Gives the file a time of change that no clock gives by chance.
  private func age(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: folder.file(name))
  }

  @Test("a file that changed in place since the listing began loses the position")
  func changedInPlace() async throws {
    let changes: [(name: String, change: (FileHandle) throws -> Void)] = [
      (
        "grown",
        {
          try $0.seekToEnd(); try $0.write(contentsOf: Data("{\"_key\":\"c\"}\n".utf8))
        }
      ),
      (
        "same size",
        {
          try $0.seek(toOffset: 9); try $0.write(contentsOf: Data("z".utf8))
        }
      ),
      ("cut", { try $0.truncate(atOffset: 13) }),
      ("emptied", { try $0.truncate(atOffset: 0) }),
    ]
    for (name, change) in changes {
      try folder.write(Self.lines, to: "a.jsonl")
      try age("a.jsonl")
      let source = try folder.source("a.jsonl")
      let frozen = try await source.freeze()
      let first = try await source.page(PageRequest(size: 1, frozen: frozen))
      let token = try #require(first.signals.nextToken)
      let handle = try #require(FileHandle(forUpdatingAtPath: folder.file("a.jsonl")))
      try change(handle)
      try handle.close()
      for instance in [source, try folder.source("a.jsonl")] {
        let error = await thrown {
          _ = try await instance.page(PageRequest(position: .token(token), size: 1, frozen: frozen))
        }
        #expect(error?.code == .positionLost, "\(name)")
        #expect(error?.message.contains(folder.file("a.jsonl")) == true)
      }
      #expect(try await source.freeze() != frozen)
    }
  }

  @Test("a file that is replaced by rename is read to its end as it was; a later instance has lost it")
  func replaced() async throws {
    try folder.write(Self.lines, to: "a.jsonl")
    let source = try folder.source("a.jsonl")
    let frozen = try await source.freeze()
    let first = try await source.page(PageRequest(size: 1, frozen: frozen))
    let token = try #require(first.signals.nextToken)
    try folder.write("{\"_key\":\"x\"}\n{\"_key\":\"y\"}\n", to: "new")
    #expect(rename(folder.file("new"), folder.file("a.jsonl")) == 0)
    let second = try await source.page(PageRequest(position: .token(token), size: 1, frozen: frozen))
    #expect(second.batch.map(\.key.description) == ["b"])
    let later = try folder.source("a.jsonl")
    let error = await thrown {
      _ = try await later.page(PageRequest(position: .token(token), size: 1, frozen: frozen))
    }
    #expect(error?.code == .positionLost)
    let anew = try await source.page(PageRequest(size: 1, frozen: try await source.freeze()))
    #expect(anew.batch.map(\.key.description) == ["x"])
  }

  @Test("other settings in the middle of a listing lose the position")
  func otherSettings() async throws {
    try folder.write(Self.lines, to: "a.jsonl")
    let frozen = try await folder.source("a.jsonl").freeze()
    for other in [try folder.source("a.jsonl", encoding: .typed), try folder.source("a.jsonl", keyField: "id")] {
      let error = await thrown { _ = try await other.page(PageRequest(size: 1, frozen: frozen)) }
      #expect(error?.code == .positionLost)
      #expect(error?.message.contains("settings") == true)
    }
  }

  @Test("positions of others are lost, not taken for a place")
  func positions() async throws {
    try folder.write(Self.lines, to: "a.jsonl")
    let source = try folder.source("a.jsonl")
    for position in [
      PagePosition.token("x"), .token("1"), .token("-1:1"), .token("1:0"), .token("1:2:3"), .offset(1), .number(1),
      .after(.init(Key("a"))), .url("file:///a"),
    ] {
      let error = await thrown { _ = try await source.page(PageRequest(position: position, size: 1)) }
      #expect(error?.code == .positionLost, "\(position)")
    }
  }

  @Test("what is no readable file is said at once, with its path")
  func notAFile() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("sub"), withIntermediateDirectories: true)
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    symlink("nowhere", folder.file("dangling"))
    symlink("loop", folder.file("loop"))
    for (name, words) in [
      ("none.jsonl", "No such file"), ("sub", "is a folder"), ("pipe", "not a regular file"),
      ("dangling", "No such file"), ("loop", "symbolic links"), ("a/b/c", "No such file"),
    ] {
      let error = await thrown { _ = try folder.source(name) }
      #expect(error?.code == .io, "\(name)")
      #expect(error?.message.contains(words) == true, "\(name): \(error?.message ?? "no error")")
      #expect(error?.message.contains(folder.file(name)) == true)
      #expect(error?.hint != nil || name == "loop")
    }
  }

  @Test("the identity is the real path, whichever way leads there")
  func identity() async throws {
    try folder.write(Self.lines, to: "a.jsonl")
    symlink("a.jsonl", folder.file("link"))
    let identity = try folder.source("a.jsonl").sourceIdentity
    #expect(try folder.source("link").sourceIdentity == identity)
    #expect(try folder.source("./a.jsonl").sourceIdentity == identity)
    #expect(identity["path"]?.hasSuffix("/a.jsonl") == true)
  }
}
