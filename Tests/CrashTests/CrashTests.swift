import FirestoreServer
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

@testable import SluiceSQLite

/// `kill -9` at random points, by a seed; the program is run again until it ends. See `Drill` for what must hold.
@Suite("kill -9", .serialized) struct CrashTests {
  @Test("a file and a table that are replaced, killed at 50 points of long listings")
  func replacingLong() async throws { try await long(.replacing, documents: 3_000, pageSize: 30, kills: 50, seed: 1) }

  @Test("a file and a table that are replaced, killed at 50 points around their publishing")
  func replacingShort() async throws {
    try await short(.replacing, kills: 50, seed: 2) { random in
      let delay = Int.random(in: 0..<5_000, using: &random)
      return switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: KillPoint(event: .fileReplaced)
      case 2: KillPoint(event: .fileReplaced, delay: delay)
      case 3, 4: KillPoint(event: .tableSwapped)
      case 5: KillPoint(event: .tableSwapped, delay: delay)
      case 6, 7: KillPoint(event: .started, delay: delay * 10)
      default: KillPoint(event: .requested(3), delay: delay * 2)
      }
    }
  }

  @Test("a table that mirrors in place, killed at 50 points of long listings")
  func inPlaceLong() async throws { try await long(.inPlace, documents: 2_000, pageSize: 25, kills: 50, seed: 3) }

  @Test("a table that mirrors in place, killed at 50 points around its commits and deletes")
  func inPlaceShort() async throws {
    try await short(.inPlace, kills: 50, seed: 4) { random in
      let delay = Int.random(in: 0..<5_000, using: &random)
      return switch Int.random(in: 0..<10, using: &random) {
      case 0..<5: KillPoint(event: .tableCommitted(.random(in: 1...4, using: &random)))
      case 5, 6: KillPoint(event: .tableCommitted(.random(in: 1...4, using: &random)), delay: delay)
      case 7: KillPoint(event: .started, delay: delay * 10)
      default: KillPoint(event: .requested(.random(in: 2...3, using: &random)), delay: delay * 2)
      }
    }
  }

  @Test("a file that is replaced beside a table in place, killed at 25 points of long listings")
  func mixed() async throws { try await long(.mixed, documents: 1_000, pageSize: 25, kills: 25, seed: 5) }

  @Test("a table that lags behind a file, killed at 30 points of its listings")
  func lagging() async throws {
    let server = try FirestoreServer()
    defer { server.stop() }
    var random = SeededGenerator(seed: 6)
    var population = try Population(server, count: 400, seed: 6)
    var drill = try Drill(server, .mixed, pageSize: 10)
    while drill.kills < 30 {
      let points = (0..<8).map { number in
        // At some page, and while only the table has something left to do.
        KillPoint(
          event: number % 3 == 2 ? .started : .requested(.random(in: 1...8, using: &random)),
          delay: .random(in: 0..<(number % 3 == 2 ? 150_000 : 700_000), using: &random))
      }
      try await drill.round(points, lagging: true)
      try population.change(added: 8, changed: 40, gone: 10)
    }
    #expect(drill.killsWhileWaiting > 5, "too few kills came while the table lagged")
    #expect(drill.killsAtEnd > 0)
  }

  @Test("C97 memory does not grow with what waits for a table that is locked")
  func memory() async throws {
    let server = try FirestoreServer()
    defer { server.stop() }
    let requests = ListRequests()
    server.script(requests.script)
    let workshop = try Workshop(
      server,
      job: """
        paging: { page_token: { size: 25 } }
        retry: { attempts: 100, max_delay: 500ms }
        limits: { reads_per_run: unlimited }
        sinks:
          - file: { path: out/users.jsonl }
          - sqlite: { path: out/users.db, table: users }
        """)
    func fill(_ numbers: Range<Int>) throws {
      for number in numbers {
        try server.store.set(
          "users/\(10_000 + number)", [Field("text", .string(String(repeating: "x", count: 20_000)))])
      }
    }
    // The table has to be there before it can be locked.
    try fill(0..<50)
    try #require(await (try workshop.start()).wait().exitCode == 0)
    try fill(50..<3_000)
    let before = requests.count
    let lock = try Connection(path: workshop.folder.file("out/users.db"), creating: false, synchronous: .normal)
    let child = try workshop.start()
    async let end: Void = {
      _ = await child.wait()
      requests.release()
    }()
    await requests.reached(before + 5)
    try lock.execute("BEGIN IMMEDIATE")
    let small = try #require(PeakMemory.of(child))
    await requests.reached(before + 120)
    let full = PeakMemory.of(child) ?? 0
    lock.rollBack()
    let peak = await PeakMemory.atEnd(of: child) ?? 0
    await end
    let result = await child.wait()
    try #require(result.exitCode == 0, "\(result.errorText)")
    let reports = try #require(JSON.parse(result.outputText).items)
    let waited = try #require(reports.first?["sinks"]?.items?.last?["spooled_bytes"]?.int)
    #expect(waited > 40_000_000, "only \(waited) bytes waited")
    #expect(peak - small < waited / 2, "\(small) bytes became \(full), then \(peak), while \(waited) waited")
  }

  private func long(_ kind: Drill.Kind, documents: Int, pageSize: Int, kills: Int, seed: UInt64) async throws {
    let server = try FirestoreServer()
    defer { server.stop() }
    var random = SeededGenerator(seed: seed)
    var population = try Population(server, count: documents, seed: seed)
    var drill = try Drill(server, kind, pageSize: pageSize)
    let pages = documents / pageSize
    while drill.kills < kills {
      let points = (0..<10).map { _ in
        KillPoint(
          event: .requested(.random(in: 1...pages / 5, using: &random)), delay: .random(in: 0..<5_000, using: &random))
      }
      try await drill.round(points)
      try population.change(added: documents / 50, changed: documents / 10, gone: documents / 40)
    }
    #expect(drill.looks > 0)
  }

  private func short(
    _ kind: Drill.Kind, kills: Int, seed: UInt64, _ point: (inout SeededGenerator) -> KillPoint
  ) async throws {
    let server = try FirestoreServer()
    defer { server.stop() }
    var random = SeededGenerator(seed: seed)
    var population = try Population(server, count: 60, seed: seed)
    var drill = try Drill(server, kind, pageSize: 20)
    var rounds = 0
    while drill.kills < kills {
      try await drill.round((0..<5).map { _ in point(&random) }, observing: false)
      // Every third round there is nothing new: what is shown is left as it is, and that can be killed too.
      rounds += 1
      if rounds % 3 != 0 { try population.change(added: 3, changed: 5, gone: 3) }
    }
    #expect(drill.killsAtEnd > 5, "too few kills came after the last page")
    if kind == .inPlace {
      #expect(drill.killsBetweenCommits > 0, "none came between the table's commit and the state's")
    }
  }
}
