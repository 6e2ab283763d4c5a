import SluiceCore
import SluiceEngine
import SluiceJSON
import Testing

@Suite(.needsEmulator, .timeLimit(.minutes(5))) struct EmulatorListingTests {
  /// The emulator sends at most 150 documents a page, and on a last page that is full still a token.
  static let requests = [1: 1_001, 7: 143, 150: 7, 300: 7]

  @Test(
    "1,000 documents of every kind: the same files for page sizes 1, 7, 150 and 300, and what was written is in them")
  func everyKindInPagesOfEverySize() async throws {
    try await withEmulatorProject { emulator in
      let samples = EveryKind.documents(root: emulator.root)
      try await emulator.write(samples)
      let jobs = try await withThrowingTaskGroup(of: (Int, ListingJob).self) { group in
        for (size, requests) in Self.requests {
          group.addTask { (size, try await Self.listed(emulator, size: size, requests: requests)) }
        }
        return try await group.reduce(into: [Int: ListingJob]()) { $0[$1.0] = $1.1 }
      }
      let reference = try #require(jobs[7])
      let (typed, plain) = (try reference.folder.read("typed.jsonl"), try reference.folder.read("plain.jsonl"))
      for (size, job) in jobs {
        #expect(try job.folder.read("typed.jsonl") == typed, "page size \(size)")
        #expect(try job.folder.read("plain.jsonl") == plain, "page size \(size)")
      }
      let documents = try reference.documents()
      #expect(documents.count == 1_000)
      #expect(try await emulator.count(of: "kinds") == documents.count)
      try Self.check(documents, against: samples)
      #expect(try reference.plainDocuments().map(\.key) == documents.map(\.key))
    }
  }

  private static func listed(_ emulator: RemoteFirestore, size: Int, requests: Int) async throws -> ListingJob {
    let job = try ListingJob()
    let report = await job.run(emulator.config("kinds"), size: size)
    #expect(report.exitCode == 0, "\(report.outcome)")
    #expect(report.counters.documents == 1_000)
    #expect(report.counters.retries == 0)
    #expect(report.spending.requests == requests, "page size \(size)")
    return job
  }

  /// Every document holds what was written, and they stand in the order of their names.
  private static func check(_ documents: [Document], against samples: [Sample]) throws {
    let written = Dictionary(uniqueKeysWithValues: samples.map { (Key($0.path.id), $0.fields) })
    try #require(written.count == samples.count)
    for document in documents {
      let fields = try #require(written[document.key], "\(document.key)")
      let expected = Value.map(fields).stored(losingSignOfZero: true)
      #expect(Value.map(document.fields.materialized) == expected, "\(document.key)")
      #expect(document.createTime != nil && document.createTime == document.updateTime, "\(document.key)")
      #expect(document.version == document.updateTime.map { .time($0) })
    }
    #expect(documents.map(\.key) == written.keys.sorted { $0.id.precedesAsID($1.id) })
  }

  @Test func eachDocumentIsFoundByItsName() async throws {
    try await withEmulatorProject { emulator in
      let samples = EveryKind.documents(120, root: emulator.root)
      try await emulator.write(samples)
      let source = try await emulator.source(emulator.config("kinds"))
      // The emulator would answer a GET for "  two  " with "two".
      let missing = [Key("is not there"), Key("two"), Key("d1000")]
      let found = try await source.documents(for: samples.map { Key($0.path.id) } + missing)
      await source.close()
      #expect(found.count == samples.count + missing.count)
      let byKey = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0) })
      for sample in samples {
        guard case .upsert(let document)? = byKey[Key(sample.path.id)] else {
          Issue.record("\(sample.path) was not found")
          continue
        }
        let expected = Value.map(sample.fields).stored(losingSignOfZero: true)
        #expect(Value.map(document.fields.materialized) == expected, "\(sample.path)")
      }
      for key in missing { if case .delete? = byKey[key] {} else { Issue.record("\(key) was found") } }
    }
  }

  @Test(arguments: ["kinds/a|b/sub", "kinds/50%/sub", "ø#1/x:y/a b", "kinds/__id5__/sub/🦊/sub"])
  func aCollectionBelowADocument(path: String) async throws {
    try await withEmulatorProject { emulator in
      let samples = (0..<5).map { Sample(path: "\(path)/d\($0)", fields: [Field("n", .int(Int64($0)))]) }
      try await emulator.write(samples + [Sample(path: "kinds/other/sub/d9", fields: [])])
      let job = try ListingJob()
      #expect(await job.run(emulator.config(path), size: 2).exitCode == 0)
      #expect(try job.documents().map(\.key) == (0..<5).map { Key("d\($0)") })
    }
  }

  @Test func anotherDatabaseOfTheProject() async throws {
    try await withEmulatorProject(databases: ["second"]) { emulator in
      try await emulator.write([Sample(path: "users/first", fields: [Field("n", .int(1))])])
      let second = emulator.database("second")
      try await second.write([Sample(path: "users/other", fields: [Field("n", .int(2))])])
      let job = try ListingJob()
      #expect(await job.run(second.config("users"), size: 10).exitCode == 0)
      #expect(try job.documents().map(\.key) == [Key("other")])
    }
  }

  @Test func anEmptyCollectionIsNotBelievedWithoutAsking() async throws {
    try await withEmulatorProject { emulator in
      let job = try ListingJob()
      try job.folder.write("kept\n", to: "typed.jsonl")
      let report = await job.run(emulator.config("nothing"), size: 10)
      #expect(report.failure?.code == .emptySource)
      #expect(try job.folder.text("typed.jsonl") == "kept\n")
    }
  }
}

extension String {
  /// The last part of a path.
  var id: String { split(separator: "/").last.map(String.init) ?? self }
}
