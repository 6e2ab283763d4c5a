import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceFirestore
import Testing

@Suite struct FirestoreListingTests {
  @Test("C01 a page shorter than asked is not the end: only a missing token is")
  func capsAreNotTheEnd() async throws {
    let bench = try FirestoreBench()
    try bench.seed(1_000)
    let report = await bench.run(size: 1_000)
    #expect(report.exitCode == 0)
    #expect(bench.sink.documents.count == 1_000)
    #expect(bench.lists.count == 4)
    #expect(bench.lists.allSatisfy { $0.parameter("pageSize") == "1000" })
  }

  @Test("C02 the page size is always sent: 45 documents come in one request of 300, in three of 20")
  func thePageSizeIsAlwaysSent() async throws {
    let bench = try FirestoreBench()
    try bench.seed(45)
    #expect(await bench.run().exitCode == 0)
    #expect(bench.lists.map { $0.parameter("pageSize") } == ["300"])
    bench.server.log.reset()
    #expect(await bench.run(size: 20).exitCode == 0)
    #expect(bench.lists.map { $0.parameter("pageSize") } == ["20", "20", "20"])
    #expect(bench.sink.documents.count == 45)
  }

  @Test("C05 a token that is refused: the error names collection, page, status and message; the token is dropped")
  func aRefusedTokenIsAnErrorAndIsDropped() async throws {
    let bench = try FirestoreBench()
    try bench.seed(50)
    bench.server.script(
      FaultScript(
        FaultRule(
          .method(.list) && .pages(from: 2),
          .answer(
            status: 400, contentType: "application/json",
            body: #"{"error":{"code":400,"message":"invalid page token","status":"INVALID_ARGUMENT"}}"#))))
    let report = await bench.run(size: 20)
    guard case .failed(let error) = report.outcome else { throw SluiceError(.internal, "it did not fail") }
    #expect(report.exitCode == 1)
    #expect(error.code == .positionLost)
    #expect(error.message.contains("HTTP 400 INVALID_ARGUMENT: invalid page token"))
    #expect(error.place.collection == "users")
    #expect(error.place.page == 2)
    #expect(bench.sink.documents.isEmpty)
    bench.server.script(FaultScript())
    bench.server.log.reset()
    #expect(await bench.run(size: 20).exitCode == 0)
    #expect(bench.lists.first?.parameter("pageToken") == nil)
    #expect(bench.sink.documents.count == 50)
  }

  @Test("C13 an answer without a documents key is an empty collection, and the next one still comes")
  func anEmptyAnswerIsNoDocuments() async throws {
    let bench = try FirestoreBench()
    _ = try bench.server.store.set("users/b/info/i1", [Field("n", .int(1))])
    let empty = await bench.run(bench.config("users/a/info"))
    #expect(empty.exitCode == 0)
    #expect(empty.counters.documents == 0)
    let other = try FirestoreBench()
    _ = try other.server.store.set("users/b/info/i1", [Field("n", .int(1))])
    #expect(await other.run(other.config("users/b/info")).exitCode == 0)
    #expect(other.sink.documents.keys.map(\.description) == ["i1"])
  }

  @Test func oddIdsArriveAsTheyAre() async throws {
    let ids = [
      "a|b", "50%", "c#", "t:15:03", "ø æ", " ", "🦊", ".x", "a?b=c&d", "a+b", "%2F", "\u{e9}", "e\u{301}", "..a",
      String(repeating: "x", count: 1_500),
    ]
    let bench = try FirestoreBench()
    for id in ids { _ = try bench.server.store.set("users/\(id)", [Field("id", .string(id))]) }
    #expect(await bench.run(size: 2).exitCode == 0)
    #expect(Set(bench.sink.documents.keys) == Set(ids.map { Key($0) }))
    let source = try await bench.source()
    let found = try await source.documents(for: ids.map { Key($0) } + [Key("missing")])
    #expect(found.count(of: .upsert) == ids.count)
    #expect(bench.server.log.requests.count { $0.method == .batchGet } == 1)
    #expect(found.count(of: .delete) == 1)
    await source.close()
  }

  @Test(arguments: ["users", "users/a b/reviews", "users/ø#1/x:y/50%/z?"])
  func anyCollectionPath(path: String) async throws {
    let bench = try FirestoreBench { $0.pathPrefix = "/proxy/one" }
    try bench.seed(3, into: path)
    #expect(await bench.run(bench.config(path)).exitCode == 0)
    #expect(bench.sink.documents.count == 3)
  }

  @Test func anotherDatabaseOfTheProject() async throws {
    let bench = try FirestoreBench()
    _ = try bench.server.store.set("users/u1", [Field("n", .int(1))], database: "second")
    var config = bench.config()
    config.database = "second"
    #expect(await bench.run(config).exitCode == 0)
    #expect(bench.sink.documents.count == 1)
  }

  @Test("another order is asked for on each page, and is part of what is read")
  func order() async throws {
    let bench = try FirestoreBench()
    for number in 0..<5 { try bench.server.store.set("users/u\(number)", [Field("n", .int(Int64(9 - number)))]) }
    try bench.server.store.set("users/none", [])
    var config = bench.config()
    config.orderBy = "n desc"
    #expect(await bench.run(config, size: 2).exitCode == 0)
    #expect(bench.lists.map { $0.parameter("orderBy") } == ["n desc", "n desc", "n desc"])
    #expect(bench.sink.documents.count == 5)
    #expect(Firestore.capabilities(of: config).order == .unstable)
    let (ordered, plain) = (try await bench.source(config), try await bench.source())
    #expect(ordered.sourceIdentity != plain.sourceIdentity)
    await ordered.close()
    await plain.close()
  }

  @Test func masksAndMissingDocumentsAreAskedFor() async throws {
    let bench = try FirestoreBench()
    _ = try bench.server.store.set("users/u1", [Field("a", .int(1)), Field("b", .int(2))])
    _ = try bench.server.store.set("users/u2/reviews/r1", [Field("a", .int(1))])
    var config = bench.config()
    config.fields = ["a"]
    config.showMissing = true
    let source = try await bench.source(config)
    let page = try await source.page(PageRequest(size: 10))
    #expect(page.signals.count == 2)
    #expect(page.batch.header(at: 1).isMissing)
    #expect(page.batch.fields(at: 0).materialized == [Field("a", .int(1))])
    let found = try await source.documents(for: [Key("u1")])
    #expect(found.fields(at: 0).materialized == [Field("a", .int(1))])
    await source.close()
  }
}
