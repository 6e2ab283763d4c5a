import FirestoreServer
import Foundation
import SluiceCore
import Testing

@Suite("The store")
struct StoreTests {
  @Test("a snapshot of an earlier time shows that time, in every method, within the window")
  func snapshots() throws {
    let clock = ServerClock(at: Timestamp(seconds: 1_700_000_000, nanoseconds: 0))
    let server = try FirestoreServer.started { $0.clock = clock }
    defer { server.stop() }
    let client = TinyClient(server)
    for id in ["a", "b", "c"] { try server.store.set("c/\(id)", [Field("v", .int(1))]) }
    clock.advance(bySeconds: 10)
    let time = "2023-11-14T22:13:30Z"
    clock.advance(bySeconds: 10)
    try server.store.set("c/a", [Field("v", .int(2))])
    try server.store.delete("c/b")
    try server.store.set("c/d", [])
    #expect(try client.send("GET", "c?readTime=\(time)").ids == ["a", "b", "c"])
    #expect(try client.send("GET", "c").ids == ["a", "c", "d"])
    #expect(try ListTests.pages(client, "c", "pageSize=1&readTime=\(time)").flatMap(\.ids) == ["a", "b", "c"])
    #expect(try client.send("GET", "c/a?readTime=\(time)").text.contains(#""integerValue":"1""#))
    #expect(try client.send("GET", "c/d?readTime=\(time)").status == 404)
    #expect(try client.send("GET", "c/b?readTime=\(time)").status == 200)
    let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"readTime":"\#(time)"}"#
    #expect(try client.send("POST", ":runQuery", query).ids == ["a", "b", "c"])
    let get = #"{"documents":["\#(QueryTests.root)/c/b"],"readTime":"\#(time)"}"#
    #expect(try client.send("POST", ":batchGet", get).ids == ["b"])
    clock.advance(bySeconds: 3600)
    #expect(try client.send("GET", "c?readTime=\(time)").errorStatus == "FAILED_PRECONDITION")
    #expect(try client.send("GET", "c?readTime=2030-01-01T00:00:00Z").errorStatus == "INVALID_ARGUMENT")
    #expect(try client.send("GET", "c?readTime=\(time.dropLast()).0000001Z").errorStatus == "INVALID_ARGUMENT")
  }

  @Test("a page token of a snapshot goes on within it")
  func snapshotAcrossPages() throws {
    let clock = ServerClock(at: Timestamp(seconds: 1_700_000_000, nanoseconds: 0))
    let server = try FirestoreServer.started(documents: 6) { $0.clock = clock }
    defer { server.stop() }
    let client = TinyClient(server)
    clock.advance(bySeconds: 1)
    let query = "pageSize=3&readTime=2023-11-14T22:13:21Z"
    let token = try #require(try client.send("GET", "users?\(query)").nextPageToken).queryEscaped
    clock.advance(bySeconds: 1)
    try server.store.delete("users/d0005")
    try server.store.set("users/d0004x", [])
    #expect(try client.send("GET", "users?\(query)&pageToken=\(token)").ids == ["d0004", "d0005", "d0006"])
  }

  @Test("many deletes and re-creations keep the order of names and the count")
  func churn() throws {
    let clock = ServerClock(at: Timestamp(seconds: 1_700_000_000, nanoseconds: 0))
    let server = try FirestoreServer.started(documents: 3000) { $0.clock = clock }
    defer { server.stop() }
    // What was deleted more than an hour ago is forgotten when there is enough of it.
    for number in 1...2990 {
      if number == 1600 { clock.advance(bySeconds: 7200) }
      try server.store.delete("users/" + String(format: "d%04d", number))
    }
    for number in [5, 3, 2999] { try server.store.set("users/" + String(format: "d%04d", number), []) }
    try server.store.set("users/a", [])
    try server.store.delete("users/d2991")
    let ids = try server.store.documents(in: "users").map { $0.path.dropFirst(6) }
    #expect(ids == ["a", "d0003", "d0005"] + (2992...3000).map { "d\($0)" })
    #expect(try server.store.count(in: "users") == 12)
    #expect(try TinyClient(server).send("GET", "users").ids.count == 12)
  }

  @Test("seeds in both forms")
  func seeds() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let typed = """
      {"key":"users/u1","fields":{"at":{"timestampValue":"2020-01-01T00:00:00.123456789Z"}},"updateTime":"2020-01-01T00:00:00Z"}

      {"key":"users/u%252F","fields":{}}
      {"key":"users/gone","deleted":true}
      """
    #expect(try server.store.seed(typed) == 2)
    #expect(
      try server.store.document("users/u1")?.fields["at"]
        == .timestamp(Timestamp(seconds: 1_577_836_800, nanoseconds: 123_456_000)))
    #expect(try server.store.document("users/u%2F") != nil)
    #expect(try server.store.seed(#"{"_key":"p1","n":5,"key":"x","tags":["a"]}"#, into: "plain") == 1)
    #expect(try server.store.document("plain/p1")?.fields["key"] == .string("x"))
    #expect(try server.store.seed("\n \n") == 0)
  }

  @Test(
    "seeds that Firestore would refuse are refused whole",
    arguments: [
      #"{"key":"users","fields":{}}"#, #"{"key":"users/__x__","fields":{}}"#,
      #"{"key":"users/u","fields":{"a":{"arrayValue":{"values":[{"arrayValue":{}}]}}}}"#,
      #"{"key":"users/u","fields":{"a":{"fooValue":1}}}"#, #"{"_key":"users/u","a":18446744073709551615}"#, "{", "[]",
    ])
  func badSeeds(line: String) throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let good = line.hasPrefix(#"{"_key""#) ? #"{"_key":"users/good"}"# : #"{"key":"users/good","fields":{}}"#
    #expect(throws: SluiceError.self) { try server.store.seed(good + "\n" + line) }
    #expect(try server.store.count(in: "users") == 0)
  }

  @Test("every project shows the same data, every database its own, and wiping empties one")
  func databases() throws {
    let server = try FirestoreServer.started(documents: 2)
    defer { server.stop() }
    try server.store.set("users/other", [], database: "second")
    let client = TinyClient(server)
    let reply = try client.send("GET", "/v1/projects/p2/databases/(default)/documents/users/d0001")
    #expect(reply.json["name"] == .string("projects/p2/databases/(default)/documents/users/d0001"))
    #expect(try client.send("GET", "/v1/projects/p/databases/%28default%29/documents/users").ids == ["d0001", "d0002"])
    #expect(try client.send("GET", "/v1/projects/p/databases/second/documents/users").ids == ["other"])
    #expect(try client.send("DELETE", "/emulator/v1/projects/p/databases/(default)/documents").text == "{}")
    #expect(try client.send("GET", "users").text == "{}")
    #expect(try server.store.count(in: "users", database: "second") == 1)
    #expect(try client.send("GET", "/").text == "Ok")
  }
}
