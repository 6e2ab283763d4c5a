import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

@Suite("Whole answers", .timeLimit(.minutes(5)))
struct WholeAnswerTests {
  @Test("a GET brings status, headers and body")
  func get() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        try connection.respond(headers: ["X-One: a", "x-one: b", "Content-Type: text/plain"], text: "hello")
      }
    }
    let transport = try HTTPTransport()
    let url = try HTTPURL(server.url).appending(segments: ["v1", "a b/ü"]).appending(query: "page token", "x+y=")
    let response = try await transport.send(HTTPRequest(.get, url, headers: ["Accept": "text/plain"]))
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self) == "hello")
    #expect(response.headers.values("X-ONE") == ["a", "b"])
    #expect(response.wireBytes == 5)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.target == "/v1/a%20b%2F%C3%BC?page%20token=x%2By%3D")
    #expect(request.header("accept") == "text/plain")
    #expect(request.header("user-agent") == "sluice")
    #expect(request.header("accept-encoding")?.contains("gzip") == true)
    #expect(request.header("content-length") == nil)
  }

  @Test(
    "methods and bodies arrive as they were meant",
    arguments: [
      (HTTPRequest.Method.post, 0), (.post, 7), (.put, 3), (.patch, 2_000_000), (.delete, 0), (.delete, 4), (.get, 5),
    ])
  func methods(method: HTTPRequest.Method, size: Int) async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil { try connection.respond(text: "ok") }
    }
    let transport = try HTTPTransport()
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    _ = try await transport.send(HTTPRequest(method, HTTPURL(server.url), body: body))
    let request = try #require(server.requests.first)
    #expect(request.method == method.rawValue)
    #expect(request.body == body)
    #expect(request.header("expect") == nil)
    #expect(request.header("content-type") == nil)
    #expect(request.header("content-length") == (size > 0 || method == .post ? String(size) : nil))
  }

  @Test("HEAD has no body, whatever length it names")
  func head() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil { try connection.respond(headers: ["Content-Length: 999999999999"]) }
    }
    let response = try await HTTPTransport().send(HTTPRequest(.head, HTTPURL(server.url)))
    #expect(response.status == 200)
    #expect(response.body.isEmpty)
  }

  @Test("one connection serves many requests")
  func keepAlive() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil { try connection.respond(text: "ok") }
    }
    let transport = try HTTPTransport()
    for _ in 0..<20 { _ = try await transport.send(HTTPRequest(.get, HTTPURL(server.url))) }
    #expect(server.connectionCount == 1)
  }

  @Test("a status is handed over, not judged")
  func status() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil { try connection.respond(404, text: "no") }
    }
    let response = try await HTTPTransport().send(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(response.status == 404)
    #expect(!response.isSuccess)
  }

  @Test("interim answers are skipped, trailers kept apart, a body without a length ends with the connection")
  func shapes() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
      try connection.send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-After: yes\r\n\r\n")
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end")
    }
    let transport = try HTTPTransport()
    let first = try await transport.send(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(String(decoding: first.body, as: UTF8.self) == "abcde")
    #expect(first.headers["Link"] == nil)
    #expect(first.headers["X-After"] == nil)
    #expect(first.trailers["X-After"] == "yes")
    let second = try await transport.send(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(String(decoding: second.body, as: UTF8.self) == "until the end")
  }
}
