import FirestoreServer
import Foundation
import SluiceCore
import Testing

@Suite("list")
struct ListTests {
  /// Every page of a listing, by its tokens.
  static func pages(_ client: TinyClient, _ path: String, _ query: String, limit: Int = 50) throws -> [TinyReply] {
    var pages: [TinyReply] = []
    var token: String?
    repeat {
      let reply = try client.send("GET", "\(path)?\(query)" + (token.map { "&pageToken=" + $0.queryEscaped } ?? ""))
      pages.append(reply)
      token = reply.nextPageToken
    } while token != nil && pages.count < limit
    return pages
  }

  @Test("C01 C02 page sizes: the server's own where none is asked, at most its cap, a token only while there is more")
  func sizes() throws {
    let server = try FirestoreServer.started(documents: 1000)
    defer { server.stop() }
    let client = TinyClient(server)
    #expect(try client.send("GET", "users").ids.count == 20)
    #expect(try client.send("GET", "users?pageSize=0").ids.count == 20)
    #expect(try Self.pages(client, "users", "pageSize=1000").map(\.ids.count) == [300, 300, 300, 100])
    #expect(try Self.pages(client, "users", "pageSize=250").map(\.ids.count) == [250, 250, 250, 250])
    #expect(
      try Self.pages(client, "users", "pageSize=300").flatMap(\.ids) == (1...1000).map { String(format: "d%04d", $0) })
    #expect(try client.send("GET", "users?pageSize=-1").errorStatus == "INVALID_ARGUMENT")
    #expect(try client.send("GET", "users?pageSize=x").errorStatus == "INVALID_ARGUMENT")
  }

  @Test("sizes can be those of Google's emulator")
  func emulatorSizes() throws {
    let server = try FirestoreServer.started(documents: 200) {
      $0.defaultPageSize = 30
      $0.maximumPageSize = 150
    }
    defer { server.stop() }
    let client = TinyClient(server)
    #expect(try Self.pages(client, "users", "").map(\.ids.count) == [30, 30, 30, 30, 30, 30, 20])
    #expect(try Self.pages(client, "users", "pageSize=1000").map(\.ids.count) == [150, 50])
  }

  @Test(
    "orders by fields, in any direction, page after page",
    arguments: [
      ("", ["a", "b", "c", "d", "e"]), ("n", ["b", "d", "a", "c"]), ("n desc", ["c", "a", "d", "b"]),
      ("n desc, __name__", ["a", "c", "b", "d"]), ("n, m desc", ["d", "b", "c", "a"]),
      ("__name__ desc", ["e", "d", "c", "b", "a"]), ("  n   DESC ", ["c", "a", "d", "b"]),
    ])
  func orders(orderBy: String, ids: [String]) throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    for (id, n, m) in [("a", 2, 1), ("b", 1, 1), ("c", 2, 1), ("d", 1, 2)] as [(String, Int64, Int64)] {
      try server.store.set("c/\(id)", [Field("n", .int(n)), Field("m", .int(m))])
    }
    try server.store.set("c/e", [])
    let client = TinyClient(server)
    let query = orderBy.isEmpty ? "" : "orderBy=" + orderBy.queryEscaped
    for size in [1, 2, 10] {
      #expect(try Self.pages(client, "c", query + "&pageSize=\(size)").flatMap(\.ids) == ids)
    }
  }

  @Test("a token is bound to its request", arguments: ["orderBy=n", "mask.fieldPaths=n", "showMissing=true"])
  func tokens(change: String) throws {
    let server = try FirestoreServer.started(documents: 10)
    defer { server.stop() }
    let client = TinyClient(server)
    let token = try #require(try client.send("GET", "users?pageSize=3").nextPageToken).queryEscaped
    #expect(try client.send("GET", "users?pageSize=4&pageToken=\(token)").ids == ["d0004", "d0005", "d0006", "d0007"])
    #expect(try client.send("GET", "users?pageSize=3&pageToken=\(token)&\(change)").errorStatus == "INVALID_ARGUMENT")
    #expect(try client.send("GET", "others?pageSize=3&pageToken=\(token)").errorStatus == "INVALID_ARGUMENT")
    let other = "/v1/projects/demo/databases/other/documents/users?pageSize=3&pageToken=\(token)"
    #expect(try client.send("GET", other).errorStatus == "INVALID_ARGUMENT")
  }

  @Test("C05 a token that is none is refused", arguments: ["not-a-token", "x", "AAAA", "d29ybGQ="])
  func garbage(token: String) throws {
    let server = try FirestoreServer.started(documents: 10)
    defer { server.stop() }
    let reply = try TinyClient(server).send("GET", "users?pageToken=\(token.queryEscaped)")
    #expect(reply.status == 400)
    #expect(reply.errorStatus == "INVALID_ARGUMENT")
    #expect(reply.json["error"]?["message"] == .string("invalid page token"))
  }

  @Test("deletes and inserts between pages move nothing")
  func changesBetweenPages() throws {
    let server = try FirestoreServer.started(documents: 6)
    defer { server.stop() }
    let client = TinyClient(server)
    let token = try #require(try client.send("GET", "users?pageSize=3").nextPageToken).queryEscaped
    try server.store.delete("users/d0003")
    try server.store.set("users/a", [])
    #expect(try client.send("GET", "users?pageSize=3&pageToken=\(token)").ids == ["d0004", "d0005", "d0006"])
  }

  @Test("shows names that only have documents below them")
  func missing() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    for path in ["c/b", "c/d", "c/a/sub/x", "c/c/sub/y/deep/z", "c/b/sub/x"] { try server.store.set(path, []) }
    let client = TinyClient(server)
    #expect(try client.send("GET", "c").ids == ["b", "d"])
    for size in [1, 2, 3, 10] {
      #expect(try Self.pages(client, "c", "showMissing=true&pageSize=\(size)").flatMap(\.ids) == ["a", "b", "c", "d"])
    }
    let documents = try client.send("GET", "c?showMissing=true").json["documents"]
    #expect(documents?[0] == .map([Field("name", .string("projects/demo/databases/(default)/documents/c/a"))]))
    #expect(documents?[1]?["createTime"] != nil)
    #expect(try client.send("GET", "c?showMissing=true&orderBy=n").errorStatus == "INVALID_ARGUMENT")
    #expect(try client.send("GET", "c/a").status == 404)
  }

  @Test("C13 an empty collection is an empty object")
  func empty() throws {
    let server = try FirestoreServer.started(documents: 1)
    defer { server.stop() }
    let client = TinyClient(server)
    #expect(try client.send("GET", "none").text == "{}")
    #expect(try client.send("GET", "users/a/info").text == "{}")
  }

  @Test("masks show some fields, and __name__ alone none")
  func masks() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    try server.store.set("c/a", [Field("n", .int(1)), Field("m", .map([Field("x", .int(1)), Field("y", .int(2))]))])
    let client = TinyClient(server)
    #expect(
      try client.send("GET", "c/a?mask.fieldPaths=m.y").text.contains(
        #""fields":{"m":{"mapValue":{"fields":{"y":{"integerValue":"2"}}}}}"#))
    let keys = try client.send("GET", "c?mask.fieldPaths=__name__").json["documents"]?[0]
    #expect(keys?["fields"] == nil && keys?["updateTime"] != nil)
    #expect(try client.send("GET", "c?mask.fieldPaths=a..b").errorStatus == "INVALID_ARGUMENT")
    #expect(try client.send("GET", "c?unknown=1").errorStatus == "INVALID_ARGUMENT")
  }

  @Test("ids sort as names do: numbers first, then by UTF-8 bytes")
  func nameOrder() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let ids = ["__id-7__", "__id5__", "__id10__", "B", "_x", "a", "aa", "é", "\u{FFFD}", "\u{10000}"]
    for id in ids.shuffled() { try server.store.set("c/\(id)", []) }
    let client = TinyClient(server)
    #expect(try client.send("GET", "c").ids == ids)
    #expect(try Self.pages(client, "c", "pageSize=1").flatMap(\.ids) == ids)
  }
}
