import FirestoreServer
import Foundation
import SluiceCore
import Testing

/// A query and the ids it finds; nil where it is refused.
struct QueryCase: Sendable, CustomTestStringConvertible {
  let query: String
  let ids: [String]?
  init(_ query: String, _ ids: String?) {
    self.query = query
    self.ids = ids?.split(separator: " ").map(String.init)
  }
  var testDescription: String { query }

  static func filter(_ op: String, _ value: String, on field: String = "n", _ ids: String?) -> QueryCase {
    QueryCase(#""where":{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"\#(op)","value":\#(value)}}"#, ids)
  }

  static func unary(_ op: String, _ ids: String) -> QueryCase {
    QueryCase(#""where":{"unaryFilter":{"field":{"fieldPath":"n"},"op":"\#(op)"}}"#, ids)
  }
}

@Suite("Queries")
struct QueryTests {
  static let root = "projects/demo/databases/(default)/documents"

  /// `c/d0`… with values of all kinds as `n` and their number as `i`, and `c/z` without `n`.
  static func server() throws -> FirestoreServer {
    let server = try FirestoreServer.started()
    let values: [Value] = [.null, .bool(true), .int(5), .double(.nan), .double(5.5), .string("a"), .array([.int(1)])]
    for (number, value) in values.enumerated() {
      try server.store.set("c/d\(number)", [Field("n", value), Field("i", .int(Int64(number)))])
    }
    try server.store.set("c/z", [Field("i", .int(1))])
    return server
  }

  static let filterCases: [QueryCase] = {
    let null = #"{"nullValue":null}"#
    let five = #"{"integerValue":"5"}"#
    let nan = #"{"doubleValue":"NaN"}"#
    let a = #"{"stringValue":"a"}"#
    func list(_ items: String...) -> String { #"{"arrayValue":{"values":["# + items.joined(separator: ",") + "]}}" }
    func name(_ id: String) -> String { #"{"referenceValue":"\#(root)/c/\#(id)"}"# }
    return [
      .filter("EQUAL", null, ""), .filter("EQUAL", five, "d2"), .filter("EQUAL", nan, ""), .filter("EQUAL", a, "d5"),
      .filter("EQUAL", #"{"doubleValue":5}"#, "d2"), .filter("LESS_THAN", five, ""),
      .filter("LESS_THAN", #"{"doubleValue":5.25}"#, "d2"), .filter("GREATER_THAN_OR_EQUAL", five, "d2 d4"),
      .filter("GREATER_THAN", five, "d4"), .filter("LESS_THAN_OR_EQUAL", #"{"doubleValue":"Infinity"}"#, "d2 d4"),
      .filter("GREATER_THAN_OR_EQUAL", null, ""), .filter("GREATER_THAN_OR_EQUAL", nan, ""),
      .filter("GREATER_THAN_OR_EQUAL", a, "d5"), .filter("NOT_EQUAL", null, ""),
      .filter("NOT_EQUAL", five, "d1 d3 d4 d5 d6"), .filter("NOT_EQUAL", nan, "d1 d3 d2 d4 d5 d6"),
      .unary("IS_NAN", "d3"), .unary("IS_NULL", "d0"), .unary("IS_NOT_NAN", "d1 d2 d4 d5 d6"),
      .unary("IS_NOT_NULL", "d1 d3 d2 d4 d5 d6"), .filter("IN", list(null, five, nan), "d2"),
      .filter("IN", list(), nil),
      .filter("IN", five, nil), .filter("NOT_IN", list(five), "d1 d3 d4 d5 d6"),
      .filter("NOT_IN", list(five, null), ""),
      .filter("ARRAY_CONTAINS", five, ""), .filter("ARRAY_CONTAINS", #"{"integerValue":"1"}"#, "d6"),
      .filter("ARRAY_CONTAINS_ANY", list(five, #"{"integerValue":"1"}"#), "d6"), .filter("FOO", five, nil),
      .filter("GREATER_THAN", name("d4"), on: "__name__", "d5 d6 z"),
      .filter("EQUAL", name("d4"), on: "__name__", "d4"),
      .filter("IN", list(name("d4"), name("none"), name("z")), on: "__name__", "d4 z"),
      .filter("EQUAL", a, on: "__name__", nil),
      QueryCase(#""where":{"fieldFilter":{"field":{"fieldPath":"n"},"op":5,"value":\#(five)}}"#, "d2"),
      QueryCase(#""where":{}"#, nil), QueryCase(#""where":{"compositeFilter":{"op":"AND","filters":[]}}"#, nil),
    ]
  }()

  static let shapeCases: [QueryCase] = {
    func order(_ fields: String...) -> String {
      let items = fields.map { field in
        let words = field.split(separator: " ")
        let direction = words.count > 1 ? #","direction":"DESCENDING""# : ""
        return #"{"field":{"fieldPath":"\#(words[0])"}\#(direction)}"#
      }
      return #""orderBy":[\#(items.joined(separator: ","))]"#
    }
    func cursor(_ name: String, _ values: String..., before: Bool) -> String {
      #""\#(name)":{"values":[\#(values.joined(separator: ","))],"before":\#(before)}"#
    }
    let one = #"{"integerValue":"1"}"#
    let name = #"{"referenceValue":"\#(root)/c/d4"}"#
    return [
      QueryCase("", "d0 d1 d2 d3 d4 d5 d6 z"), QueryCase(order("n"), "d0 d1 d3 d2 d4 d5 d6"),
      QueryCase(order("n d"), "d6 d5 d4 d2 d3 d1 d0"), QueryCase(order("i", "__name__ d") + #","limit":3"#, "d0 z d1"),
      QueryCase(order("i d") + #","limit":3,"offset":4"#, "d2 z d1"), QueryCase(#""limit":0"#, ""),
      QueryCase(#""limit":-1"#, nil), QueryCase(#""offset":-1"#, nil), QueryCase(#""offset":6,"limit":5"#, "d6 z"),
      QueryCase(#""limit":{"value":2}"#, nil), QueryCase(order("i", "i"), nil), QueryCase(order("__name__", "i"), nil),
      QueryCase(order("__name__") + "," + cursor("startAt", name, before: false), "d5 d6 z"),
      QueryCase(order("__name__") + "," + cursor("startAt", name, before: true) + #","limit":2"#, "d4 d5"),
      QueryCase(order("__name__") + "," + cursor("endAt", name, before: true), "d0 d1 d2 d3"),
      QueryCase(order("__name__") + "," + cursor("endAt", name, before: false), "d0 d1 d2 d3 d4"),
      QueryCase(order("__name__ d") + "," + cursor("startAt", name, before: false), "d3 d2 d1 d0"),
      QueryCase(
        order("i", "__name__") + "," + cursor("startAt", one, #"{"referenceValue":"\#(root)/c/d1"}"#, before: false)
          + #","limit":2"#, "z d2"),
      QueryCase(order("i") + "," + cursor("startAt", one, before: false), "d2 d3 d4 d5 d6"),
      QueryCase(order("i") + "," + cursor("startAt", one, one, before: false), nil),
      QueryCase(cursor("startAt", name, before: true), nil),
      QueryCase(order("__name__") + "," + cursor("startAt", one, before: true), nil),
      QueryCase(#""select":{"fields":[{"fieldPath":"__name__"}]},"limit":1"#, "d0"), QueryCase(#""bogus":1"#, nil),
      QueryCase(
        #""where":{"compositeFilter":{"op":"OR","filters":[{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NULL"}},"#
          + #"{"compositeFilter":{"op":"AND","filters":[{"fieldFilter":{"field":{"fieldPath":"i"},"op":"EQUAL","value":\#(one)}}]}}]}}"#,
        "d0 d1 z"),
    ]
  }()

  @Test("filters", arguments: filterCases)
  func filters(one: QueryCase) throws { try check(one) }

  @Test("orders, cursors, limits", arguments: shapeCases)
  func shapes(one: QueryCase) throws { try check(one) }

  private func check(_ one: QueryCase) throws {
    let server = try Self.server()
    defer { server.stop() }
    let comma = one.query.isEmpty ? "" : ","
    let body = #"{"structuredQuery":{"from":[{"collectionId":"c"}]\#(comma)\#(one.query)}}"#
    let reply = try TinyClient(server).send("POST", ":runQuery", body)
    if let ids = one.ids {
      #expect(reply.ids == ids, "\(reply.text)")
      #expect(reply.text.last == "]", "a streaming body ends at its bracket")
    } else {
      #expect(reply.status == 400)
      #expect(
        reply.json[0]?["error"]?["status"] == .string("INVALID_ARGUMENT"), "an error of a stream stands in an array")
    }
  }

  @Test("collections of a document, of a group, of any kind")
  func sources() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    for path in ["c/a", "c/b/sub/y", "c/a/sub/x", "c/a/sub/x/sub/deep", "e/e"] { try server.store.set(path, []) }
    let client = TinyClient(server)
    func ids(_ from: String, under parent: String = "") throws -> [String] {
      try client.send("POST", parent + ":runQuery", #"{"structuredQuery":{"from":[\#(from)]}}"#).ids
    }
    #expect(try ids(#"{"collectionId":"sub"}"#, under: "c/a") == ["x"])
    #expect(try ids(#"{"collectionId":"sub","allDescendants":true}"#) == ["x", "deep", "y"])
    #expect(try ids(#"{"collectionId":"sub","allDescendants":true}"#, under: "c/a") == ["x", "deep"])
    #expect(try ids(#"{"allDescendants":true}"#) == ["a", "x", "deep", "y", "e"])
    #expect(try ids("") == ["a", "e"])
    #expect(try client.send("POST", ":runQuery", "{}").status == 400)
    let lists = try client.send("POST", ":listCollectionIds", #"{"pageSize":1}"#)
    #expect(lists.json["collectionIds"] == .array([.string("c")]))
    let token = try #require(lists.nextPageToken)
    let next = try client.send("POST", ":listCollectionIds", #"{"pageSize":1,"pageToken":"\#(token)"}"#)
    #expect(next.text == #"{"collectionIds":["e"]}"#)
    #expect(try client.send("POST", "c/b:listCollectionIds", "{}").text == #"{"collectionIds":["sub"]}"#)
    #expect(try client.send("POST", "e/e:listCollectionIds", "{}").text == "{}")
  }

  @Test("a keyset of ordered pages meets every document once")
  func keyset() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    for number in 0..<100 { try server.store.set("c/d\(number)", [Field("n", .int(Int64(number % 7)))]) }
    let client = TinyClient(server)
    var cursor = ""
    var seen: [String] = []
    for _ in 0..<20 {
      let body = """
        {"structuredQuery":{"from":[{"collectionId":"c"}],"limit":9,"orderBy":[{"field":{"fieldPath":"n"}},
        {"field":{"fieldPath":"__name__"}}]\(cursor)}}
        """
      let reply = try client.send("POST", ":runQuery", body)
      seen += reply.ids
      guard reply.ids.count == 9, let last = reply.json.items.last?["document"] else { break }
      let n = last["fields"]?["n"]?["integerValue"]?.string ?? ""
      let name = last["name"]?.string ?? ""
      cursor = #","startAt":{"values":[{"integerValue":"\#(n)"},{"referenceValue":"\#(name)"}],"before":false}"#
    }
    #expect(seen.count == 100 && Set(seen).count == 100)
  }

  @Test("an offset is told, and billed")
  func offset() throws {
    let server = try Self.server()
    defer { server.stop() }
    let body = #"{"structuredQuery":{"from":[{"collectionId":"c"}],"offset":5,"limit":2}}"#
    let reply = try TinyClient(server).send("POST", ":runQuery", body)
    #expect(reply.json[0]?["skippedResults"] == .int(5) && reply.json[1]?["skippedResults"] == nil)
    #expect(server.log.counters.billedReads == 7 && server.log.counters.documents == 2)
    let beyond = try TinyClient(server).send("POST", ":runQuery", body.replacingOccurrences(of: ":5", with: ":50"))
    #expect(beyond.json[0]?["skippedResults"] == .int(8) && beyond.ids.isEmpty)
  }

  @Test("batchGet: found and missing, each once")
  func batchGet() throws {
    let server = try Self.server()
    defer { server.stop() }
    let client = TinyClient(server)
    let body = #"{"documents":["N/c/d1","N/c/none","N/c/d1"],"mask":{"fieldPaths":["i"]}}"#.replacingOccurrences(
      of: "N/", with: Self.root + "/")
    let reply = try client.send("POST", ":batchGet", body)
    #expect(reply.json.items.count == 2 && reply.text.last == "]")
    #expect(reply.json[0]?["found"]?["fields"] == .map([Field("i", .map([Field("integerValue", .string("1"))]))]))
    #expect(reply.json[1]?["missing"] == .string(Self.root + "/c/none") && reply.json[1]?["readTime"] != nil)
    #expect(try client.send("POST", ":batchGet", "{}").text == "[]")
    #expect(try client.send("POST", ":batchGet", #"{"documents":["c/d1"]}"#).errorStatus == "INVALID_ARGUMENT")
  }

  @Test("counts, sums and averages")
  func aggregations() throws {
    let server = try Self.server()
    defer { server.stop() }
    func fields(_ aggregations: String) throws -> Value? {
      let query = #""structuredQuery":{"from":[{"collectionId":"c"}]}"#
      let body = #"{"structuredAggregationQuery":{\#(query),"aggregations":[\#(aggregations)]}}"#
      return try TinyClient(server).send("POST", ":runAggregationQuery", body).json[0]?["result"]?["aggregateFields"]
    }
    let count = try fields(#"{"alias":"n","count":{}},{"count":{"upTo":"2"}}"#)
    #expect(count?["n"]?["integerValue"] == .string("8") && count?["field_1"]?["integerValue"] == .string("2"))
    let sum = try fields(
      #"{"alias":"s","sum":{"field":{"fieldPath":"i"}}},{"alias":"a","avg":{"field":{"fieldPath":"i"}}}"#)
    #expect(sum?["s"]?["integerValue"] == .string("22") && sum?["a"]?["doubleValue"] == .double(2.75))
    #expect(try fields("") == nil)
  }
}
