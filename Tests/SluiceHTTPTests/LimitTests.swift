import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

@Suite("Limits", .timeLimit(.minutes(5)))
struct LimitTests {
  private func error(
    _ url: String, _ set: (inout HTTPLimits) -> Void
  ) async throws -> SluiceError {
    var limits = HTTPLimits()
    set(&limits)
    let request = try HTTPRequest(.get, HTTPURL(url), limits: limits)
    return try await #require(throws: SluiceError.self) { try await HTTPTransport().send(request) }
  }

  @Test("C134 a server that accepts and never answers: the first-byte limit")
  func firstByte() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nX-Slow: ")
      try connection.waitForClient()
    }
    let error = try await error(server.url) { $0.firstByte = .milliseconds(120) }
    #expect(error.code == .timeout)
    #expect(error.retry == .transient)
    #expect(error.message == "GET /: no answer within 120 ms, the limit for the first byte")
    #expect(error.place.origin == server.url)
    await server.waitForClosedConnections(1)
  }

  @Test("C134 headers, then silence: the idle limit")
  func idle() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      try connection.waitForClient()
    }
    let error = try await error(server.url) { $0.idle = .milliseconds(120) }
    #expect(error.code == .timeout)
    #expect(error.message == "GET /: no byte arrived for 120 ms, the limit for idling")
  }

  @Test("C134 a drip that never idles: the total limit")
  func total() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      while true { try connection.drip("x", every: .milliseconds(20)) }
    }
    let error = try await error(server.url) {
      $0.idle = .seconds(5)
      $0.total = .milliseconds(300)
    }
    #expect(error.code == .timeout)
    #expect(error.message == "GET /: not finished within 300 ms, the limit for the whole request")
  }

  @Test("C134 a connection that does not come to stand: the connect limit")
  func connect() async throws {
    // It accepts, but never says a word of TLS.
    let server = try ScriptedServer { try $0.waitForClient() }
    let url = "https://127.0.0.1:\(server.port)"
    let error = try await error(url) { $0.connect = .milliseconds(120) }
    #expect(error.code == .timeout)
    #expect(error.retry == .transient)
    #expect(error.message == "GET /: no connection within 120 ms, the limit for connecting")
    #expect(error.place.origin == url)
  }

  @Test("C134 a slow answer within its limits is an answer")
  func slowButFine() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
      try connection.drip("0123456789", every: .milliseconds(15))
    }
    var limits = HTTPLimits()
    limits.idle = .seconds(10)
    let response = try await HTTPTransport().send(HTTPRequest(.get, HTTPURL(server.url), limits: limits))
    #expect(response.body.count == 10)
  }
}
