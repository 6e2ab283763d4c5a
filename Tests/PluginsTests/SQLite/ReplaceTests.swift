import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("SQLite sink, replacing") struct ReplaceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ table: String = "users", encoding: DocumentEncoding = .plain) async throws -> SQLiteAdapter {
    var config = SQLiteAdapter.Config()
    config.path = "out.db"
    config.table = table
    config.publish = .replace
    config.encoding = encoding
    return try await SQLiteAdapter(config, context: AdapterContext(role: .sink, baseDirectory: folder.path))
  }

  private func rows(_ connection: Connection, _ table: String = "users") throws -> [String] {
    try connection.all("SELECT key FROM \(TableName(table).quoted) ORDER BY key") { $0.text(0) }
  }

  private func tables() throws -> [String] {
    try folder.connection("out.db").all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_sluice%' ESCAPE '\\' ORDER BY name"
    ) { $0.text(0) }
  }

  /// Stages pages and swaps them in.
  @discardableResult private func publish(
    _ pages: [Batch], generation: UInt64, _ sink: SQLiteAdapter
  ) async throws -> Publication {
    var mark = try await sink.openStage(generation: generation, resuming: nil)
    for (index, page) in pages.enumerated() {
      let receipt = try await sink.apply(
        Delivery(batch: page, sequence: UInt64(index + 1), generation: generation))
      mark = try #require(receipt.stage)
    }
    return try await sink.publish(try Samples.proof(generation), content: mark)
  }

  @Test("readers see the old set or the new one, and a set that was swapped in is known again")
  func publishes() async throws {
    let sink = try await open()
    #expect(try await sink.isEmpty())
    let first = try await publish([try Samples.batch(["a", "b"]), try Samples.batch(["c"])], generation: 1, sink)
    #expect(first.content.documents == 3 && first.content.length == 3)
    #expect(try await !sink.isEmpty())

    let steady = try folder.connection("out.db")
    let fresh = try folder.connection("out.db")
    try steady.execute("BEGIN")
    #expect(try rows(steady) == ["a", "b", "c"])
    let second = try await publish([try Samples.batch(["a", "d"])], generation: 2, sink)
    #expect(try rows(steady) == ["a", "b", "c"])
    #expect(try rows(fresh) == ["a", "d"])
    try steady.execute("COMMIT")
    #expect(try rows(steady) == ["a", "d"])

    #expect(try await sink.shows(second))
    #expect(try await !sink.shows(first))
    var unsaved = second
    unsaved.witness = ""
    #expect(try await sink.shows(unsaved))
    #expect(try tables() == ["users"])
    await sink.close()
    #expect(try await open().shows(second))
  }

  @Test("the stage is not seen before it is published, and goes when it is discarded")
  func staysHidden() async throws {
    let sink = try await open()
    try await publish([try Samples.batch(["a"])], generation: 1, sink)
    _ = try await sink.openStage(generation: 2, resuming: nil)
    _ = try await sink.apply(Delivery(batch: try Samples.batch(["b"]), sequence: 1, generation: 2))
    #expect(try rows(try folder.connection("out.db")) == ["a"])
    #expect(try tables() == ["users", "users__sluice_stage_2"])
    try await sink.discardStage()
    #expect(try tables() == ["users"])
  }

  @Test("a stage is cut back to its mark and goes on, also after a kill")
  func resumes() async throws {
    var sink = try await open()
    #expect(
      try await sink.openStage(generation: 5, resuming: nil)
        == StageMark(length: 0, digest: RunningDigest().value, documents: 0))
    let one = try #require(
      try await sink.apply(Delivery(batch: try Samples.batch(["a", "b"]), sequence: 1, generation: 5)).stage)
    // Applied, but its checkpoint was never saved.
    _ = try await sink.apply(Delivery(batch: try Samples.batch(["c", "d"]), sequence: 2, generation: 5))

    // The kernel frees a killed process's lock; here the process lives on.
    sink.lock.withLock { $0 = nil }
    sink = try await open()
    #expect(try await sink.openStage(generation: 5, resuming: one) == one)
    let two = try #require(
      try await sink.apply(Delivery(batch: try Samples.batch(["c", "d"]), sequence: 2, generation: 5)).stage)
    #expect(two.documents == 4)
    let publication = try await sink.publish(try Samples.proof(5), content: two)
    #expect(try await sink.shows(publication))
    #expect(try rows(try folder.connection("out.db")) == ["a", "b", "c", "d"])
    await sink.close()

    // The same documents in one go give the same content.
    let whole = try await publish(
      [try Samples.batch(["a", "b"]), try Samples.batch(["c", "d"])], generation: 6, try await open())
    #expect(whole.content == two)
  }

  @Test("a stage that is gone, shorter or another is begun anew")
  func beginsAnew() async throws {
    let empty = StageMark(length: 0, digest: RunningDigest().value, documents: 0)
    let damages = [
      "DROP TABLE users__sluice_stage_1", "DELETE FROM users__sluice_stage_1 WHERE key = 'a'",
      "UPDATE users__sluice_stage_1 SET document = '{}' WHERE key = 'a'",
      "UPDATE users__sluice_stage_1 SET update_time = 'x' WHERE key = 'b'",
      "UPDATE users__sluice_stage_1 SET rowid = 9 WHERE key = 'b'",
    ]
    for damage in damages {
      let sink = try await open()
      _ = try await sink.openStage(generation: 1, resuming: nil)
      let mark = try await sink.apply(
        Delivery(batch: try Samples.batch(["a", "b"]), sequence: 1, generation: 1)
      ).stage
      try folder.connection("out.db").execute(damage)
      #expect(try await sink.openStage(generation: 1, resuming: mark) == empty, "\(damage)")
      #expect(try folder.connection("out.db").first("SELECT count(*) FROM users__sluice_stage_1") { $0.int(0) } == 0)
    }
  }

  @Test("stages of other generations are removed, those of other tables are not")
  func removesStale() async throws {
    let other = try await open("users_2")
    _ = try await other.openStage(generation: 1, resuming: nil)
    let sink = try await open("Users")
    for generation in 1...3 as ClosedRange<UInt64> {
      _ = try await sink.openStage(generation: generation, resuming: nil)
    }
    #expect(try tables() == ["Users__sluice_stage_3", "users_2__sluice_stage_1"])
  }

  @Test("another stage than the checkpoint's is not published")
  func refusesOtherStage() async throws {
    let sink = try await open()
    _ = try await sink.openStage(generation: 1, resuming: nil)
    let mark = try #require(
      try await sink.apply(Delivery(batch: try Samples.batch(["a"]), sequence: 1, generation: 1)).stage)
    var other = mark
    other.digest.low ^= 1
    let error = try await failure { _ = try await sink.publish(try Samples.proof(1), content: other) }
    #expect(error.code == .stateConflict)
    #expect(try await sink.isEmpty())
    // A run that has only the swap left to do has not opened the stage.
    let next = try await open()
    #expect(try await next.publish(try Samples.proof(1), content: mark).content == mark)
  }

  @Test("a target that was changed behind our back no longer shows the publication")
  func looksAtTheTarget() async throws {
    let changes = [
      "DELETE FROM users", "DROP TABLE users", "DELETE FROM users WHERE key = 'a'",
      "UPDATE users SET document = '{}' WHERE key = 'a'", "INSERT INTO users (key, document) VALUES ('z', '{}')",
      "DELETE FROM _sluice_publications",
    ]
    for (index, change) in changes.enumerated() {
      let sink = try await open()
      let publication = try await publish([try Samples.batch(["a", "b"])], generation: UInt64(index + 1), sink)
      try folder.connection("out.db").execute("VACUUM")
      #expect(try await sink.shows(publication))
      try folder.connection("out.db").execute(change)
      #expect(try await !sink.shows(publication), "\(change)")
    }
  }

  @Test("the user's indexes, triggers and views outlive the swap")
  func keepsIndexes() async throws {
    let sink = try await open("us\"er s")
    try await publish([try Samples.batch(["a"])], generation: 1, sink)
    let user = try folder.connection("out.db")
    try user.execute(
      """
      CREATE INDEX "by name" ON "us""er s" (json_extract(document, '$.name'));
      CREATE UNIQUE INDEX once ON "us""er s" (key, document);
      CREATE TABLE log (key TEXT);
      CREATE TRIGGER noted AFTER DELETE ON "us""er s" BEGIN INSERT INTO log VALUES (old.key); END;
      CREATE TRIGGER elsewhere AFTER INSERT ON log BEGIN DELETE FROM "us""er s" WHERE key = new.key; END;
      CREATE VIEW names AS SELECT json_extract(document, '$.name') AS name FROM "us""er s"
      """)
    let publication = try await publish([try Samples.batch(["b", "c"])], generation: 2, sink)
    let names = try user.all(
      "SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL ORDER BY name"
    ) { $0.text(0) }
    #expect(names == ["by name", "elsewhere", "names", "noted", "once"])
    #expect(try user.all("SELECT name FROM names ORDER BY name") { $0.text(0) } == ["b", "c"])
    #expect(try await sink.shows(publication))
    try user.execute("DELETE FROM \"us\"\"er s\" WHERE key = 'b'")
    #expect(try user.all("SELECT key FROM log") { $0.text(0) } == ["b"])
  }

  @Test("an index that the new rows do not fit stops the swap, whole")
  func refusesByIndex() async throws {
    let sink = try await open()
    try await publish([try Samples.batch(["a"])], generation: 1, sink)
    try folder.connection("out.db").execute(
      "CREATE UNIQUE INDEX texts ON users (json_extract(document, '$.text'))")
    let error = try await failure { try await self.publish([try Samples.batch(["b", "c"])], generation: 2, sink) }
    #expect(error.code == .rejected && error.message.contains("texts"))
    #expect(try rows(try folder.connection("out.db")) == ["a"])
    #expect(try tables() == ["users", "users__sluice_stage_2"])
  }

  @Test("a table of another shape, or a view, is neither written nor replaced")
  func refusesOthers() async throws {
    let user = try folder.connection("out.db")
    try user.execute("CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'x')")
    try user.execute("CREATE VIEW v AS SELECT 1; CREATE TABLE more AS SELECT 1 AS key")
    for name in ["users", "v", "more", "USERS"] {
      let error = try await failure { _ = try await self.open(name) }
      #expect(error.code.category == .usage)
    }
    #expect(try user.first("SELECT name FROM users") { $0.text(0) } == "x")
    // Columns that the user added would be lost with the swap.
    let sink = try await open("mine")
    try await publish([try Samples.batch(["a"])], generation: 1, sink)
    try user.execute("ALTER TABLE mine ADD COLUMN note TEXT DEFAULT 'x'")
    _ = try await failure { try await self.publish([try Samples.batch(["b"])], generation: 2, sink) }
    #expect(try rows(user, "mine") == ["a"])
  }

  @Test("a key that comes again in a listing counts once, its newest document stays")
  func takesRepeats() async throws {
    let sink = try await open()
    let pages = [
      try Samples.batch(["a", "b"], "old"), try Samples.batch(["b", "c"], "new"), try Samples.batch(["d"], "new"),
    ]
    let publication = try await publish(pages, generation: 1, sink)
    #expect(publication.content.documents == 4)
    #expect(try await sink.shows(publication))
    let text = try folder.connection("out.db").first(
      "SELECT json_extract(document, '$.text') FROM users WHERE key = 'b'"
    ) { $0.text(0) }
    #expect(text == "new")
  }

  @Test("a set without documents is published too")
  func publishesNothing() async throws {
    let sink = try await open()
    try await publish([try Samples.batch(["a"])], generation: 1, sink)
    let empty = try await publish([], generation: 2, sink)
    #expect(try await sink.isEmpty())
    #expect(try await sink.shows(empty))
    // Also where the stage was opened by an earlier run.
    let mark = try await sink.openStage(generation: 3, resuming: nil)
    _ = try await open().publish(try Samples.proof(3), content: mark)
  }
}

extension ReplaceTests {
  @Test("two jobs that replace one table: the second is told, the first is not disturbed; another table is free")
  func oneStageAtATime() async throws {
    let first = try await open()
    _ = try await first.openStage(generation: 1, resuming: nil)
    let second = try await open()
    do {
      _ = try await second.openStage(generation: 7, resuming: nil)
      Issue.record("the second job began to replace the table too")
    } catch let error as SluiceError {
      #expect(error.code == .alreadyRunning)
      #expect(error.place.collection == "users")
    }
    let other = try await open("teams")
    _ = try await other.openStage(generation: 1, resuming: nil)
    await first.close()
    _ = try await second.openStage(generation: 7, resuming: nil)
    for adapter in [second, other] { await adapter.close() }
  }
}
