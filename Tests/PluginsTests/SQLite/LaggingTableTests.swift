import Foundation
import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceMemory
import SluicePaging
import SluiceTesting
import Synchronization
import Testing

@testable import SluiceSQLite

/// Jobs with two sinks, with their state in SQLite. Another program's lock holds one of them, a table, back.
@Suite("A table that lags", .timeLimit(.minutes(5))) struct LaggingTableTests {
  enum Other: String, CaseIterable { case table, replacedTable, file }

  let folder: TemporaryFolder
  private let source: MemoryStore

  init() throws {
    folder = try TemporaryFolder()
    // The folder's name is unique, and so is the store's.
    source = MemoryStore.named(folder.path)
  }

  @Test("gets what the other sink got, and loses what is gone", arguments: Other.allCases)
  func catchesUp(other: Other) async throws {
    try fill(0..<100)
    _ = try await run(other, lockingAt: 3)
    try expect(0..<100, other)
    let numbers = Array(0..<100).filter { $0 % 25 != 3 } + [200]
    for number in stride(from: 3, to: 100, by: 25) { source.delete(Key("k\(1000 + number)")) }
    try fill([200])
    let report = try await run(other, lockingAt: 2)
    try expect(numbers, other)
    #expect(report.sinks[1].deletes == 4)
    #expect(report.sinks[1].writes == 1)
    let again = try await run(other, lockingAt: nil)
    #expect(again.sinks.map(\.writes) == [0, 0])
    #expect(again.sinks.map(\.spooled) == [0, 0])
  }

  private func fill(_ numbers: some Sequence<Int>) throws {
    var builder = BatchBuilder()
    for number in numbers { builder.add(key: "k\(1000 + number)", ["n": .int(Int64(number))]) }
    for case .upsert(let document) in try builder.finish() { source.upsert(document) }
  }

  private func expect(_ numbers: some Sequence<Int>, _ other: Other) throws {
    let keys = numbers.map { "k\(1000 + $0)" }.sorted()
    let read = { (name: String) in
      try self.folder.connection(name).all("SELECT key FROM users ORDER BY key") { $0.text(0) }
    }
    #expect(try read("slow.db") == keys)
    if other == .file {
      #expect(try folder.text("fast.jsonl").split(separator: "\n").count == keys.count)
    } else {
      #expect(try read("fast.db") == keys)
    }
    #expect(try folder.connection("state.db").first("SELECT count(*) FROM spool") { $0.int(0) } == 0)
  }

  /// Runs the job. From a page on, the table is locked until the source is read to its end.
  private func run(_ other: Other, lockingAt page: Int?) async throws -> RunReport {
    let lock = TableLock(try folder.connection("slow.db", busyTimeout: 2_000))
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) },
      observe: { event in
        guard case .progress(_, let counters, _) = event else { return }
        if counters.pages == page { lock.take() }
        if counters.pages == 10 { lock.free() }
      })
    var settings = SQLiteStateStore.Config()
    settings.path = "state.db"
    let store = try await SQLiteStateStore(settings, context: StateContext(baseDirectory: folder.path))
    let report = await Engine(store: store, environment: environment).run(plan(other))
    await store.close()
    #expect(report.exitCode == 0, "\(report.outcome)")
    if page != nil {
      #expect(report.sinks[1].spooled > 0)
      #expect(report.sinks[0].spooled == 0)
    }
    return report
  }

  private func plan(_ other: Other) -> JobPlan {
    var source = MemoryAdapter.Config()
    source.name = folder.path
    var paging = PageToken.Config()
    paging.size = 10
    var file = FileAdapter.Config()
    file.path = "fast.jsonl"
    let first =
      switch other {
      case .table: table("fast.db", .inPlace)
      case .replacedTable: table("fast.db", .replace)
      case .file: AdapterPlan(FileAdapter.self, file)
      }
    // On a busy machine the lock is held for as long as the source's pages take.
    var patience = RetrySettings()
    patience.attempts = 1_000
    patience.maxDelay = .milliseconds(100)
    return JobPlan(
      name: "job", source: AdapterPlan(MemoryAdapter.self, source), paging: PagingPlan(PageToken(paging)),
      sinks: [
        JobPlan.SinkPlan(name: "fast", adapter: first),
        JobPlan.SinkPlan(name: "slow", adapter: table("slow.db", .inPlace)),
      ], mode: .mirror, retry: patience)
  }

  private func table(_ path: String, _ publish: SQLiteAdapter.Publish) -> AdapterPlan {
    var config = SQLiteAdapter.Config()
    config.path = path
    config.table = "users"
    config.publish = publish
    return AdapterPlan(SQLiteAdapter.self, config)
  }
}

/// Another program's lock on a database.
private final class TableLock: Sendable {
  private struct State {
    // Used under the mutex only.
    nonisolated(unsafe) let connection: Connection
  }

  private let state: Mutex<State>

  init(_ connection: sending Connection) { state = Mutex(State(connection: connection)) }

  func take() {
    state.withLock { state in
      do { try state.connection.execute("BEGIN IMMEDIATE") } catch { Issue.record(error) }
    }
  }

  func free() { state.withLock { $0.connection.rollBack() } }
}
