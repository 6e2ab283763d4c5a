import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite spool") struct SpoolTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store() async throws -> SQLiteStateStore {
    var config = SQLiteStateStore.Config()
    config.path = "state.db"
    return try await SQLiteStateStore(config, context: StateContext(baseDirectory: folder.path))
  }

  static let values: [Value] = [
    .null, .bool(true), .int(.min), .int(.max), .double(-0.0), .double(.nan), .double(.infinity), .double(1),
    .double(.leastNonzeroMagnitude), .decimal("18446744073709551615"),
    .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 1)), .string(""), .string("e\u{301} \u{0} \u{2028}\n🦊"),
    .bytes([]), .bytes(Array(0...255)), .reference("projects/p/databases/(default)/documents/a/b"),
    .geoPoint(latitude: -0.0, longitude: 180), .array([.array([.int(1)]), .map([])]), .vector([0.5, -2]), .map([]),
    .map([Field("é", .int(1)), Field("e\u{301}", .int(2)), Field("a.b", .null)]),
    .unknown(kind: "novelValue", raw: Array(#"{"x":[1,2]}"#.utf8)),
  ]

  /// Every kind of value and of entry.
  private func page(_ sequence: UInt64 = 1, generation: UInt64 = 1) throws -> SpooledPage {
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 999_999_999)
    let headers = [
      DocumentHeader(), DocumentHeader(version: .sequence(.max)),
      DocumentHeader(version: .time(time), updateTime: time),
      DocumentHeader(version: .none, createTime: time, updateTime: time),
      DocumentHeader(version: .time(time), createTime: time),
    ]
    var builder = BatchBuilder()
    for (number, value) in Self.values.enumerated() {
      builder.add(key: Key("v\(number)"), header: headers[number % headers.count], [Field("v", value)])
    }
    builder.delete(key: Key("gone/é/%"), version: .time(time))
    builder.add(key: Key("missing"), header: DocumentHeader(isMissing: true), [])
    builder.add(.dropped(key: Key("left out"), version: .sequence(3)))
    builder.delete(key: Key("gone too"))
    builder.add(.dropped(key: Key("rejected"), version: .none))
    builder.add(key: Key("last"), [])
    let batch = try builder.finish()
    return SpooledPage(generation: generation, sequence: sequence, batch: batch, rejected: [batch.count - 2])
  }

  private func expectSame(_ page: SpooledPage?, _ original: SpooledPage) throws {
    let page = try #require(page)
    #expect(page.generation == original.generation)
    #expect(page.sequence == original.sequence)
    #expect(page.rejected == original.rejected)
    #expect(Array(page.batch) == Array(original.batch))
    for index in original.batch.indices {
      #expect(page.batch.fingerprint(at: index) == original.batch.fingerprint(at: index))
      guard original.batch.kind(at: index) == .upsert else { continue }
      #expect(page.batch.header(at: index) == original.batch.header(at: index))
    }
  }

  @Test("a page comes back as it was, with its deletes and with what was left out, after reopening too")
  func losesNothing() async throws {
    var store = try await store()
    var job = try await store.open(job: "job")
    #expect(try await job.spooledPage(after: 0, generation: 1) == nil)
    #expect(try await job.spoolSize(after: 0, generation: 1) == 0)
    let page = try page()
    try await job.save(StateCommit(Samples.checkpoint(1), spooled: page))
    try expectSame(try await job.spooledPage(after: 0, generation: 1), page)
    await job.close()
    await store.close()
    store = try await self.store()
    job = try await store.open(job: "job")
    try expectSame(try await job.spooledPage(after: 0, generation: 1), page)
    await job.close()
    await store.close()
  }

  @Test("pages are read in order, measured, and removed up to a delivery")
  func order() async throws {
    let store = try await store()
    let other = try await store.open(job: "another job")
    try await other.save(StateCommit(Samples.checkpoint(1, job: "another job"), spooled: try page(4)))
    let job = try await store.open(job: "job")
    for number in 1...4 as ClosedRange<UInt64> {
      try await job.save(StateCommit(Samples.checkpoint(number), spooled: try page(number + 10)))
    }
    #expect(try await job.spooledPage(after: 0, generation: 1)?.sequence == 11)
    #expect(try await job.spooledPage(after: 12, generation: 1)?.sequence == 13)
    #expect(try await job.spooledPage(after: 14, generation: 1) == nil)
    #expect(try await job.spooledPage(after: 0, generation: 2) == nil)
    let size = try await job.spoolSize(after: 13, generation: 1)
    #expect(size > 2_000)
    #expect(try await job.spoolSize(after: 0, generation: 1) == 4 * size)
    #expect(try await job.spoolSize(after: 12, generation: 1) == 2 * size)
    #expect(try await job.spoolSize(after: 14, generation: 1) == 0)
    #expect(try await other.spoolSize(after: 0, generation: 1) == size)

    try await job.save(StateCommit(Samples.checkpoint(5), unspooled: 12))
    #expect(try await job.spooledPage(after: 0, generation: 1)?.sequence == 13)
    #expect(try await job.spoolSize(after: 0, generation: 1) == 2 * size)
    try await job.save(StateCommit(Samples.checkpoint(6), spooled: try page(15), unspooled: 14))
    #expect(try await job.spoolSize(after: 0, generation: 1) == size)
    #expect(try await other.spooledPage(after: 3, generation: 1)?.sequence == 4)
    await job.close()
    await other.close()
    await store.close()
  }

  @Test("what is spooled goes with its generation, and comes with its checkpoint only")
  func generations() async throws {
    let store = try await store()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1), spooled: try page(1)))
    _ = try await failure {
      try await job.save(StateCommit(Samples.checkpoint(5), spooled: try self.page(2), unspooled: 1))
    }
    #expect(try await job.spooledPage(after: 0, generation: 1)?.sequence == 1)
    #expect(try await job.spooledPage(after: 1, generation: 1) == nil)
    try await job.save(StateCommit(Samples.checkpoint(2, generation: 2)))
    #expect(try await job.spooledPage(after: 0, generation: 1) == nil)
    #expect(try folder.connection("state.db").first("SELECT count(*) FROM spool") { $0.int(0) } == 0)
    await job.close()
    await store.close()
  }

  @Test("what is spooled goes with the job to another name, and is forgotten with it")
  func moves() async throws {
    let store = try await store()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1), spooled: try page(1)))
    await job.close()
    try await store.rename(job: "job", to: "other")
    let other = try await store.open(job: "other")
    #expect(try await other.spooledPage(after: 0, generation: 1)?.sequence == 1)
    await other.close()
    try await store.reset(job: "other")
    #expect(try folder.connection("state.db").first("SELECT count(*) FROM spool") { $0.int(0) } == 0)
    await store.close()
  }

  @Test("a damaged page is said to be one", arguments: ["lines = 'x'", "lines = x'7b7d0a'", "marks = x'0000'"])
  func damage(_ change: String) async throws {
    let store = try await store()
    let job = try await store.open(job: "job")
    try await job.save(StateCommit(Samples.checkpoint(1), spooled: try page(1)))
    try folder.connection("state.db").execute("UPDATE spool SET \(change)")
    let error = try await failure { _ = try await job.spooledPage(after: 0, generation: 1) }
    #expect(error.code == .invalidState)
    #expect(error.place.file?.hasSuffix("state.db") == true)
    await job.close()
    await store.close()
  }
}
