import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting
import Testing

@Suite("File: gzip and arrays, written and read back")
struct FileGzipTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let names = ["a.jsonl", "a.jsonl.gz", "a.json", "a.json.gz"]

  private func keys(_ pages: [Page]) -> [String] { pages.flatMap { $0.batch.map(\.key.description) } }

  /// The content of a published file, unfolded by another program.
  private func content(of name: String) async throws -> [UInt8] {
    guard name.hasSuffix(".gz") else { return try folder.read(name) }
    let unzip = await (try ChildProcess("/bin/gzip", ["-dc", folder.file(name)], environment: [:])).wait()
    #expect(unzip.exitCode == 0, "\(unzip.errorText)")
    return unzip.output
  }

  @Test("every format, compressed or not: valid to other programs, and the same documents in pages of any size")
  func roundTrip() async throws {
    for name in Self.names {
      for encoding in JSONLinesEncoding.allCases {
        let settings = fileSettings(name) { $0.encoding = encoding }
        try await folder.publish(try (0..<4).map { try numbered($0 * 10..<$0 * 10 + 10) }, to: settings)
        let content = try await content(of: name)
        if name.contains(".jsonl") {
          #expect(content.split(separator: 0x0A).count == 40)
        } else {
          let array = try JSONSerialization.jsonObject(with: Data(content)) as? [[String: Any]]
          #expect(array?.count == 40, "\(name)")
        }
        for size in [1, 3, 10, 39, 40, 100] {
          for reopening in [false, true] {
            let pages = try await allPages({ try folder.source(settings) }, size: size, reopening: reopening)
            #expect(keys(pages) == (0..<40).map(numberedKey), "\(name) \(encoding) \(size) \(reopening)")
            #expect(pages.allSatisfy { $0.batch.count == $0.signals.count && $0.batch.count <= size })
          }
        }
        #expect(try await !folder.sink(settings).isEmpty())
      }
    }
  }

  @Test("an empty set is a valid file of every format, and known to be empty", arguments: names)
  func empty(name: String) async throws {
    let settings = fileSettings(name)
    let publication = try await folder.publish([try numbered(0..<0)], to: settings)
    let content = try await content(of: name)
    #expect(String(decoding: content, as: UTF8.self) == (name.contains(".jsonl") ? "" : "[]\n"))
    #expect(try await folder.sink(settings).isEmpty())
    #expect(try await folder.sink(settings).shows(publication))
    #expect(keys(try await allPages({ try folder.source(settings) }, size: 10)) == [])
  }

  @Test("a stage left after any delivery goes on, and the same bytes are published", arguments: names)
  func resumes(name: String) async throws {
    let settings = fileSettings(name)
    let batches = try (0..<3).map { try numbered($0 * 10..<$0 * 10 + 10) }
    let whole = try await folder.publish(batches, to: settings)
    let bytes = try folder.read(name)
    for steps in 0...3 {
      for lag in 0...min(steps, 1) {
        folder.remove(name)
        var left = SinkDriver(try folder.sink(settings), generation: 5)
        var marks = [try await left.openStage()]
        for step in 0..<steps { marks.append(try #require(try await left.send(batches[step]).stage)) }
        await left.sink.close()
        let saved = steps - lag
        var driver = SinkDriver(try folder.sink(settings), generation: 5)
        #expect(try await driver.openStage(resuming: marks[saved]) == marks[saved])
        for step in saved..<3 { try await driver.send(batches[step]) }
        let publication = try await driver.publish()
        #expect(try folder.read(name) == bytes, "\(name) \(steps) \(lag)")
        #expect(publication.content == whole.content)
      }
    }
  }

  @Test("a published file is known by its content and its end", arguments: names)
  func shows(name: String) async throws {
    let settings = fileSettings(name)
    let publication = try await folder.publish([try numbered(0..<5)], to: settings)
    let unseen = Publication(generation: 1, content: publication.content)
    let bytes = try folder.read(name)
    #expect(try await folder.sink(settings).shows(publication))
    #expect(try await folder.sink(settings).shows(unseen))
    var altered = bytes
    altered[bytes.count / 2] ^= 1
    for other in [bytes.dropLast(1), bytes + [0x0A], altered] {
      try folder.write(Array(other), to: name)
      #expect(try await !folder.sink(settings).shows(publication))
    }
  }

  @Test("a gzip file cut at any byte is an error with its name, never a short listing")
  func cut() async throws {
    for members in [1, 3] {
      let settings = fileSettings("a.jsonl.gz")
      try await folder.publish(try (0..<members).map { try numbered($0 * 2..<$0 * 2 + 2) }, to: settings)
      let bytes = try folder.read("a.jsonl.gz")
      // Between two members nobody can see that something is missing.
      let boundaries = bytes.indices.filter { bytes[$0...].starts(with: [0x1F, 0x8B, 0x08]) && $0 > 0 }
      #expect(boundaries.count == members - 1)
      for length in 0..<bytes.count where !boundaries.contains(length) {
        try folder.write(Array(bytes[..<length]), to: "a.jsonl.gz")
        let error = await thrown { _ = try await allPages({ try folder.source(settings) }, size: 1) }
        #expect(error?.code == .malformedData, "\(length)")
        #expect(error?.place.file == folder.file("a.jsonl.gz"))
        #expect(error?.message.contains("cut off") == true, "\(length): \(error?.message ?? "")")
      }
    }
  }

  @Test("what follows a gzip file, or is none, or is damaged, is an error with its name and place")
  func foreign() async throws {
    let settings = fileSettings("a.jsonl.gz")
    try await folder.publish([try numbered(0..<200)], to: settings)
    let bytes = try folder.read("a.jsonl.gz")
    var damaged = bytes
    damaged[bytes.count - 6] ^= 0xFF
    let cases: [(bytes: [UInt8], words: String, offset: ClosedRange<Int>)] = [
      (bytes + Array("{\"_key\":\"x\"}\n".utf8), "followed by", bytes.count...bytes.count + 13),
      (bytes + [0, 0, 0, 0], "followed by", bytes.count...bytes.count + 4),
      (damaged, "damaged", 0...bytes.count), (Array("{\"_key\":\"x\"}\n".utf8), "no gzip", 0...13),
    ]
    for (bytes, words, offset) in cases {
      try folder.write(bytes, to: "a.jsonl.gz")
      let error = await thrown { _ = try await allPages({ try folder.source(settings) }, size: 10) }
      #expect(error?.code == .malformedData)
      #expect(error?.place.file == folder.file("a.jsonl.gz"))
      #expect(error?.place.byteOffset.map(offset.contains) == true, "\(words): \(String(describing: error?.place))")
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      #expect(error?.hint != nil)
    }
  }

  @Test("a file of one member by another program is read and resumed; auto knows it by its first bytes")
  func otherProgram() async throws {
    try folder.write((0..<50).map { "{\"_key\":\"\(numberedKey($0))\"}" }.joined(separator: "\n"), to: "b.jsonl")
    let zip = await (try ChildProcess("/bin/gzip", [folder.file("b.jsonl")], environment: [:])).wait()
    #expect(zip.exitCode == 0, "\(zip.errorText)")
    try folder.write(try folder.read("b.jsonl.gz"), to: "plain-name.jsonl")
    for name in ["b.jsonl.gz", "plain-name.jsonl"] {
      let pages = try await allPages({ try folder.source(fileSettings(name)) }, size: 7, reopening: true)
      #expect(keys(pages) == (0..<50).map(numberedKey))
    }
    let none = fileSettings("b.jsonl.gz") { $0.compression = .none }
    #expect(await thrown { _ = try await allPages({ try folder.source(none) }, size: 7) }?.code == .malformedData)
  }

  @Test("a bomb ends at the limit, in little memory, also where it has no line feed")
  func bomb() async throws {
    for filling in [UInt8(ascii: " "), 0x0A] {
      try folder.write([UInt8](repeating: filling, count: 4_000_000), to: "b.jsonl")
      let zip = await (try ChildProcess("/bin/gzip", ["-f", folder.file("b.jsonl")], environment: [:])).wait()
      #expect(zip.exitCode == 0)
      let settings = fileSettings("b.jsonl.gz") {
        $0.maxDecompressed = ByteCount(3_000_000)
        $0.maxLine = ByteCount(100_000_000)
      }
      let error = await thrown { _ = try await allPages({ try folder.source(settings) }, size: 10) }
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("3MB") == true)
      #expect(error?.place.file == folder.file("b.jsonl.gz"))
    }
  }
}
