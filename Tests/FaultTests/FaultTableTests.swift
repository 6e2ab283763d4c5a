import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceFirestore
import SluicePaging
import SluiceTesting
import Synchronization
import Testing

@Suite(.needsBench, .faultServers, .timeLimit(.minutes(3))) struct FaultTableTests {
  @Test("the fault table: each mode ends as it should", arguments: FaultRow.table, FaultServers.Kind.allCases)
  func eachMode(row: FaultRow, kind: FaultServers.Kind) async throws {
    let servers = try #require(FaultServers.current)
    let run = try await FaultRun(servers, row.mode, kind)
    let report = run.report
    #expect(report.exitCode == row.exit, "\(report.outcome)")
    #expect(try servers.requests(of: row.mode, kind) == row.requests)
    #expect(report.duration >= .seconds(row.seconds))

    #expect(run.retries.count == row.attempts - 1)
    if row.isPatient {
      #expect(
        run.retries.allSatisfy { $0.delay >= .seconds(3) && $0.delay < .seconds(5) }, "\(run.retries.map(\.delay))")
    }
    if row.exit == 0 { try checkPublished(run, row) } else { try checkStopped(run, row) }
  }

  private func checkPublished(_ run: FaultRun, _ row: FaultRow) throws {
    var ids = BenchData.ids
    if row.losesPage {
      let start = (FaultRow.page - 1) * BenchData.pageSize
      ids.removeSubrange(start..<start + BenchData.pageSize)
      #expect(ids.count == 9_700)
    }
    #expect(run.report.counters.documents == ids.count)
    #expect(try run.publishedIDs() == ids)
    #expect(try run.folder.names() == ["users.jsonl"])
  }

  private func checkStopped(_ run: FaultRun, _ row: FaultRow) throws {
    let error = try #require(run.failure)
    if let code = row.code { #expect(error.code == code) }
    #expect(error.message.contains(row.cause), "\(error)")
    #expect(!error.message.isEmpty && !error.message.contains { $0.isNewline })
    #expect(error.place.page == row.place)
    #expect(error.place.collection == BenchData.collection)
    #expect(run.report.counters.documents <= (FaultRow.page) * BenchData.pageSize)
    #expect(run.report.sinks.allSatisfy { !$0.isPublished })
    #expect(try run.folder.text("users.jsonl") == FaultRun.before)
  }
}

/// One run of a mode, into a folder of its own that holds an older file.
struct FaultRun: Sendable {
  static let before = "what was published before\n"

  let folder: TemporaryFolder
  let report: RunReport
  let retries: [(delay: Duration, error: SluiceError)]

  init(_ servers: FaultServers, _ mode: String, _ kind: FaultServers.Kind) async throws {
    folder = try TemporaryFolder()
    try folder.write(Self.before, to: "users.jsonl")
    let log = RetryLog()
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) },
      observe: { event in
        if case .retry(_, _, let delay, let error) = event { log.add(delay, error) }
      })
    let plan = Self.plan(servers.address(of: mode, kind))
    report = await Engine(store: MemoryStateStore(), environment: environment).run(plan)
    retries = log.all
  }

  private static func plan(_ address: (project: String, endpoint: String)) -> JobPlan {
    var source = FirestoreConfig()
    source.project = address.project
    source.collection = BenchData.collection
    source.endpoint = address.endpoint
    var file = FileAdapter.Config()
    file.path = "users.jsonl"
    file.encoding = .typed
    return JobPlan(
      name: "users", source: AdapterPlan(Firestore.self, source), paging: PagingPlan(PageToken(.init())),
      sinks: [.init(name: "file", adapter: AdapterPlan(FileAdapter.self, file))])
  }

  /// The error it failed with.
  var failure: SluiceError? { if case .failed(let error) = report.outcome { error } else { nil } }

  /// The ids in the published file, in its order.
  func publishedIDs() throws -> [String] {
    let start = Array(#"{"key":""#.utf8)
    return try folder.read("users.jsonl").split(separator: 0x0A).map { line in
      let key = line.starts(with: start) && line.last == UInt8(ascii: "}") ? line.dropFirst(start.count) : []
      return String(decoding: key.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
  }
}

/// What a run tried again. Told from any task.
private final class RetryLog: Sendable {
  private let entries = Mutex<[(delay: Duration, error: SluiceError)]>([])

  func add(_ delay: Duration, _ error: SluiceError) { entries.withLock { $0.append((delay, error)) } }

  var all: [(delay: Duration, error: SluiceError)] { entries.withLock { $0 } }
}
