import SluiceCore
import SluiceTesting
import Synchronization
import Testing

@testable import SluiceHTTP

@Suite("Retries", .timeLimit(.minutes(5)))
struct RetryTests {
  /// Answers each request with the next of `answers`, then with 200.
  private func server(_ answers: [(Int, [String])]) throws -> ScriptedServer {
    let left = Remaining(answers)
    return try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        if let (status, headers) = left.next() {
          try connection.respond(status, headers: headers, text: "later")
        } else {
          try connection.respond(text: "ok")
        }
      }
    }
  }

  private final class Remaining: Sendable {
    private let answers: Mutex<[(Int, [String])]>
    init(_ answers: [(Int, [String])]) { self.answers = Mutex(answers) }
    func next() -> (Int, [String])? { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
  }

  private final class Seen: Sendable {
    let events = Mutex<[RetryEvent]>([])
    var all: [RetryEvent] { events.withLock { $0 } }
  }

  private func client(
    _ clock: ManualClock, _ seen: Seen = Seen(), random: Double = 0.5, _ change: (inout RetryPolicy) -> Void = { _ in }
  ) throws -> HTTPClient {
    var policy = RetryPolicy()
    change(&policy)
    return HTTPClient(
      try HTTPTransport(),
      retrying: Retrying(policy, clock: clock, random: { random }) { event in seen.events.withLock { $0.append(event) }
      })
  }

  @Test("a passing fault is repeated with growing waits, each reported, until it passes")
  func transient() async throws {
    let server = try server([(500, []), (502, []), (504, []), (408, [])])
    let clock = ManualClock(skipsSleeps: true)
    let seen = Seen()
    let response = try await client(clock, seen).send(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(response.status == 200)
    #expect(server.requests.count == 5)
    #expect(clock.sleeps.map(\.clampedNanoseconds) == [100_000_000, 130_000_000, 169_000_000, 219_700_000])
    #expect(seen.all.map(\.attempt) == [1, 2, 3, 4])
    #expect(seen.all.map(\.delay) == clock.sleeps)
    #expect(seen.all[0].error.message == "GET /: answered with status 500")
  }

  @Test("the tries are bounded, and the last error is thrown")
  func bounded() async throws {
    let server = try server(Array(repeating: (503, []), count: 100))
    let clock = ManualClock(skipsSleeps: true)
    let error = try await #require(throws: SluiceError.self) {
      try await client(clock).send(HTTPRequest(.get, HTTPURL("\(server.url)/p?key=hunter2")))
    }
    #expect(server.requests.count == 5)
    #expect(error.code == .remote)
    #expect(error.retry == .throttled(after: nil))
    #expect(error.place.origin == server.url)
    #expect(!"\(error)".contains("hunter2"))
  }

  @Test("the whole time is bounded")
  func totalTime() async throws {
    let server = try server(Array(repeating: (503, ["Retry-After: 40"]), count: 100))
    let clock = ManualClock(skipsSleeps: true)
    await #expect(throws: SluiceError.self) {
      try await client(clock, random: 0) {
        $0.maxAttempts = 100
        $0.totalTime = .seconds(100)
      }.send(HTTPRequest(.get, HTTPURL(server.url)))
    }
    #expect(clock.sleeps == [.seconds(40), .seconds(40)])
  }

  @Test(
    "statuses that no repetition helps are not repeated",
    arguments: [
      (400, "remote"), (403, "permission_denied"), (404, "remote"), (409, "remote"), (501, "remote"), (302, "remote"),
    ])
  func never(status: Int, code: String) async throws {
    let server = try server([(status, [])])
    let error = try await #require(throws: SluiceError.self) {
      try await client(ManualClock()).send(HTTPRequest(.get, HTTPURL(server.url)))
    }
    #expect(error.code.name == code)
    #expect(error.retry == .never)
    #expect(server.requests.count == 1)
  }

  @Test("a POST is repeated only if the request says that it is idempotent")
  func post() async throws {
    let clock = ManualClock(skipsSleeps: true)
    let first = try server([(503, [])])
    let error = try await #require(throws: SluiceError.self) {
      try await client(clock).send(HTTPRequest(.post, HTTPURL(first.url), body: [1]))
    }
    #expect(error.retry == .never)
    #expect(first.requests.count == 1)
    let second = try server([(503, [])])
    _ = try await client(clock).send(HTTPRequest(.post, HTTPURL(second.url), body: [1], isIdempotent: true))
    #expect(second.requests.map(\.body) == [[1], [1]])
  }

  @Test("a POST that was refused a connection is repeated: it never arrived")
  func postNotConnected() async throws {
    let server = try server([])
    server.stop()
    let seen = Seen()
    await #expect(throws: SluiceError.self) {
      try await client(ManualClock(skipsSleeps: true), seen).send(HTTPRequest(.post, HTTPURL(server.url)))
    }
    #expect(seen.all.count == 4)
  }

  @Test("a network fault is repeated like a status")
  func network() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      if connection.number == 0 {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut")
      } else {
        try connection.respond(text: "whole")
      }
    }
    let response = try await client(ManualClock(skipsSleeps: true)).send(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(String(decoding: response.body, as: UTF8.self) == "whole")
  }

  @Test("refused credentials are renewed once, then the error stands")
  func credentials() async throws {
    for (refusals, succeeds) in [(1, true), (2, false)] {
      let server = try server(Array(repeating: (401, []), count: refusals))
      let asked = Mutex<[Bool]>([])
      let outcome = await Result.capture {
        try await client(ManualClock()).send(HTTPRequest(.post, HTTPURL(server.url))) { request, wereRefused in
          asked.withLock { $0.append(wereRefused) }
          request.headers["Authorization"] = wereRefused ? "Bearer new" : "Bearer old"
        }
      }
      #expect((try? outcome.get().status) == (succeeds ? 200 : nil))
      #expect(asked.withLock { $0 } == [false, true])
      #expect(server.requests.map { $0.header("authorization") } == ["Bearer old", "Bearer new"])
    }
  }

  @Test("the caller's judge decides, also on a 200")
  func judge() async throws {
    let server = try server([(200, ["X-Busy: 1"])])
    let clock = ManualClock(skipsSleeps: true)
    let judge = { (response: HTTPResponse, request: HTTPRequest) -> SluiceError? in
      if response.headers["X-Busy"] == nil { return nil }
      return SluiceError(.remote, "\(request.label): busy", retry: .throttled(after: .seconds(3)))
    }
    let response = try await client(clock).send(HTTPRequest(.get, HTTPURL(server.url)), judge: judge)
    #expect(String(decoding: response.body, as: UTF8.self) == "ok")
    #expect(clock.sleeps.count == 1 && clock.sleeps[0] >= .seconds(3))
  }

  @Test("cancelling ends the wait")
  func cancelled() async throws {
    let server = try server([(503, [])])
    let clock = ManualClock()
    let client = try client(clock)
    let request = try HTTPRequest(.get, HTTPURL(server.url))
    let task = Task { try await client.send(request) }
    await clock.waitForSleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.count == 1)
  }

  @Test(
    "C142 Retry-After as seconds and as a date, on 429 and on 503",
    arguments: [
      (["Retry-After: 2"], 2.0...2.4), (["Retry-After: 0"], 0.0...0.1), (["Retry-After: 86400"], 60.0...66.0),
      (["Retry-After: 99999999999999999999"], 60.0...66.0), (["Retry-After: soon"], 0.05...0.15),
      (["Retry-After: -5"], 0.05...0.15), (["Retry-After: 1.5"], 0.05...0.15), (["Retry-After: "], 0.05...0.15),
      (["Date: Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After: Wed, 21 Oct 2015 07:28:07 GMT"], 7.0...7.8),
      (["Date: Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After: Wed Oct 21 07:28:07 2015"], 7.0...7.8),
      (["Date: Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After: Wednesday, 21-Oct-15 07:28:07 GMT"], 7.0...7.8),
      // In the past: now. Without a Date by our own clock: in 2015 it is long past, in 9999 beyond any wait.
      (["Date: Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After: Wed, 21 Oct 2015 07:00:00 GMT"], 0.0...0.1),
      (["Retry-After: Wed, 21 Oct 2015 07:28:07 GMT"], 0.0...0.1),
      (["Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"], 60.0...66.0),
    ])
  func retryAfter(headers: [String], seconds: ClosedRange<Double>) async throws {
    for status in [429, 503] {
      var waits: [Double] = []
      for random in [0, 0.5, 1] {
        let server = try server([(status, headers)])
        let clock = ManualClock(skipsSleeps: true)
        let response = try await client(clock, random: random).send(HTTPRequest(.get, HTTPURL(server.url)))
        #expect(response.status == 200)
        waits.append(Double(try #require(clock.sleeps.first).clampedNanoseconds) / 1e9)
      }
      #expect(waits.allSatisfy { seconds.contains($0) }, "\(waits)")
      #expect(waits[0] < waits[1] && waits[1] < waits[2], "no jitter: \(waits)")
    }
  }

  @Test("C142 Retry-After on another status says nothing")
  func retryAfterElsewhere() async throws {
    let server = try server([(500, ["Retry-After: 30"])])
    let clock = ManualClock(skipsSleeps: true)
    _ = try await client(clock).send(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(clock.sleeps == [.milliseconds(100)])
  }

  @Test(
    "the three forms of an HTTP date",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sun, 06 Nov 1994 08:49:37 PST", nil),
      ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 08:49 GMT", nil),
      ("Sun, 06 Nov 99999 08:49:37 GMT", nil), ("", nil), ("soon", nil),
    ] as [(String, Int64?)])
  func dates(text: String, seconds: Int64?) {
    #expect(HTTPDate.parse(text) == seconds)
  }

  @Test("waits grow to max_delay and no further")
  func growth() throws {
    var policy = RetryPolicy()
    policy.maxAttempts = 1000
    let error = SluiceError(.network, "x", retry: .transient)
    let waits = (1...100).compactMap { policy.delay(after: error, attempt: $0, random: 0.5) }
    #expect(waits.count == 100)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(waits.last == .seconds(60))
    #expect(policy.delay(after: error, attempt: 1000, random: 0.5) == nil)
    #expect(policy.delay(after: SluiceError(.network, "x"), attempt: 1, random: 0.5) == nil)
  }
}

extension Result where Failure == any Error {
  fileprivate static func capture(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
