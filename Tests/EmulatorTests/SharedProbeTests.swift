import FirestoreServer
import SluiceCore
import SluiceEngine
import Testing

/// The embedded server and Google's emulator, given the same documents and asked the same.
@Suite(.needsEmulator, .timeLimit(.minutes(3))) struct SharedProbeTests {
  /// An embedded server with the emulator's page sizes.
  private static func embedded(project: String) throws -> (server: FirestoreServer, remote: RemoteFirestore) {
    var configuration = Configuration()
    configuration.defaultPageSize = 30
    configuration.maximumPageSize = 150
    let server = try FirestoreServer(configuration: configuration)
    return (server, try RemoteFirestore(origin: server.origin, project: project))
  }

  @Test func bothListTheSameDocuments() async throws {
    try await withEmulatorProject { emulator in
      let (server, embedded) = try Self.embedded(project: emulator.project)
      defer { server.stop() }
      let samples = EveryKind.documents(root: emulator.root)
      try await emulator.write(samples)
      try await embedded.write(samples)
      var listings: [[Document]] = []
      for remote in [emulator, embedded] {
        let job = try ListingJob()
        let report = await job.run(remote.config("kinds"), size: 150)
        #expect(report.exitCode == 0, "\(report.outcome)")
        #expect(report.spending.requests == 7)
        listings.append(try job.documents())
      }
      #expect(try await embedded.count(of: "kinds") == 1_000)
      try #require(listings[0].map(\.key) == listings[1].map(\.key))
      for (real, own) in zip(listings[0], listings[1]) {
        // The emulator loses the sign of −0.0; nothing else may differ.
        let own = Value.map(own.fields.materialized)
        #expect(Value.map(real.fields.materialized) == own.stored(losingSignOfZero: true), "\(real.key)")
      }
    }
  }

  struct Probe: Sendable, CustomTestStringConvertible {
    var path: String
    var query: [(String, String)] = []
    var database = "(default)"
    var testDescription: String { path + query.map { " \($0.0)=\($0.1)" }.joined() }
  }

  /// What the server's own tests do not ask.
  static let probes: [Probe] = [
    .init(path: "/users"), .init(path: "/users", query: [("pageSize", "0")]),
    .init(path: "/users", query: [("pageSize", "7")]), .init(path: "/users", query: [("pageSize", "1000")]),
    .init(path: "/users", query: [("mask.fieldPaths", "a"), ("mask.fieldPaths", "m.x")]),
    .init(path: "/users", query: [("mask.fieldPaths", "nowhere")]),
    .init(path: "/users", query: [("mask.fieldPaths", "a b")]),
    .init(path: "/users", query: [("mask.fieldPaths", "`a b`")]), .init(path: "/users", query: [("orderBy", "a")]),
    .init(path: "/users", query: [("orderBy", "n"), ("pageSize", "3")]), .init(path: "/nothing"),
    .init(path: "/users/u01"), .init(path: "/users/is-not-there"), .init(path: "/users/phantom"),
    .init(path: "/users/u01", query: [("mask.fieldPaths", "m")]), .init(path: "/users/a%7Cb"),
    .init(path: "/users/50%25"), .init(path: "/users/t%3A15"), .init(path: "/users/%2E"),
    .init(path: "/users", database: "elsewhere"),
  ]

  @Test func bothAnswerTheSame() async throws {
    try await withEmulatorProject { emulator in
      let (server, embedded) = try Self.embedded(project: emulator.project)
      defer { server.stop() }
      let samples = Self.samples()
      try await emulator.write(samples)
      try await embedded.write(samples)
      for probe in Self.probes {
        let real = try await emulator.database(probe.database).ask(.get, probe.path, query: probe.query)
        let own = try await embedded.database(probe.database).ask(.get, probe.path, query: probe.query)
        #expect(own.status == real.status, "\(probe.testDescription)")
        #expect(own.errorStatus == real.errorStatus, "\(probe.testDescription)")
        guard real.status == 200 else { continue }
        #expect(try own.json.withoutChance == real.json.withoutChance, "\(probe.testDescription)")
        #expect(
          try (own.json["nextPageToken"] == nil) == (real.json["nextPageToken"] == nil), "\(probe.testDescription)")
      }
    }
  }

  private static func samples() -> [Sample] {
    let ids = (0..<40).map { $0 < 10 ? "u0\($0)" : "u\($0)" } + ["a|b", "50%", "t:15", "__id5__"]
    return ids.enumerated().map { number, id in
      var fields = [
        Field("n", .int(Int64(number))),
        Field("m", .map([Field("x", .double(Double(number) / 3)), Field("y", .null)])),
      ]
      if number.isMultiple(of: 3) { fields.append(Field("a", .string(id))) }
      return Sample(path: "users/\(id)", fields: fields)
    } + [Sample(path: "users/u01/reviews/r1", fields: []), Sample(path: "users/phantom/reviews/r1", fields: [])]
  }
}

extension Value {
  /// The JSON of an answer without what is each server's own: tokens and times of writing.
  var withoutChance: Value {
    switch self {
    case .array(let items): return .array(items.map(\.withoutChance))
    case .map(let fields):
      let own = ["nextPageToken", "createTime", "updateTime", "readTime"]
      return .map(fields.filter { !own.contains($0.name) }.map { Field($0.name, $0.value.withoutChance) })
    default: return self
    }
  }
}
