import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("Credentials stay where they belong", .timeLimit(.minutes(5)))
struct SecurityTests {
  private static func echo() throws -> ScriptedServer {
    try ScriptedServer { connection in
      while try connection.readRequest() != nil { try connection.respond(text: "ok") }
    }
  }

  @Test(
    "credentials over plain http off loopback are refused before anything is sent",
    arguments: [
      (["Authorization": "Bearer hunter2"], ""), (["x-goog-API-key": "hunter2"], ""), (["Cookie": "a=hunter2"], ""),
      (["X-Own": "hunter2"], ""), ([:], "?key=hunter2"), ([:], "?a=1&access_token=hunter2"), ([:], "?own=hunter2"),
    ] as [(HTTPHeaders, String)])
  func plainHTTP(headers: HTTPHeaders, query: String) async throws {
    let transport = try HTTPTransport()
    var request = try HTTPRequest(.get, HTTPURL("http://192.0.2.1:81/v1/x\(query)"), headers: headers)
    request.credentialNames = ["x-own", "own"]
    let start = ContinuousClock.now
    for isStream in [false, true] {
      let error = try await #require(throws: SluiceError.self) {
        if isStream { _ = try await transport.stream(request) } else { _ = try await transport.send(request) }
      }
      #expect(error.code == .invalidConfiguration)
      #expect(error.message == "GET /v1/x carries credentials and would go over plain http")
      #expect(error.place.origin == "http://192.0.2.1:81")
      #expect(!"\(error)".contains("hunter2"))
    }
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test("on loopback they pass")
  func loopback() async throws {
    let server = try Self.echo()
    let request = try HTTPRequest(.get, HTTPURL("\(server.url)/?key=k"), headers: ["Authorization": "Bearer owner"])
    #expect(try await HTTPTransport().send(request).status == 200)
    #expect(server.requests[0].header("authorization") == "Bearer owner")
  }

  @Test(
    "a header that would break the request apart is refused",
    arguments: [
      ("X", "a\r\nX-Evil: 1"), ("X", "a\nb"), ("X", "a\u{0}b"), ("X Y", "a"), ("X:", "a"), ("", "a"), ("Ü", "a"),
    ])
  func injection(name: String, value: String) async throws {
    let server = try Self.echo()
    var request = try HTTPRequest(.get, HTTPURL(server.url))
    request.headers.add(name, value)
    let error = try await #require(throws: SluiceError.self) { try await HTTPTransport().send(request) }
    #expect(error.code == .invalidConfiguration)
    #expect(server.connectionCount == 0)
  }

