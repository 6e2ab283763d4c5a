import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite sink, in place") struct InPlaceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ table: String = "users", encoding: DocumentEncoding = .plain, retry: RetrySettings = RetrySettings(),
    report: @escaping @Sendable (AdapterEvent) -> Void = { _ in }
  ) async throws -> SQLiteAdapter {
    var config = SQLiteAdapter.Config()
    config.path = "out.db"
    config.table = table
    config.encoding = encoding
    return try await SQLiteAdapter(
      config,
      context: AdapterContext(role: .sink, baseDirectory: folder.path, retry: retry, report: report))
  }

  private func documents(_ table: String = "users") throws -> [String: String] {
    let rows = try folder.connection("out.db").all("SELECT key, document FROM \(TableName(table).quoted)") {
      ($0.text(0), $0.text(1))
    }
    return Dictionary(rows, uniquingKeysWith: { _, last in last })
  }

  private func apply(
    _ batch: Batch, _ sink: SQLiteAdapter, sequence: UInt64 = 1, generation: UInt64 = 1, revision: UInt64 = 1,
    status: LedgerEntry.Status = .live
  ) async throws -> Receipt {
    let identity = try #require(try await sink.identity(creating: true))
    let page = Samples.page(batch, identity: identity, generation: generation, status: status)
    let progress = SinkProgress(checkpoint: Samples.checkpoint(revision, generation: generation), ledger: page)
    return try await sink.apply(
      Delivery(batch: batch, sequence: sequence, generation: generation, progress: progress))
  }

  @Test("documents, ledger and checkpoint are there together, after reopening too")
  func writes() async throws {
    var sink = try await open()
    #expect(try await sink.identity(creating: false) == nil)
    let identity = try await sink.identity(creating: true)
    _ = try await sink.ledger(job: "job")
    let batch = try Samples.batch(["a", "b"])
    _ = try await apply(batch, sink, revision: 4)
    await sink.close()

    sink = try await open()
    #expect(try documents() == ["a": #"{"name":"a","text":"text"}"#, "b": #"{"name":"b","text":"text"}"#])
    #expect(try await sink.identity(creating: false) == identity)
    #expect(try await sink.savedCheckpoint(job: "job") == Samples.checkpoint(4))
    #expect(try await sink.savedCheckpoint(job: "other") == nil)
    let ledger = try await sink.ledger(job: "job")
    #expect(try await ledger.liveCount() == 2)
    #expect(
      try await ledger.entries(for: batch).map { $0?.fingerprint } == [
        batch.fingerprint(at: 0), batch.fingerprint(at: 1),
      ])
    #expect(try await (try await sink.ledger(job: "other")).liveCount() == 0)
  }

  @Test("a delete that keeps the row marks it, once; writing the row again takes the mark away")
  func marksDeleted() async throws {
    let sink = try await open()
    _ = try await sink.ledger(job: "job")
    let identity = try #require(try await sink.identity(creating: true))
    _ = try await apply(try Samples.batch(["a", "b", "c"]), sink)
    func marks() throws -> [String?] {
      try folder.connection("out.db").all("SELECT deleted_at FROM users ORDER BY key") {
        $0.isNull(0) ? nil : $0.text(0)
      }
    }
    func delete(_ keys: [String], at seconds: Int64, _ sequence: UInt64) async throws {
      let batch = try Samples.deletes(keys)
      let progress = SinkProgress(
        checkpoint: Samples.checkpoint(sequence), ledger: Samples.page(batch, identity: identity, status: .tombstone))
      _ = try await sink.apply(
        Delivery(
          batch: batch, sequence: sequence, generation: 1, progress: progress,
          deletedAt: Timestamp(seconds: seconds, nanoseconds: 0)))
    }
    try await delete(["b", "c", "none"], at: 0, 2)
    #expect(try marks() == [nil, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
    try await delete(["b"], at: 60, 3)
    _ = try await apply(try Samples.batch(["c"], "again"), sink, sequence: 4, revision: 4)
    #expect(try marks() == [nil, "1970-01-01T00:00:00Z", nil])
    #expect(try documents().count == 3)
    // The table is known again, and a delete without a time removes.
    await sink.close()
    let again = try await open()
    _ = try await again.ledger(job: "job")
    _ = try await apply(try Samples.deletes(["b"]), again, sequence: 5, revision: 5, status: .tombstone)
    #expect(try marks() == [nil, nil])
  }

  @Test("a delivery that fails half way leaves nothing")
  func writesWholly() async throws {
    let sink = try await open()
    _ = try await sink.identity(creating: true)
    let ledger = try await sink.ledger(job: "job")
    try folder.connection("out.db").execute(
      """
      CREATE TRIGGER no_c BEFORE INSERT ON users WHEN new.key = 'c' BEGIN SELECT raise(ROLLBACK, 'no c'); END
      """)
    let error = try await failure { _ = try await self.apply(try Samples.batch(["a", "b", "c", "d"]), sink) }
    #expect(error.place.key == "c")
    #expect(try documents().isEmpty)
    #expect(try await ledger.liveCount() == 0)
    #expect(try await sink.savedCheckpoint(job: "job") == nil)
  }

  @Test("a document that the table does not take is a rejection, or the end, as the job wishes")
  func rejects() async throws {
    let sink = try await open()
    let identity = try #require(try await sink.identity(creating: true))
    let ledger = try await sink.ledger(job: "job")
    try folder.connection("out.db").execute(
      "CREATE UNIQUE INDEX once ON users (json_extract(document, '$.text')) WHERE key > 'b'")
    let batch = try Samples.batch(["a", "b", "c", "d"])
    let page = Samples.page(batch, identity: identity)
    let progress = SinkProgress(checkpoint: Samples.checkpoint(1), ledger: page)
    _ = try await failure {
      _ = try await sink.apply(
        Delivery(batch: batch, sequence: 1, generation: 1, progress: progress, acceptsRejections: false))
    }
    #expect(try documents().isEmpty)
    let receipt = try await sink.apply(Delivery(batch: batch, sequence: 1, generation: 1, progress: progress))
    #expect(receipt.rejections.map(\.key) == [Key("d")])
    #expect(receipt.rejections.first?.error.code == .rejected)
    #expect(try documents().keys.sorted() == ["a", "b", "c"])
    #expect(try await ledger.entries(for: batch).map { $0 == nil } == [false, false, false, true])
    #expect(try await ledger.liveCount() == 3)
  }

  @Test("the same delivery twice is the same as once; deletes delete")
  func isIdempotent() async throws {
    let sink = try await open()
    let ledger = try await sink.ledger(job: "job")
    let batch = try Samples.batch(["a", "b"])
    _ = try await apply(batch, sink)
    _ = try await apply(batch, sink)
    #expect(try documents().count == 2)
    #expect(try await ledger.liveCount() == 2)
    for _ in 0..<2 {
      _ = try await apply(try Samples.deletes(["a", "x"]), sink, sequence: 2, status: .tombstone)
      #expect(try documents().keys.sorted() == ["b"])
      #expect(try await ledger.liveCount() == 1)
    }
  }

  @Test("an older version never overwrites or deletes a newer one")
  func comparesVersions() async throws {
    let sink = try await open()
    _ = try await sink.identity(creating: true)
    func time(_ seconds: Int64, _ nanoseconds: UInt32) -> Version {
      .time(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }
    // Stored, coming, whether what comes is applied.
    let cases: [(Version, Version, Bool)] = [
      (.none, .none, true), (.sequence(2), .sequence(1), false), (.sequence(2), .sequence(2), true),
      (.sequence(2), .sequence(3), true), (.sequence(2), .none, true), (.none, .sequence(1), true),
      (time(5, 7), time(5, 6), false), (time(5, 7), time(5, 8), true), (time(5, 7), time(4, 9), false),
      (time(-5, 0), time(-6, 999_999_999), false), (time(5, 7), .sequence(1), true), (.sequence(9), time(1, 0), true),
    ]
    for (index, (stored, coming, isApplied)) in cases.enumerated() {
      for isDelete in [false, true] {
        let key = "k\(index)\(isDelete)"
        func deliver(_ batch: Batch) async throws {
          _ = try await sink.apply(Delivery(batch: batch, sequence: 1, generation: 1))
        }
        try await deliver(try Samples.batch([key], "stored", version: stored))
        try await deliver(
          isDelete
            ? try Samples.deletes([key], version: coming) : try Samples.batch([key], "coming", version: coming))
        let document = try documents()[key]
        let expected = isApplied ? (isDelete ? nil : "coming") : "stored"
        #expect(document.map { $0.contains("coming") ? "coming" : "stored" } == expected, "\(stored) \(coming)")
      }
    }
  }

  @Test("a table that was dropped, emptied or cut behind our back gets another identity, and its ledger is empty")
  func noticesLoss() async throws {
    for damage in ["DROP TABLE users", "DELETE FROM users", "DELETE FROM users WHERE key = 'b'"] {
      let sink = try await open()
      let identity = try await sink.identity(creating: true)
      _ = try await sink.ledger(job: "job")
      let batch = try Samples.batch(["a", "b"])
      _ = try await apply(batch, sink)
      try folder.connection("out.db").execute(damage)

      let next = try await open()
      #expect(try await next.identity(creating: false) == nil, "\(damage)")
      let other = try await next.identity(creating: true)
      #expect(other != nil && other != identity)
      #expect(try await next.savedCheckpoint(job: "job") == nil)
      let ledger = try await next.ledger(job: "job")
      #expect(try await ledger.liveCount() == 0)
      #expect(try await ledger.entries(for: batch) == [nil, nil])
      _ = try await apply(batch, next)
      #expect(try documents().count == 2)
      #expect(try await next.identity(creating: false) == other)
    }
  }

  @Test("rows that others added, and deletes of our own, leave the identity as it is")
  func keepsIdentity() async throws {
    let sink = try await open()
    let identity = try await sink.identity(creating: true)
    _ = try await sink.ledger(job: "job")
    _ = try await apply(try Samples.batch(["a", "b"]), sink)
    _ = try await apply(try Samples.deletes(["a", "b"]), sink, sequence: 2, status: .tombstone)
    #expect(try await sink.identity(creating: true) == identity)
    try folder.connection("out.db").execute("INSERT INTO users (key, document) VALUES ('mine', '{}')")
    #expect(try await sink.identity(creating: true) == identity)
  }

  @Test("a lock that another connection holds is waited for; the delivery is tried again and nothing is lost")
  func waitsForLock() async throws {
    let other = Holder(try folder.connection("out.db"))
    let retry = RetrySettings()
    let sink = try await open(retry: retry) { event in
      // The first try has waited in vain: now the other one lets go.
      if case .retry(1, _, let error) = event, error.retry == .transient { other.release() }
    }
    _ = try await sink.identity(creating: true)
    _ = try await sink.ledger(job: "job")
    try other.hold()
    let receipt = try await apply(try Samples.batch(["a", "b"]), sink)
    #expect(receipt.retries == 1)
    #expect(try documents().count == 2)
  }

  @Test("a lock that is never freed ends the delivery with an error that may be tried again")
  func givesUp() async throws {
    var retry = RetrySettings()
    retry.attempts = 1
    let sink = try await open(retry: retry)
    _ = try await sink.identity(creating: true)
    let other = Holder(try folder.connection("out.db"))
    try other.hold()
    let error = try await failure {
      _ = try await sink.apply(Delivery(batch: try Samples.batch(["a"]), sequence: 1, generation: 1))
    }
    #expect(error.retry == .transient && error.place.file == folder.file("out.db"))
    other.release()
    #expect(try documents().isEmpty)
  }

  @Test(
    "names with quotes, spaces and letters of all kinds are only names",
    arguments: ["a b", "a\"b", "a'; DROP TABLE x; --", "日本 é", "[x]", "select", "a.b", "x`y"])
  func quotes(table: String) async throws {
    let sink = try await open(table)
    _ = try await sink.identity(creating: true)
    _ = try await sink.ledger(job: "job")
    let keys = ["a'b", "a\"b", "日本", "e\u{301}", "\u{e9}", "nul\u{0}x", "nul\u{0}y", "", "a/b%"]
    let batch = try Samples.batch(keys)
    _ = try await apply(batch, sink)
    let stored = try documents(table)
    // Swift would merge the two spellings of é.
    #expect(try folder.connection("out.db").first("SELECT count(*) FROM \(TableName(table).quoted)") { $0.int(0) } == 9)
    #expect(stored["nul\u{0}x"]?.contains("nul\\u0000x") == true)
    let ledger = try await sink.ledger(job: "job")
    #expect(try await ledger.entries(for: batch).allSatisfy { $0 != nil })
    _ = try await apply(try Samples.deletes(keys), sink, sequence: 2, status: .tombstone)
    #expect(try await sink.isEmpty())
  }

  @Test("columns hold JSON without the key, versions and times; names without a document are left out")
  func fillsColumns() async throws {
    let sink = try await open(encoding: .typed)
    _ = try await sink.identity(creating: true)
    let created = try #require(Timestamp("2024-01-02T03:04:05.000006Z"))
    var builder = BatchBuilder()
    builder.add(
      key: Key(segments: ["a", "b", "c/d"]),
      header: DocumentHeader(version: .time(created), createTime: created, updateTime: created), [Field("n", .int(5))])
    builder.add(key: Key("plain"), header: DocumentHeader(version: .sequence(8)), [])
    builder.add(key: Key("missing"), header: DocumentHeader(isMissing: true), [])
    builder.add(key: Key("huge"), header: DocumentHeader(version: .sequence(.max)), [])
    let receipt = try await sink.apply(Delivery(batch: try builder.finish(), sequence: 1, generation: 1))
    #expect(receipt.rejections.map(\.key) == [Key("huge")])
    let rows = try folder.connection("out.db").all(
      "SELECT key, document, version, version_ns, create_time, update_time FROM users ORDER BY key"
    ) { row in (0..<6).map { row.isNull($0) ? "NULL" : row.text($0) } }
    #expect(
      rows == [
        [
          "a/b/c%2Fd", #"{"n":{"integerValue":"5"}}"#, "1704164645", "6000", "2024-01-02T03:04:05.000006Z",
          "2024-01-02T03:04:05.000006Z",
        ],
        ["plain", "{}", "8", "NULL", "NULL", "NULL"],
      ])
  }

  @Test("a file that is no database, or cannot be written, is an error with its path and stays as it is")
  func refusesFiles() async throws {
    try folder.write(Array("hello, I am a diary of more than a few words".utf8), to: "out.db")
    let error = try await failure { _ = try await self.open() }
    #expect(error.code == .invalidState && error.place.file == folder.file("out.db"))
    #expect(try folder.read("out.db") == Array("hello, I am a diary of more than a few words".utf8))

    try FileManager.default.removeItem(atPath: folder.file("out.db"))
    try FileManager.default.createDirectory(atPath: folder.file("out.db"), withIntermediateDirectories: false)
    let other = try await failure { _ = try await self.open() }
    #expect(other.code == .io && other.place.file == folder.file("out.db"))
  }

  @Test("a full database is an error that says so, and nothing of the delivery is there")
  func saysFull() async throws {
    let sink = try await open()
    _ = try await sink.identity(creating: true)
    try await sink.database.write { try $0.execute("PRAGMA max_page_count = 1") }
    let error = try await failure {
      _ = try await sink.apply(
        Delivery(
          batch: try Samples.batch(Samples.keys(0..<300), String(repeating: "x", count: 5000)), sequence: 1,
          generation: 1))
    }
    #expect(error.code == .io && error.message.contains("no space"))
    #expect(error.place.file == folder.file("out.db"))
    #expect(try documents().isEmpty)
  }

  @Test("what a configuration cannot mean is an error at its place")
  func checksNames() {
    for name in ["sqlite_x", "_sluice_tables", "SQLITE_X", "a\u{0}b", ""] { #expect(TableName.fault(in: name) != nil) }
    var config = SQLiteAdapter.Config()
    #expect(SQLiteAdapter.capabilities(of: config).publishMode == .inPlace)
    #expect(SQLiteAdapter.capabilities(of: config).isTransactional)
    config.publish = .replace
    #expect(SQLiteAdapter.capabilities(of: config).publishMode == .replace)
    #expect(!SQLiteAdapter.capabilities(of: config).isTransactional)
  }
}

/// Another program with the write lock. Used by one thread at a time: the test's, then that of the retry it waits for.
private final class Holder: @unchecked Sendable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func hold() throws { try connection.execute("BEGIN IMMEDIATE") }

  func release() { connection.rollBack() }
}
