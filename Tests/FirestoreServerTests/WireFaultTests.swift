import FirestoreServer
import SluiceCore
import SluiceHTTP
import Testing

/// Answers that no HTTP library would send, as the client of the house sees them.
@Suite("Faults on the wire", .timeLimit(.minutes(5)))
struct WireFaultTests {
  private let server: FirestoreServer
  private let transport: HTTPTransport

  init() throws {
    server = try FirestoreServer.started(documents: 20)
    transport = try HTTPTransport()
  }

  private func get(
    _ action: FaultAction, _ limits: (inout HTTPLimits) -> Void = { _ in }
  ) async throws -> HTTPResponse {
    server.script(FaultScript(FaultRule(.any, action)))
    var request = HTTPRequest(.get, try HTTPURL("\(server.origin)/v1/projects/p/databases/(default)/documents/users"))
    request.limits = HTTPLimits()
    limits(&request.limits!)
    return try await transport.send(request)
  }

  private func error(
    _ action: FaultAction, _ limits: (inout HTTPLimits) -> Void = { _ in }
  ) async throws -> SluiceError {
    try await #require(throws: SluiceError.self) { try await get(action, limits) }
  }

  @Test("C134 nothing, half a head, half a body, and then silence: each passes a limit of its own")
  func stalls() async throws {
    for (phase, words) in [
      (AnswerPhase.accept, "the limit for the first byte"), (.head, "the limit for the first byte"),
      (.body, "the limit for idling"),
    ] {
      let error = try await error(.stall(in: phase)) {
        $0.firstByte = .milliseconds(200)
        $0.idle = .milliseconds(200)
      }
      #expect(error.code == .timeout && error.retry == .transient)
      #expect(error.message.hasSuffix(words), "\(phase): \(error.message)")
    }
  }

  @Test("C134 a drip that never idles is ended by the limit for the whole request")
  func drips() async throws {
    for phase in AnswerPhase.allCases {
      let error = try await error(.drip(in: phase, every: .milliseconds(20))) { $0.total = .milliseconds(400) }
      #expect(error.code == .timeout)
      #expect(error.message.hasSuffix("the limit for the whole request"), "\(phase): \(error.message)")
    }
    #expect(try await get(.drip(in: .body, every: .zero)).status == 200)
  }

  @Test("a promised length that is too long waits and fails; one that is too short cuts the body")
  func lengths() async throws {
    let long = try await error(.lyingLength(by: 100)) { $0.idle = .milliseconds(200) }
    #expect(long.code == .timeout)
    let whole = try await get(.drip(in: .body, every: .zero)).body
    let short = try await get(.lyingLength(by: -10)).body
    #expect(short == Array(whole.dropLast(10)))
  }

  @Test("a connection broken within the body is a network error")
  func reset() async throws {
    let error = try await error(.reset)
    #expect(error.code == .network && error.retry == .transient)
  }

  @Test("a head of a megabyte, in many lines and in one, is refused with the limit's size", arguments: [1000, 1 << 20])
  func largeHead(line: Int) async throws {
    let error = try await error(.largeHead(bytes: 1 << 20, line: line))
    #expect(error.code == .limitExceeded && error.retry == .never)
    #expect(error.message.hasSuffix("the answer's head is longer than the limit of 65536 bytes"), "\(error.message)")
    #expect(try await get(.largeHead(bytes: 1000)).status == 200)
  }

  @Test("C138 a gzip bomb is stopped at the limit; gzip of the right size is unpacked")
  func bomb() async throws {
    let error = try await error(.bomb(packed: 100_000)) { $0.maxBodyBytes = 1 << 20 }
    #expect(error.code == .limitExceeded && error.retry == .never)
    #expect(error.message.contains("1048576 bytes (after decoding)"))
    let plain = try await get(.drip(in: .body, every: .zero))
    let packed = try await get(.gzip())
    #expect(packed.body == plain.body)
    #expect(packed.headers["Content-Encoding"] == "gzip")
    #expect(packed.wireBytes > packed.body.count)
  }

  @Test("C137 connections closed behind each answer: every request is answered once, over a connection of its own")
  func idleClose() async throws {
    for _ in 0..<5 { #expect(try await get(.closeIdle(after: .zero)).status == 200) }
    #expect(server.log.counters.requests == 5)
    #expect(server.log.counters.connections >= 5)
    server.log.reset()
    server.script(FaultScript())
    let url = try HTTPURL("\(server.origin)/json/users")
    for _ in 0..<5 { _ = try await transport.send(HTTPRequest(.get, url)) }
    #expect(server.log.counters.connections <= 1)
  }

  @Test("a server stops while it stalls and drips")
  func stop() async throws {
    server.script(FaultScript(FaultRule(.any, .stall(in: .body))))
    let request = HTTPRequest(.get, try HTTPURL("\(server.origin)/json/users"))
    let stream = try await transport.stream(request)
    #expect(stream.head.status == 200)
    server.stop()
    await #expect(throws: SluiceError.self) { while try await stream.body.next() != nil {} }
  }
}