  private func redirecting(_ status: Int = 302, to location: String) throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        if request.target.hasPrefix("/from") {
          try connection.respond(status, headers: ["Location: \(location)"])
        } else {
          try connection.respond(text: "there")
        }
      }
    }
  }

  private static let secrets: HTTPHeaders = [
    "Authorization": "Bearer hunter2", "X-Unknown": "hunter2", "Accept": "text/plain",
  ]

  @Test("a redirect is an answer like any other unless the request allows it")
  func notFollowed() async throws {
    let server = try redirecting(to: "/there")
    let response = try await HTTPTransport().send(HTTPRequest(.get, HTTPURL("\(server.url)/from")))
    #expect(response.status == 302)
    #expect(server.requests.count == 1)
  }

  @Test("within the origin a redirect keeps the headers", arguments: [301, 302, 303, 307, 308])
  func sameOrigin(status: Int) async throws {
    let server = try redirecting(status, to: "/there?x=1")
    var request = try HTTPRequest(.post, HTTPURL("\(server.url)/from"), headers: Self.secrets, body: [1, 2])
    request.redirects = .follow(limit: 3)
    let response = try await HTTPTransport().send(request)
    #expect(String(decoding: response.body, as: UTF8.self) == "there")
    let second = server.requests[1]
    #expect(second.target == "/there?x=1")
    #expect(second.header("authorization") == "Bearer hunter2")
    #expect(second.method == (status < 304 ? "GET" : "POST"))
    #expect(second.body == (status < 304 ? [] : [1, 2]))
  }

  @Test("to another origin it drops every header that may be a secret", arguments: [false, true])
  func otherOrigin(isStream: Bool) async throws {
    let other = try Self.echo()
    let server = try redirecting(to: "\(other.url)/there")
    var request = try HTTPRequest(.get, HTTPURL("\(server.url)/from"), headers: Self.secrets)
    request.redirects = .follow(limit: 3)
    let transport = try HTTPTransport()
    if isStream {
      #expect(try await transport.stream(request).head.status == 200)
    } else {
      #expect(try await transport.send(request).status == 200)
    }
    let seen = try #require(other.requests.first)
    #expect(seen.header("accept") == "text/plain")
    #expect(!seen.headerLines.joined().contains("hunter2"))
  }

  @Test("a body goes to no other origin; the count is capped; nonsense is refused")
  func refusedRedirects() async throws {
    let other = try Self.echo()
    let transport = try HTTPTransport()
    func refusal(_ status: Int, to location: String) async throws -> String {
      let server = try redirecting(status, to: location)
      var request = try HTTPRequest(.post, HTTPURL("\(server.url)/from"), body: [1])
      request.redirects = .follow(limit: 3)
      let error = try await #require(throws: SluiceError.self) { try await transport.send(request) }
      #expect(error.place.origin == server.url)
      return error.message
    }
    #expect(try await refusal(307, to: other.url).hasSuffix("to another origin with its body"))
    #expect(try await refusal(302, to: "/from").hasSuffix("more than 3 times"))
    #expect(try await refusal(302, to: "file:///etc/passwd").hasSuffix("to something that is no http URL"))
    #expect(try await refusal(302, to: "http://user:pw@127.0.0.1/").hasSuffix("to something that is no http URL"))
    #expect(other.connectionCount == 0)
  }

  @Test("from https to http nothing is followed")
  func downgrade() throws {
    var request = try HTTPRequest(.get, HTTPURL("https://h/a"))
    request.redirects = .follow(limit: 3)
    let head = HTTPHead(status: 302, headers: ["Location": "http://h/a"])
    let error = try #require(throws: SluiceError.self) { try request.following(head, count: 0) }
    #expect(error.message.hasSuffix("from https to http"))
  }

  @Test("a proxy is used when it is configured, never for loopback or what is bypassed")
  func proxy() async throws {
    let proxy = try Self.echo()
    let direct = try Self.echo()
    var configuration = HTTPConfiguration()
    configuration.proxy = .url(proxy.url, bypass: ["bypassed.invalid"])
    let transport = try HTTPTransport(configuration)
    _ = try await transport.send(HTTPRequest(.get, HTTPURL("http://elsewhere.invalid/x")))
    #expect(proxy.requests.map(\.target) == ["http://elsewhere.invalid/x"])
    _ = try await transport.send(HTTPRequest(.get, HTTPURL(direct.url)))
    #expect(direct.requests.count == 1)
    await #expect(throws: SluiceError.self) {
      try await transport.send(HTTPRequest(.get, HTTPURL("http://bypassed.invalid/")))
    }
    #expect(proxy.requests.count == 1)
  }

  @Test("the environment's proxy is used only when asked")
  func environmentProxy() async {
    // In a process of its own: the environment is the process's.
    await #expect(processExitsWith: .success) {
      let proxy = try SecurityTests.echo()
      setenv("http_proxy", proxy.url, 1)
      let request = try HTTPRequest(.get, HTTPURL("http://elsewhere.invalid/"))
      await #expect(throws: SluiceError.self) { try await HTTPTransport().send(request) }
      #expect(proxy.requests.isEmpty)
      var configuration = HTTPConfiguration()
      configuration.proxy = .environment
      _ = try await HTTPTransport(configuration).send(request)
      #expect(proxy.requests.count == 1)
    }
  }
}
