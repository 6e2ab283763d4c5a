import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceFirestore
import SluiceTesting
import Testing

@Suite struct FirestoreFaultTests {
  struct Expectation: Sendable, CustomTestStringConvertible {
    var mode: String
    var exit: Int32
    var code: SluiceError.Code?
    var documents = 200
    var requests: Int?
    var page: Int?
    var testDescription: String { mode }
  }

  /// Ten pages of twenty; the fault befalls page 5.
  static let table: [Expectation] = [
    .init(mode: "ok", exit: 0, requests: 10),
    .init(mode: "loop", exit: 3, code: .loopDetected, requests: 5, page: 5),
    .init(mode: "loop2", exit: 3, code: .loopDetected, requests: 6, page: 6),
    .init(mode: "sameTokenForever", exit: 3, code: .loopDetected, requests: 2, page: 2),
    .init(mode: "r429", exit: 0, requests: 12),
    .init(mode: "r503", exit: 0, requests: 12),
    .init(mode: "r500", exit: 0, requests: 12),
    .init(mode: "r429forever", exit: 1, requests: 9, page: 5),
    .init(mode: "r503forever", exit: 1, requests: 9, page: 5),
    .init(mode: "cut", exit: 0, requests: 11),
    .init(mode: "cutforever", exit: 1, code: .network, requests: 9, page: 5),
    .init(mode: "drop", exit: 0),
    .init(mode: "dropforever", exit: 1, code: .network, page: 5),
    .init(mode: "bad", exit: 1, code: .malformedData, requests: 9, page: 5),
    .init(mode: "bad1", exit: 0, requests: 11),
    .init(mode: "html", exit: 1, code: .malformedData, requests: 9, page: 5),
    .init(mode: "html1", exit: 0, requests: 11),
    .init(mode: "emptyBody", exit: 1, requests: 9, page: 5),
    .init(mode: "emptyBody1", exit: 0, requests: 11),
    .init(mode: "empty", exit: 0, documents: 180, requests: 10),
    .init(mode: "r401", exit: 1, code: .unauthenticated, requests: 5, page: 5),
    .init(mode: "ignorePageSize", exit: 0),
    .init(mode: "cap", exit: 0, requests: 20),
    .init(mode: "slow", exit: 0, requests: 10),
  ]

  @Test(arguments: table) func eachFaultEndsAsItShould(expected: Expectation) async throws {
    let bench = try FirestoreBench()
    try bench.seed(200)
    bench.server.script(try .named(expected.mode, retryAfter: 0))
    let report = await bench.run(size: 20)
    #expect(report.exitCode == expected.exit)
    if let code = expected.code { #expect(report.failure?.code == code) }
    if let requests = expected.requests { #expect(bench.lists.count == requests) }
    if expected.exit == 0 {
      #expect(bench.sink.documents.count == expected.documents)
      #expect(bench.sink.publications == 1)
    } else {
      #expect(bench.sink.publications == 0)
      #expect(report.failure?.place.page == expected.page)
      #expect(report.failure?.place.collection == "users" || expected.exit == 3)
    }
  }

  @Test func theServersPatienceIsHonoured() async throws {
    let bench = try FirestoreBench()
    try bench.seed(200)
    bench.server.script(try .named("r429", retryAfter: 1))
    var retry = FirestoreBench.quick
    retry.maxDelay = .seconds(60)
    #expect(await bench.run(size: 20, retry: retry).exitCode == 0)
    let delays = bench.retries.withLock { $0.map(\.delay) }
    #expect(delays.count == 2)
    #expect(delays.allSatisfy { $0 >= .seconds(1) && $0 < .seconds(2) })
  }

  @Test func aServerThatNeverListensIsAnError() async throws {
    let bench = try FirestoreBench()
    var config = bench.config()
    config.endpoint = "127.0.0.1:1"
    let report = await bench.run(config)
    #expect(report.exitCode == 1)
    #expect(report.failure?.code == .network)
    #expect(report.failure?.place.origin == "http://127.0.0.1:1")
  }
}

extension RunReport {
  /// The error it failed with.
  var failure: SluiceError? { if case .failed(let error) = outcome { error } else { nil } }
}
