import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

@Suite("Kept connections", .timeLimit(.minutes(5)))
struct KeptConnectionTests {
  @Test("C137 a connection closed while idle: the next request goes over a new one, a POST too")
  func closedIdle() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.respond(text: "ok")
    }
    let transport = try HTTPTransport()
    _ = try await transport.send(HTTPRequest(.get, HTTPURL(server.url)))
    await server.waitForClosedConnections(1)
    let second = try await transport.send(HTTPRequest(.post, HTTPURL(server.url), body: [1, 2]))
    #expect(second.status == 200)
    #expect(server.connectionCount == 2)
    #expect(server.requests.count == 2)
  }

  /// The first connection answers once and then closes upon the second request without an answer.
  private func server() throws -> ScriptedServer {
    try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.respond(text: "ok")
      _ = try connection.readRequest()
      if connection.number > 0 { try connection.respond(text: "again") }
    }
  }

  @Test("C137 a connection closed under the request: what is idempotent is repeated once on a new connection")
  func repeated() async throws {
    for (method, isIdempotent) in [(HTTPRequest.Method.get, nil), (.put, nil), (.post, true)] as [(_, Bool?)] {
      let server = try server()
      let transport = try HTTPTransport()
      _ = try await transport.send(HTTPRequest(.get, HTTPURL(server.url)))
      let body: [UInt8] = method == .get ? [] : [1, 2, 3]
      let request = try HTTPRequest(method, HTTPURL(server.url), body: body, isIdempotent: isIdempotent)
      let response = try await transport.send(request)
      #expect(String(decoding: response.body, as: UTF8.self) == "ok")
      #expect(server.connectionCount == 2)
      #expect(server.requests.map(\.connection) == [0, 0, 1])
      #expect(server.requests.map(\.body) == [[], body, body])
    }
  }

  @Test("C137 a connection closed under a POST that is not idempotent: an error, and the server saw it once")
  func notRepeated() async throws {
    let server = try server()
    let transport = try HTTPTransport()
    _ = try await transport.send(HTTPRequest(.get, HTTPURL(server.url)))
    let error = try await #require(throws: SluiceError.self) {
      try await transport.send(HTTPRequest(.post, HTTPURL(server.url), body: [1]))
    }
    #expect(error.code == .network)
    #expect(error.retry == .never)
    #expect(error.hint?.contains("not idempotent") == true)
    #expect(server.requests.count == 2)
  }

  @Test("C141 32 in parallel, unresolvable names among them: each gets its own outcome")
  func parallel() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() { try connection.respond(text: request.target) }
    }
    let transport = try HTTPTransport()
    var limits = HTTPLimits()
    limits.connect = .seconds(5)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask { [limits] in
          do {
            let base = number % 4 == 3 ? "http://no-such-host-\(number).invalid" : server.url
            let request = try HTTPRequest(.get, HTTPURL("\(base)/\(number)"), limits: limits)
            let response = try await transport.send(request)
            #expect(number % 4 != 3)
            #expect(String(decoding: response.body, as: UTF8.self) == "/\(number)")
          } catch let error as SluiceError {
            #expect(number % 4 == 3)
            #expect(error.retry == .transient)
          } catch { Issue.record(error) }
        }
      }
    }
    #expect(server.requests.count == 24)
  }
}
