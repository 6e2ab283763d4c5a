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
    /// Documents a page.
    var size = 20
    /// What the error says.
    var cause: String?
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
    .init(mode: "loop3", exit: 3, code: .loopDetected, requests: 7, page: 7),
    .init(mode: "loop50", exit: 3, code: .loopDetected, requests: 54, page: 54, size: 2),
    .init(mode: "emptyForever", exit: 3, code: .loopDetected, requests: 10, page: 10),
    .init(mode: "emptyToken", exit: 0, requests: 10),
    .init(mode: "nullToken", exit: 0, requests: 10),
    .init(mode: "tokenAtEnd", exit: 3, code: .loopDetected, requests: 10, page: 10),
    .init(mode: "ignoreToken", exit: 3, requests: 2),
    .init(mode: "endsHere", exit: 0, documents: 100, requests: 5),
    .init(mode: "saysPage1", exit: 0, requests: 10),
    .init(mode: "overlap", exit: 0, requests: 10),
    .init(mode: "fixedPageSize", exit: 0, requests: 10),
    .init(mode: "insertBefore", exit: 0, requests: 10),
    .init(mode: "deleteBefore", exit: 0, requests: 10),
    .init(mode: "idleClose", exit: 0, requests: 10),
    .init(mode: "r401once", exit: 1, code: .unauthenticated, requests: 5, page: 5),
    .init(mode: "r429date", exit: 0, requests: 12),
    .init(mode: "r429rubbish", exit: 0, requests: 12),
    .init(mode: "r503date", exit: 0, requests: 12),
    // The listing begins anew.
    .init(mode: "refuseToken", exit: 0, requests: 15),
    .init(mode: "expiredReadTime", exit: 1, requests: 5, page: 5, cause: "read_time"),
    .init(mode: "html502", exit: 1, requests: 9, page: 5, cause: "502"),
    .init(mode: "html502once", exit: 0, requests: 11),
    .init(mode: "reset", exit: 1, code: .network, requests: 9, page: 5, cause: "broke"),
    .init(mode: "reset1", exit: 0, requests: 11),
    .init(mode: "tooShort", exit: 1, code: .malformedData, requests: 9, page: 5, cause: "ends too early"),
    .init(mode: "tooShort1", exit: 0, requests: 11),
    .init(mode: "gzip", exit: 0, requests: 10),
    .init(mode: "gzip1", exit: 0, requests: 10),
    .init(mode: "gzipCut", exit: 1, code: .malformedData, requests: 9, page: 5, cause: "ends too early"),
    .init(mode: "gzipCut1", exit: 0, requests: 11),
    .init(mode: "bomb", exit: 1, code: .limitExceeded, requests: 5, page: 5, cause: "after decoding"),
    .init(mode: "bomb1", exit: 1, code: .limitExceeded, requests: 5, page: 5),
    .init(mode: "hugeHead", exit: 1, code: .limitExceeded, requests: 5, page: 5, cause: "head is longer"),
    .init(mode: "hugeHead1", exit: 1, code: .limitExceeded, requests: 5, page: 5),
    .init(mode: "hugeHeadLine", exit: 1, code: .limitExceeded, requests: 5, page: 5, cause: "head is longer"),
    .init(mode: "hugeHeadLine1", exit: 1, code: .limitExceeded, requests: 5, page: 5),
  ]

  /// Those that only a limit on time ends: the page is asked for twice, and lost for the second time or found.
  static let stalls: [(mode: String, cause: String)] = [
    ("stall", "for the first byte"), ("stallHead", "for the first byte"), ("stallBody", "for idling"),
    ("dripHead", "limit for"), ("dripBody", "limit for the whole request"), ("tooLong", "for idling"),
  ]

  @Test("every named script is in one of the tables")
  func names() {
    let listed = Self.table.map(\.mode) + Self.stalls.flatMap { [$0.mode, $0.mode + "1"] }
    #expect(listed.sorted() == FaultScript.names)
  }

  @Test("C134 a page that stalls or drips is given up at its limit, and asked for again", arguments: stalls, ["", "1"])
  func eachStallEndsAtItsLimit(stall: (mode: String, cause: String), once: String) async throws {
    let bench = try FirestoreBench()
    try bench.seed(200)
    bench.server.script(try .named(stall.mode + once))
    var http = HTTPSettings()
    http.firstByteTimeout = .milliseconds(1200)
    http.idleTimeout = .milliseconds(1200)
    http.totalTimeout = .seconds(3)
    var retry = FirestoreBench.quick
    retry.attempts = 2
    let report = await bench.run(size: 20, retry: retry, http: http)
    #expect(bench.server.log.requestsPerPage()[5] == 2)
    if once.isEmpty {
      #expect(report.exitCode == 1)
      #expect(report.failure?.code == .timeout)
      #expect(report.failure?.message.contains(stall.cause) == true, "\(report.outcome)")
      #expect(report.failure?.place.page == 5)
      #expect(bench.sink.publications == 0)
    } else {
      #expect(report.exitCode == 0, "\(report.outcome)")
      #expect(bench.sink.documents.count == 200)
    }
  }

  @Test("gzip that is cut within right framing is said to be possibly cut, and no page is taken for whole")
  func cutGzip() async throws {
    let bench = try FirestoreBench()
    try bench.seed(200)
    bench.server.script(try .named("gzipCut"))
    let report = await bench.run(size: 20)
    #expect(report.failure?.retry == .transient)
    #expect(report.failure?.hint?.contains("came compressed") == true, "\(report.outcome)")
    #expect(bench.retries.withLock { $0.count } == 4)
    #expect(bench.sink.publications == 0)
  }

  @Test("C78 status 200 with an empty body at page 3: asked for again, then failed, and nothing is deleted")
  func emptyBody() async throws {
    let bench = try FirestoreBench()
    try bench.seed(100)
    #expect(await bench.run(size: 20, publish: .inPlace, mode: .mirror).exitCode == 0)
    try bench.server.store.delete("users/d0000")
    bench.server.script(try .named("emptyBody", page: 3))
    bench.server.log.reset()
    let report = await bench.run(size: 20, publish: .inPlace, mode: .mirror)
    #expect(report.exitCode == 1)
    #expect(report.failure?.message.contains("empty body") == true, "\(report.outcome)")
    #expect(bench.server.log.requestsPerPage() == [1: 1, 2: 1, 3: 5])
    #expect(bench.sink.documents.count == 100)
    #expect(bench.sink.deletes == 0)
    bench.server.script(FaultScript())
    #expect(await bench.run(size: 20, publish: .inPlace, mode: .mirror).exitCode == 0)
    #expect(bench.sink.documents.count == 99)
  }

  @Test("C79 a login page with status 200 is an error that says what came instead of JSON, secrets left out")
  func loginPage() async throws {
    let bench = try FirestoreBench()
    try bench.seed(3)
    let page = "<html>login marker-0815 \(String(repeating: "x", count: 200))</html>"
    bench.server.script(
      FaultScript(FaultRule(.any, .answer(status: 200, contentType: "text/html; charset=utf-8", body: page))))
    var config = bench.config()
    config.token = Secret("marker-0815")
    let report = await bench.run(config)
    #expect(report.exitCode == 1)
    let error = try #require(report.failure)
    #expect(error.code == .malformedData)
    #expect(error.message.contains("expected JSON, found text/html: \"<html>login *** xxx"), "\(error.message)")
    // 80 bytes of the page, not more.
    #expect(error.message.utf8.count < 200)
    #expect(error.place.origin == bench.server.origin && error.place.page == 1)
  }

  @Test("C07 everything but position and page size is the same on each page, and in a resumed run")
  func frozen() async throws {
    let bench = try FirestoreBench()
    try bench.seed(100)
    var config = bench.config()
    config.fields = ["n", "other"]
    config.showMissing = true
    bench.server.script(try .named("dropforever", page: 3))
    #expect(await bench.run(config, size: 20).exitCode == 1)
    bench.server.script(FaultScript())
    let before = bench.lists.count
    #expect(await bench.run(config, size: 20).exitCode == 0)
    #expect(bench.lists[before].parameter("pageToken") != nil, "it began anew")
    let queries = bench.lists.map { request in
      request.query.filter { !["pageToken", "pageSize"].contains($0.name) }.map { "\($0.name)=\($0.value)" }
    }
    #expect(Set(queries).count == 1)
    #expect(
      queries[0].sorted() == ["mask.fieldPaths=n", "mask.fieldPaths=other", "prettyPrint=false", "showMissing=true"])
  }

  @Test(arguments: table) func eachFaultEndsAsItShould(expected: Expectation) async throws {
    let bench = try FirestoreBench()
    try bench.seed(200)
    bench.server.script(try .named(expected.mode, retryAfter: 0))
    var http = HTTPSettings()
    http.maxBodyBytes = ByteCount(1 << 20)
    let report = await bench.run(size: expected.size, http: http)
    #expect(report.exitCode == expected.exit, "\(report.outcome)")
    if let code = expected.code { #expect(report.failure?.code == code) }
    if let requests = expected.requests { #expect(bench.lists.count == requests) }
    if expected.exit == 0 {
      #expect(bench.sink.documents.count == expected.documents)
      #expect(bench.sink.publications == 1)
    } else {
      #expect(bench.sink.publications == 0)
      if let page = expected.page { #expect(report.failure?.place.page == page) }
      if let cause = expected.cause {
        #expect(report.failure?.message.contains(cause) == true, "\(report.outcome)")
      }
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
