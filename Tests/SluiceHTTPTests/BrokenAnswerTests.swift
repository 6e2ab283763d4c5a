import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

@Suite("Broken answers are errors, never successes", .timeLimit(.minutes(5)))
struct BrokenAnswerTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var script: ScriptedServer.Script
    var code: SluiceError.Code
    var words: String
    var retry: SluiceError.Retry = .transient
  }

  static let cases: [Case] = [
    Case(
      testDescription: "a cut body",
      script: { try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort") },
      code: .network, words: "5 of 100 bytes"),
    Case(
      testDescription: "a cut chunked body",
      script: { try $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nfg") },
      code: .network, words: "cut off"),
    Case(testDescription: "no answer", script: { _ in }, code: .network, words: "without an answer"),
    Case(
      testDescription: "a cut head", script: { try $0.send("HTTP/1.1 200 OK\r\nContent-Le") }, code: .network,
      words: "within the answer's head"),
    Case(testDescription: "a reset", script: { try $0.reset() }, code: .network, words: "broke before an answer"),
    Case(
      testDescription: "a reset within the body",
      script: {
        try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
        try $0.reset()
      },
      code: .network, words: "the connection broke"),
    Case(
      testDescription: "200 with an empty body", script: { try $0.respond() }, code: .network, words: "empty body"),
    Case(
      testDescription: "damaged gzip",
      script: { try $0.respond(headers: ["Content-Encoding: gzip"], text: "this is not gzip at all") },
      code: .network, words: "compression"),
    Case(
      testDescription: "an unknown encoding",
      script: { try $0.respond(headers: ["Content-Encoding: rot13"], text: "uryyb") },
      code: .network, words: "compression"),
    Case(
      testDescription: "another protocol", script: { try $0.send("220 mail.example ESMTP\r\n") }, code: .malformedData,
      words: "not HTTP", retry: .never),
    Case(
      testDescription: "a head without end",
      script: {
        try $0.send("HTTP/1.1 200 OK\r\n")
        while true { try $0.send("X-Filler: \(String(repeating: "x", count: 1000))\r\n") }
      }, code: .limitExceeded, words: "head is longer", retry: .never),
    Case(
      testDescription: "a declared length over the limit",
      script: {
        try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n")
        try $0.waitForClient()
      }, code: .limitExceeded, words: "body is longer", retry: .never),
    Case(
      testDescription: "an undeclared length over the limit",
      script: {
        try $0.send("HTTP/1.1 200 OK\r\n\r\n")
        while true { try $0.send([UInt8](repeating: 65, count: 1 << 16)) }
      }, code: .limitExceeded, words: "body is longer", retry: .never),
  ]

  @Test("each has its message, code and retry class", arguments: cases)
  func broken(_ broken: Case) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try broken.script(connection)
    }
    let transport = try HTTPTransport()
    var limits = HTTPLimits()
    limits.maxBodyBytes = 1 << 20
    let url = try HTTPURL("\(server.url)/v1/things?key=hunter2")
    let error = try await #require(throws: SluiceError.self) {
      try await transport.send(HTTPRequest(.get, url, headers: ["Authorization": "Bearer hunter2"], limits: limits))
    }
    #expect(error.code == broken.code)
    #expect(error.retry == broken.retry)
    #expect(error.message.contains(broken.words), "\(error.message)")
    #expect(error.message.hasPrefix("GET /v1/things: "))
    #expect(error.place.origin == server.url)
    #expect(!"\(error)".contains("hunter2"))
  }

  @Test("an empty body passes where the request allows it, and with 204")
  func emptyBody() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.respond()
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    let transport = try HTTPTransport()
    var request = try HTTPRequest(.post, HTTPURL(server.url))
    request.allowsEmptyBody = true
    #expect(try await transport.send(request).body.isEmpty)
    request.allowsEmptyBody = false
    #expect(try await transport.send(request).status == 204)
  }

  @Test("a refused connection and an unresolvable name are transient and name the host")
  func unreachable() async throws {
    let server = try ScriptedServer { _ in }
    server.stop()
    let transport = try HTTPTransport()
    let refused = try await #require(throws: SluiceError.self) {
      try await transport.send(HTTPRequest(.post, HTTPURL(server.url)))
    }
    #expect(refused.code == .network)
    // Nothing was sent: also a request that is not idempotent may be tried again.
    #expect(refused.retry == .transient)
    #expect(refused.message.contains("127.0.0.1"))
    #expect(refused.message.lowercased().contains("refused"), "\(refused.message)")

    let unknown = try await #require(throws: SluiceError.self) {
      try await transport.send(HTTPRequest(.get, HTTPURL("http://no-such-host.invalid/x")))
    }
    #expect(unknown.retry == .transient)
    #expect(unknown.place.origin == "http://no-such-host.invalid")
  }

  @Test("C138 max_body_bytes counts decoded bytes: a 32 KB body that unpacks to 1 GB is stopped early")
  func bomb() async throws {
    let packed = Self.zstdBomb(blocks: 8192)
    #expect(packed.count < 40_000)
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        try connection.respond(headers: ["Content-Encoding: zstd"], body: packed)
      }
    }
    let transport = try HTTPTransport()
    let request = try HTTPRequest(.get, HTTPURL(server.url))
    var limited = request
    limited.limits = HTTPLimits()
    limited.limits?.maxBodyBytes = 8 << 20
    let error = try await #require(throws: SluiceError.self) { try await transport.send(limited) }
    #expect(error.code == .limitExceeded)
    #expect(error.message.contains("8388608 bytes (after decoding)"))

    // The same bytes are well-formed: only the limit stopped them.
    let small = Self.zstdBomb(blocks: 3)
    let honest = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.respond(headers: ["Content-Encoding: zstd"], body: small)
    }
    let response = try await transport.send(HTTPRequest(.get, HTTPURL(honest.url)))
    #expect(response.body == [UInt8](repeating: 65, count: 3 << 17))
    #expect(response.wireBytes == small.count)
  }

  /// A zstd frame of blocks that each repeat "A" 131,072 times (RFC 8878, 3.1.1).
  static func zstdBomb(blocks: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
    for block in 1...blocks {
      let header = UInt32(block == blocks ? 1 : 0) | 1 << 1 | UInt32(1 << 17) << 3
      bytes += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16 & 255), 65]
    }
    return bytes
  }
}
