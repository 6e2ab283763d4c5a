import FirestoreServer
import Foundation
import SluiceCore
import Testing

@Suite("The server's HTTP layer")
struct HTTPTests {
  @Test(
    "answers to loopback names only",
    arguments: [
      ("localhost", 200), ("localhost:8080", 200), ("127.0.0.1", 200), ("127.1.2.3:1", 200), ("[::1]:80", 200),
      ("LOCALHOST", 200), ("evil.example", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example", 403),
      ("10.0.0.1", 403), ("localhost:x", 403), ("", 403),
    ])
  func hosts(host: String, status: Int) throws {
    let server = try FirestoreServer.started(documents: 1)
    defer { server.stop() }
    var client = TinyClient(server)
    client.host = host
    #expect(try client.send("GET", "users").status == status)
  }

  @Test(
    "answers to pages of this machine only",
    arguments: [
      ("http://localhost:3000", 200), ("http://127.0.0.1", 200), ("https://evil.example", 403), ("null", 403),
    ])
  func origins(origin: String, status: Int) throws {
    let server = try FirestoreServer.started(documents: 1)
    defer { server.stop() }
    var client = TinyClient(server)
    client.headers = [("Origin", origin)]
    #expect(try client.send("GET", "users").status == status)
  }

  @Test("serves below a path prefix, and nothing beside it")
  func prefix() throws {
    let server = try FirestoreServer.started(documents: 1) { $0.pathPrefix = "/proxy" }
    defer { server.stop() }
    let client = TinyClient(server)
    #expect(server.origin.hasSuffix("/proxy"))
    #expect(try client.send("GET", "/proxy" + TinyClient.target("users")).ids == ["d0001"])
    #expect(try client.send("GET", "users").status == 404)
  }

  @Test("refuses a body beyond the limit, and goes on")
  func bodyLimit() throws {
    let server = try FirestoreServer.started { $0.maximumRequestSize = 1000 }
    defer { server.stop() }
    let client = TinyClient(server)
    let large = #"{"fields":{"s":{"stringValue":"\#(String(repeating: "x", count: 200_000))"}}}"#
    #expect(try client.send("PATCH", "users/u", large).errorStatus == "INVALID_ARGUMENT")
    #expect(try client.send("PATCH", "users/u", #"{"fields":{}}"#).status == 200)
  }

  @Test("reads ids with every kind of escape", arguments: ["a b", "a:b", "a#b", "a?b", "a%b", "ü€😀", "a+b", "a'b\"c"])
  func escapes(id: String) throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let client = TinyClient(server)
    let path = "users/" + (id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    let made = try client.send("PATCH", path, #"{"fields":{"n":{"integerValue":"1"}}}"#)
    let name = "projects/demo/databases/(default)/documents/users/" + id
    #expect(made.json["name"] == .string(name))
    #expect(try client.send("GET", path).json["name"] == .string(name))
    #expect(try client.send("GET", "users").json["documents"]?[0]?["name"] == .string(name))
    #expect(try server.store.document("users/" + id)?.fields["n"] == .int(1))
    #expect(try client.send("GET", "users/a%2Fb").status == 400)
    #expect(try client.send("GET", "users/%zz").status == 400)
  }

  @Test(
    "asks for credentials where it shall",
    arguments: [
      ("Authorization: Bearer good", "", 200, nil), ("authorization: bearer good", "", 200, nil),
      ("Authorization: Bearer bad", "", 401, "UNAUTHENTICATED"),
      ("Authorization: Basic good", "", 401, "UNAUTHENTICATED"),
      ("", "", 403, "PERMISSION_DENIED"), ("", "?key=K", 200, nil), ("x-goog-api-key: K", "", 200, nil),
      ("", "?key=other", 400, "INVALID_ARGUMENT"), ("", "?access_token=good", 200, nil),
    ] as [(String, String, Int, String?)])
  func credentials(header: String, query: String, status: Int, error: String?) throws {
    let server = try FirestoreServer.started(documents: 1) {
      $0.authorization = .required(tokens: ["good"], apiKeys: ["K"])
    }
    defer { server.stop() }
    var client = TinyClient(server)
    if !header.isEmpty {
      let parts = header.split(separator: ":", maxSplits: 1)
      client.headers = [(String(parts[0]), String(parts[1]))]
    }
    let reply = try client.send("GET", "users" + query)
    #expect(reply.status == status)
    #expect(reply.errorStatus == error)
    #expect(server.log.requests[0].query.allSatisfy { $0.name != "key" && $0.name != "access_token" })
    server.setAuthorization(.open)
    #expect(try client.send("GET", "users").status == 200)
  }

  @Test("a port that is taken is an error, not a crash; a stopped server frees it")
  func ports() throws {
    let server = try FirestoreServer.started()
    var configuration = Configuration()
    configuration.port = server.port
    let taken = configuration
    #expect(throws: SluiceError.self) { try FirestoreServer(configuration: taken) }
    server.stop()
    server.stop()
    let next = try FirestoreServer(configuration: taken)
    #expect(next.port == server.port)
    next.stop()
  }

  @Test("records what was asked, and counts")
  func log() throws {
    let server = try FirestoreServer.started(documents: 5) { $0.loggedRequests = 2 }
    defer { server.stop() }
    let client = TinyClient(server)
    try client.send("GET", "users?pageSize=2&orderBy=n")
    try client.send("GET", "users/none")
    try client.send("DELETE", "users/d0001")
    let requests = server.log.requests
    #expect(requests.count == 2)
    #expect(requests[0].method == .list && requests[0].documents == 2 && requests[0].status == 200)
    #expect(requests[0].parameter("pageSize") == "2" && requests[0].parameter("orderBy") == "n")
    #expect(requests[1].method == .get && requests[1].status == 404)
    let counters = server.log.counters
    #expect(counters.requests == 3 && counters.failures == 1 && counters.billedReads == 2 && counters.deletes == 1)
    server.log.reset()
    #expect(server.log.counters == RequestCounters() && server.log.requests.isEmpty)
  }
}
