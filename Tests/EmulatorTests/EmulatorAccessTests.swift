import SluiceCore
import SluiceEngine
import SluiceFirestore
import SluicePaging
import Testing

@Suite(.needsEmulator, .timeLimit(.minutes(5))) struct EmulatorAccessTests {
  static let closed = """
    rules_version = '2';
    service cloud.firestore { match /databases/{database}/documents { match /{path=**} { allow read: if false; } } }
    """

  @Test("what the rules deny is permission_denied, exit 1, nothing published; the token `owner` passes")
  func rulesAndTokens() async throws {
    try await withEmulatorProject { emulator in
      try await emulator.write([Sample(path: "users/u1", fields: [Field("n", .int(1))])])
      try await emulator.setRules(Self.closed)
      let job = try ListingJob()
      let report = await job.run(emulator.config("users"), size: 10)
      #expect(report.exitCode == 1)
      let error = try #require(report.failure)
      #expect(error.code == .permissionDenied)
      #expect(error.message.hasPrefix("HTTP 403 PERMISSION_DENIED: "))
      #expect(!error.message.contains { $0.isNewline }, "\(error.message)")
      #expect(error.hint?.contains("rules") == true)
      #expect(error.place.collection == "users" && error.place.page == 1)
      #expect(!job.folder.exists("typed.jsonl") && !job.folder.exists("plain.jsonl"))
      #expect(report.counters.retries == 0)

      #expect(await job.run(emulator.config("users", token: "owner"), size: 10).exitCode == 0)
      #expect(try job.documents().map(\.key) == [Key("u1")])
      let other = await job.run(emulator.config("users", token: "marker-0815"), size: 10)
      #expect(other.exitCode == 1)
      #expect(!"\(other)".contains("marker-0815"))
    }
  }

  @Test func namesWithoutADocumentAreShownOnRequest() async throws {
    try await withEmulatorProject { emulator in
      try await emulator.write([
        Sample(path: "rooms/r1", fields: [Field("n", .int(1))]), Sample(path: "rooms/r2/messages/m1", fields: []),
        Sample(path: "rooms/ø#/messages/m1", fields: []),
      ])
      let job = try ListingJob()
      var config = emulator.config("rooms", token: "owner")
      #expect(await job.run(config, size: 1).exitCode == 0)
      #expect(try job.documents().map(\.key) == [Key("r1")])
      config.showMissing = true
      let shown = try ListingJob()
      #expect(await shown.run(config, size: 1).exitCode == 0)
      let documents = try shown.documents()
      #expect(documents.map(\.key) == [Key("r1"), Key("r2"), Key("ø#")])
      #expect(documents.map(\.isMissing) == [false, true, true])
    }
  }

  @Test func onlyTheFieldsAskedFor() async throws {
    try await withEmulatorProject { emulator in
      let inner = Value.map([Field("x", .int(1)), Field("y", .int(2))])
      try await emulator.write([
        Sample(
          path: "users/u1", fields: [Field("a", .int(1)), Field("b", .int(2)), Field("in", inner), Field("o d", .null)]),
        Sample(path: "users/u2", fields: [Field("b", .int(2))]),
      ])
      var config = emulator.config("users")
      config.fields = ["a", "in.y", "`o d`"]
      let job = try ListingJob()
      #expect(await job.run(config, size: 1).exitCode == 0)
      let fields = try job.documents().map { Value.map($0.fields.materialized) }
      #expect(
        fields == [
          .map([Field("a", .int(1)), Field("in", .map([Field("y", .int(2))])), Field("o d", .null)]), .map([]),
        ])
    }
  }
}

@Suite(.needsEmulator, .timeLimit(.minutes(5))) struct EmulatorPositionTests {
  /// Follows page tokens, but names one that no server made, so many times, where page 2 would follow.
  struct SpoiledToken: PagingStrategy {
    struct Config: Configurable {
      var spoils = 1
      static let spec = ConfigSpec<Config>("For tests.", [])
    }
    static let name = "spoiled_token"
    static let summary = "For tests."
    static let position = PagePosition.Kind.token
    let pageSize = 2
    private let left: Countdown

    init(_ config: Config) { left = Countdown(config.spoils) }

    func step(after signals: PageSignals, of request: PageRequest) -> PagingStep {
      guard let token = signals.nextToken else { return .end(.noToken) }
      return .next(.token(request.position == .start && left.next() ? "garbage" : token))
    }
  }

  private static func samples() -> [Sample] {
    (0..<5).map { Sample(path: "users/u\($0)", fields: [Field("n", .int(Int64($0)))]) }
  }

  @Test func aRefusedTokenIsDroppedAndTheListingBeginsAnew() async throws {
    try await withEmulatorProject { emulator in
      try await emulator.write(Self.samples())
      let job = try ListingJob()
      let report = await job.run(emulator.config("users"), PagingPlan(SpoiledToken(.init())))
      #expect(report.exitCode == 0, "\(report.outcome)")
      #expect(
        report.notes.contains { $0.contains("begins anew") && $0.contains("invalid page token") }, "\(report.notes)")
      #expect(try job.documents().map(\.key) == (0..<5).map { Key("u\($0)") })
    }
  }

  @Test func onRequestItFailsAndTheNextRunBeginsAtPageOne() async throws {
    try await withEmulatorProject { emulator in
      try await emulator.write(Self.samples())
      let job = try ListingJob()
      let paging = PagingPlan(SpoiledToken(.init()))
      let report = await job.run(emulator.config("users"), paging, onPositionLost: .fail)
      #expect(report.exitCode == 1)
      let error = try #require(report.failure)
      #expect(error.code == .positionLost)
      #expect(error.message.contains("HTTP 400 INVALID_ARGUMENT: invalid page token"))
      #expect(error.place.collection == "users" && error.place.page == 2)
      #expect(!job.folder.exists("typed.jsonl"))
      let next = await job.run(emulator.config("users"), paging)
      #expect(next.exitCode == 0 && next.resumedPages == 0)
      #expect(try job.documents().count == 5)
    }
  }

  @Test func aTokenThatIsNeverTakenEndsTheRunAfterTheSecondTry() async throws {
    try await withEmulatorProject { emulator in
      try await emulator.write(Self.samples())
      let job = try ListingJob()
      let report = await job.run(emulator.config("users"), PagingPlan(SpoiledToken(.init(spoils: 10))))
      #expect(report.failure?.code == .positionLost)
      #expect(report.exitCode == 1)
      #expect(!job.folder.exists("typed.jsonl"))
    }
  }
}
