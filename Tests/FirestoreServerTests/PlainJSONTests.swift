import FirestoreServer
import SluiceCore
import SluiceHTTP
import SluiceJSON
import Testing

@Suite("The plain JSON interface")
struct PlainJSONTests {
  /// How a client finds its way from page to page.
  enum Style: String, CaseIterable {
    case page, offset, cursor
    /// The absolute address in the body, the relative one, the `Link` header.
    case next, nextPath, link
  }

  private let server: FirestoreServer
  private let transport: HTTPTransport

  init() throws {
    server = try FirestoreServer.started(documents: 45) { $0.maximumPageSize = 50 }
    transport = try HTTPTransport()
  }

  private func get(_ path: String) async throws -> (json: Value, response: HTTPResponse) {
    let response = try await transport.send(
      HTTPRequest(.get, HTTPURL(path.hasPrefix("/") ? server.origin + path : path)))
    return (try JSON.parse(response.body), response)
  }

  /// Where the next page is, nil where the answer says that there is none.
  private func next(_ style: Style, _ json: Value, _ response: HTTPResponse) -> String? {
    func more(_ name: String) -> String? {
      switch json["next_\(name)"] {
      case .int(let number)?: "/json/users?limit=10&\(name)=\(number)"
      case .string(let text)? where !text.isEmpty: "/json/users?limit=10&\(name)=\(text.queryEscaped)"
      default: nil
      }
    }
    return switch style {
    case .page, .offset, .cursor: more(style.rawValue)
    case .next: json["next"]?.string
    case .nextPath: json["next_path"]?.string
    case .link: response.headers["Link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
    }
  }

  /// The first key of each page, up to a number of requests; and how many documents came.
  private func walk(_ style: Style, requests: Int = 10) async throws -> (trail: [String], documents: Int) {
    var address: String? = "/json/users?limit=10" + (style == .page ? "&page=1" : style == .offset ? "&offset=0" : "")
    var trail: [String] = []
    var documents = 0
    while let current = address, trail.count < requests {
      let (json, response) = try await get(current)
      let items = json["items"]?.items ?? []
      trail.append(items.first?["_key"]?.string ?? "empty")
      documents += items.count
      address = next(style, json, response)
    }
    return (trail, documents)
  }

  @Test("every style of paging leads through all documents to the end", arguments: Style.allCases)
  func walkAll(style: Style) async throws {
    let (trail, documents) = try await walk(style)
    #expect(trail == ["d0001", "d0011", "d0021", "d0031", "d0041"])
    #expect(documents == 45)
    #expect(server.log.requestsPerPage() == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1])
  }

  @Test("a page has its documents, its number, the total, and whether more follows; the last one names no next")
  func signs() async throws {
    let (first, response) = try await get("/json/users?limit=2&page=1")
    #expect(response.headers["Content-Type"]?.hasPrefix("application/json") == true)
    #expect(first["items"]?[0] == .map([Field("_key", .string("d0001")), Field("n", .int(1))]))
    #expect(first["count"] == .int(2) && first["total"] == .int(45) && first["page"] == .int(1))
    #expect(first["has_more"] == .bool(true) && first["next_page"] == .int(2))
    #expect(first["next"]?.string == "\(server.origin)/json/users?limit=2&page=2")
    #expect(first["next_path"]?.string == "/json/users?limit=2&page=2")
    #expect(response.headers["Link"] == "<\(server.origin)/json/users?limit=2&page=2>; rel=\"next\"")
    let (last, end) = try await get("/json/users?limit=2&offset=44")
    #expect(last["items"]?.items.count == 1 && last["has_more"] == .bool(false))
    #expect(["next_offset", "next", "next_path"].allSatisfy { last[$0] == nil } && end.headers["Link"] == nil)
    let (beyond, _) = try await get("/json/users?page=1000")
    #expect(beyond["items"]?.items.isEmpty == true && beyond["has_more"] == .bool(false))
  }

  @Test("one document, and what is refused")
  func single() async throws {
    #expect(try await get("/json/users/d0007").json["n"] == .int(7))
    #expect(try await get("/json/users/none").response.status == 404)
    #expect(try await get("/json/none").json["items"] == .array([]))
    for path in ["?page=0", "?page=x", "?offset=-1", "?limit=-1", "?cursor=rubbish", "?page=1&offset=2", "?size=3"] {
      #expect(try await get("/json/users" + path).response.status == 400, "\(path)")
    }
    server.setAuthorization(.required(tokens: ["good"], apiKeys: ["K"]))
    #expect(try await get("/json/users").response.status == 403)
    let (json, _) = try await get("/json/users?key=K&limit=2")
    #expect(json["next"]?.string?.contains("key=") == false)
  }

  @Test("a document added before the page moves numbers and offsets, but no cursor", arguments: Style.allCases)
  func insertion(style: Style) async throws {
    server.script(try .named("insertBefore", page: 3))
    let (trail, documents) = try await walk(style)
    let moved = style == .page || style == .offset
    #expect(trail == ["d0001", "d0011"] + (moved ? ["d0020", "d0030", "d0040"] : ["d0021", "d0031", "d0041"]))
    #expect(documents == (moved ? 46 : 45))
  }

  @Test("the same faults under every style", arguments: Style.allCases)
  func faults(style: Style) async throws {
    func trail(_ name: String) async throws -> String {
      server.script(try .named(name, page: 3))
      return try await walk(style, requests: 8).trail.map {
        $0.hasPrefix("d") ? String(Int($0.dropFirst())! / 10 + 1) : $0
      }
      .joined(separator: " ")
    }
    #expect(try await trail("loop") == "1 2 3 3 3 3 3 3")
    #expect(try await trail("loop2") == "1 2 3 4 3 4 3 4")
    #expect(try await trail("loop3") == "1 2 3 4 5 3 4 5")
    #expect(try await trail("ignoreToken") == "1 1 1 1 1 1 1 1")
    #expect(try await trail("sameTokenForever") == "1 2 3 4 5 5 5 5")
    #expect(try await trail("empty") == "1 2 empty 4 5")
    #expect(try await trail("endsHere") == "1 2 3")
    #expect(try await trail("emptyToken") == "1 2 3 4 5")
    #expect(try await trail("nullToken") == "1 2 3 4 5")
    #expect(try await trail("tokenAtEnd") == "1 2 3 4 5 5 5 5")
    #expect(try await trail("ignorePageSize") == "1 3 5")
  }

  @Test("signs that lie: has_more, the page's number, an address of another origin")
  func lies() async throws {
    server.script(try .named("tokenAtEnd"))
    let (last, _) = try await get("/json/users?limit=50")
    #expect(last["has_more"] == .bool(false) && last["next_cursor"]?.string?.isEmpty == false)
    server.script(try .named("saysPage1"))
    #expect(try await get("/json/users?limit=10&page=4").json["page"] == .int(1))
    server.script(FaultScript(FaultRule(.any, .nextAt("http://other.example"))))
    let (json, response) = try await get("/json/users?limit=10&page=1")
    #expect(json["next"]?.string == "http://other.example/json/users?limit=10&page=2")
    #expect(response.headers["Link"]?.hasPrefix("<http://other.example/json/users") == true)
  }
}
