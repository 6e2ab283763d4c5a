import FirestoreServer
import Foundation
import SluiceCore
import Testing

/// One request and what is to come of it.
struct WriteStep: Sendable, CustomTestStringConvertible {
  let verb: String
  let path: String
  let body: String?
  let status: Int
  let contains: [String]
  init(_ verb: String, _ path: String, _ body: String? = nil, _ status: Int, _ contains: String...) {
    (self.verb, self.path, self.body, self.status) = (verb, path, body, status)
    self.contains = contains
  }
  var testDescription: String { "\(verb) \(path) \(body ?? "")" }
}

@Suite("Writes")
struct WriteTests {
  static let root = "projects/demo/databases/(default)/documents"

  /// A server with `c/d` = {a: 1, m: {x: 1, y: 2}}, whose update time is known.
  static func server() throws -> FirestoreServer {
    let server = try FirestoreServer.started {
      $0.clock = ServerClock(at: Timestamp(seconds: 1_700_000_000, nanoseconds: 0))
    }
    try server.store.set("c/d", [Field("a", .int(1)), Field("m", .map([Field("x", .int(1)), Field("y", .int(2))]))])
    return server
  }

  static let singleWrites: [WriteStep] = [
    WriteStep(
      "POST", "c?documentId=new", #"{"fields":{"a":{"integerValue":1}}}"#, 200, "/c/new\"", "\"integerValue\":\"1\""),
    WriteStep("POST", "c", #"{"fields":{}}"#, 200, "\"createTime\":"),
    WriteStep("POST", "c?documentId=d", #"{"fields":{}}"#, 409, "ALREADY_EXISTS"),
    WriteStep("POST", "c?documentId=a%2Fb", "{}", 400, "INVALID_ARGUMENT"),
    WriteStep("POST", "c?documentId=__x__", "{}", 400, "reserved"),
    WriteStep("POST", "c?documentId=..", "{}", 400, "INVALID_ARGUMENT"),
    WriteStep("POST", "c?documentId=" + String(repeating: "x", count: 1501), "{}", 400, "1500"),
    WriteStep("POST", "c/d", "{}", 400, "INVALID_ARGUMENT"),
    WriteStep("POST", "c", #"{"name":"x"}"#, 400, "document.name must not be set"),
    WriteStep("PATCH", "c/e", #"{"fields":{"b":{"integerValue":"2"}}}"#, 200, "\"b\":"),
    WriteStep(
      "PATCH", "c/d", #"{"fields":{"b":{"integerValue":"2"}}}"#, 200, "\"fields\":{\"b\":{\"integerValue\":\"2\"}}"),
    WriteStep(
      "PATCH", "c/d?updateMask.fieldPaths=m.x&updateMask.fieldPaths=a", #"{"fields":{"z":{"integerValue":"2"}}}"#, 200,
      #""fields":{"m":{"mapValue":{"fields":{"y":{"integerValue":"2"}}}}}"#),
    WriteStep(
      "PATCH", "c/d?updateMask.fieldPaths=a.b.c",
      #"{"fields":{"a":{"mapValue":{"fields":{"b":{"mapValue":{"fields":{"c":{"nullValue":null}}}}}}}}}"#,
      200, #""a":{"mapValue":{"fields":{"b":{"mapValue":{"fields":{"c":{"nullValue":null}}}}}}}"#),
    WriteStep("PATCH", "c/d?updateMask.fieldPaths=__name__", "{}", 400, "INVALID_ARGUMENT"),
    WriteStep(
      "PATCH", "c/d?mask.fieldPaths=zz", #"{"fields":{"a":{"integerValue":"2"}}}"#, 200, "/c/d\",\"createTime\""),
    WriteStep("PATCH", "c/d?currentDocument.exists=false", "{}", 409, "ALREADY_EXISTS"),
    WriteStep("PATCH", "c/none?currentDocument.exists=true", "{}", 404, "NOT_FOUND"),
    WriteStep("PATCH", "c/d?currentDocument.updateTime=2020-01-01T00:00:00Z", "{}", 400, "FAILED_PRECONDITION"),
    WriteStep("PATCH", "c/none?currentDocument.updateTime=2020-01-01T00:00:00Z", "{}", 400, "FAILED_PRECONDITION"),
    WriteStep("PATCH", "c/d?currentDocument.updateTime=2020-01-01T00:00:00.0000001Z", "{}", 400, "INVALID_ARGUMENT"),
    WriteStep("PATCH", "c/d?currentDocument.updateTime=2023-11-14T22:13:20Z", "{}", 200, "/c/d"),
    WriteStep("PATCH", "c", "{}", 400, "INVALID_ARGUMENT"),
    WriteStep("PATCH", "c/d", #"{"fields":{},"other":1}"#, 400, "Unknown name"),
    WriteStep("PATCH", "c/d", #"{"fields":"#, 400, "INVALID_ARGUMENT"),
    WriteStep("DELETE", "c/d", nil, 200, "{}"),
    WriteStep("DELETE", "c/none", nil, 200, "{}"),
    WriteStep("DELETE", "c/none?currentDocument.exists=true", nil, 404, "NOT_FOUND"),
    WriteStep("DELETE", "c/d?currentDocument.exists=false", nil, 409, "ALREADY_EXISTS"),
    WriteStep("PUT", "c/d", "{}", 404, "Not Found"),
    WriteStep("POST", ":beginTransaction", "{}", 501, "UNIMPLEMENTED"),
    WriteStep("POST", ":nonsense", "{}", 404, "Not Found"),
  ]

  @Test("createDocument, patch, delete", arguments: singleWrites)
  func single(step: WriteStep) throws {
    let server = try Self.server()
    defer { server.stop() }
    let reply = try TinyClient(server).send(step.verb, step.path, step.body)
    #expect(reply.status == step.status, "\(reply.text)")
    for text in step.contains { #expect(reply.text.contains(text)) }
  }

  static let batches: [WriteStep] = [
    WriteStep("POST", ":commit", "{}", 200, "{}"),
    WriteStep("POST", ":commit", write(#""delete":"N/c/d""#), 200, #""writeResults":[{}]"#),
    WriteStep("POST", ":commit", write(#""delete":"N/c/d""#, #""delete":"N/c/d""#), 200, #""writeResults":[{},{}]"#),
    WriteStep("POST", ":commit", write(#""delete":"N/c/none","currentDocument":{"exists":true}"#), 404, "NOT_FOUND"),
    WriteStep("POST", ":commit", write(""), 400, "empty write operation"),
    WriteStep("POST", ":commit", write(#""delete":"N/c/d","update":{"name":"N/c/d"}"#), 400, "INVALID_ARGUMENT"),
    WriteStep("POST", ":commit", write(#""update":{"name":"N/c"}"#), 400, "INVALID_ARGUMENT"),
    WriteStep("POST", ":commit", write(#""update":{"name":"c/d"}"#), 400, "lacks \\\"projects\\\""),
    WriteStep(
      "POST", ":commit", write(#""update":{"name":"projects/other/databases/(default)/documents/c/d"}"#), 400,
      "not of the database"),
    WriteStep("POST", ":commit", write(#""verify":"N/c/d""#), 400, "precondition"),
    WriteStep("POST", ":commit", write(#""verify":"N/c/d","currentDocument":{"exists":true}"#), 200, "updateTime"),
    WriteStep(
      "POST", ":commit",
      write(#""update":{"name":"N/c/d"},"updateTransforms":[{"fieldPath":"a","increment":{"stringValue":"1"}}]"#), 400,
      "int64 or double"),
    WriteStep(
      "POST", ":commit",
      write(#""update":{"name":"N/c/d"},"updateTransforms":[{"fieldPath":"a","setToServerValue":"X"}]"#), 400,
      "INVALID_ARGUMENT"),
    WriteStep("POST", ":batchWrite", "{}", 200, "{}"),
    WriteStep("POST", ":batchWrite", write(#""delete":"N/c/d""#, #""delete":"N/c/d""#), 400, "more than once"),
    WriteStep(
      "POST", ":batchWrite",
      write(
        #""update":{"name":"N/c/x","fields":{}}"#, #""delete":"N/c/none","currentDocument":{"exists":true}"#,
        #""delete":"N/c/d""#),
      200, #""status":[{},{"code":5,"#),
  ]

  /// A body with these writes; `N` stands for the root.
  static func write(_ writes: String...) -> String {
    let items = writes.map { "{" + $0.replacingOccurrences(of: "\"N/", with: "\"\(root)/") + "}" }
    return #"{"writes":["# + items.joined(separator: ",") + "]}"
  }

  @Test("commit, batchWrite", arguments: batches)
  func batch(step: WriteStep) throws {
    let server = try Self.server()
    defer { server.stop() }
    let reply = try TinyClient(server).send(step.verb, step.path, step.body)
    #expect(reply.status == step.status, "\(reply.text)")
    for text in step.contains { #expect(reply.text.contains(text), "\(reply.text)") }
  }

  @Test("a commit is all or nothing, a batch write is not")
  func atomic() throws {
    let server = try Self.server()
    defer { server.stop() }
    let body = Self.write(
      #""update":{"name":"N/c/x","fields":{}}"#, #""delete":"N/c/none","currentDocument":{"exists":true}"#)
    let client = TinyClient(server)
    #expect(try client.send("POST", ":commit", body).status == 404)
    #expect(try server.store.document("c/x") == nil)
    #expect(try client.send("POST", ":batchWrite", body).status == 200)
    #expect(try server.store.document("c/x") != nil)
  }

  @Test("documents of one commit share their time, those of a batch write do not, and times always grow")
  func times() throws {
    let server = try Self.server()
    defer { server.stop() }
    let body = Self.write(#""update":{"name":"N/t/a","fields":{}}"#, #""update":{"name":"N/t/b","fields":{}}"#)
    let client = TinyClient(server)
    let commit = try client.send("POST", ":commit", body).json
    let times = commit["writeResults"]?.items.map { $0["updateTime"]?.string }
    #expect(times?[0] == times?[1] && times?[0] == commit["commitTime"]?.string)
    server.store.wipe()
    let batch = try client.send("POST", ":batchWrite", body).json["writeResults"]?.items.map {
      $0["updateTime"]?.string ?? ""
    }
    #expect(batch?[0] ?? "" < batch?[1] ?? "" && times?[0] ?? "" < batch?[0] ?? "")
  }

  @Test("a write that changes nothing keeps the update time")
  func noOp() throws {
    let server = try Self.server()
    defer { server.stop() }
    let client = TinyClient(server)
    let before = try client.send("GET", "c/d").json["updateTime"]
    // The same fields in another order.
    let same =
      #"{"fields":{"m":{"mapValue":{"fields":{"y":{"integerValue":"2"},"x":{"integerValue":"1"}}}},"a":{"integerValue":"1"}}}"#
    #expect(try client.send("PATCH", "c/d", same).json["updateTime"] == before)
    #expect(
      try client.send("PATCH", "c/d?updateMask.fieldPaths=a", #"{"fields":{"a":{"integerValue":"1"}}}"#).json[
        "updateTime"] == before)
    #expect(
      try client.send("PATCH", "c/d?updateMask.fieldPaths=a", #"{"fields":{"a":{"doubleValue":1}}}"#).json["updateTime"]
        != before)
  }

  @Test("transforms work on the value that is there")
  func transforms() throws {
    let server = try Self.server()
    defer { server.stop() }
    try server.store.set(
      "t/d",
      [Field("a", .int(1)), Field("arr", .array([.int(1)])), Field("s", .string("x")), Field("big", .int(.max))])
    let transforms = """
      {"fieldPath":"a","increment":{"integerValue":"2"}},{"fieldPath":"big","increment":{"integerValue":"2"}},
      {"fieldPath":"s","increment":{"doubleValue":1.5}},{"fieldPath":"new","maximum":{"integerValue":"3"}},
      {"fieldPath":"a","minimum":{"doubleValue":3.0}},{"fieldPath":"ts","setToServerValue":"REQUEST_TIME"},
      {"fieldPath":"arr","appendMissingElements":{"values":[{"doubleValue":1},{"integerValue":"2"},{"integerValue":"2"}]}},
      {"fieldPath":"gone","removeAllFromArray":{"values":[{"integerValue":"1"}]}}
      """
    let body = Self.write(
      #""update":{"name":"N/t/d"},"updateMask":{"fieldPaths":[]},"updateTransforms":[\#(transforms)]"#)
    let reply = try TinyClient(server).send("POST", ":commit", body)
    let results = reply.json["writeResults"]?[0]?["transformResults"]?.items ?? []
    #expect(results.count == 8, "\(reply.text)")
    #expect(results.first?["integerValue"] == .string("3") && results.last == .map([Field("nullValue", .null)]))
    let stored = try server.store.document("t/d")?.fields
    #expect(stored?["a"] == .int(3) && stored?["big"] == .int(.max) && stored?["s"] == .double(1.5))
    #expect(stored?["new"] == .int(3) && stored?["arr"] == .array([.int(1), .int(2)]) && stored?["gone"] == .array([]))
    #expect(stored?["ts"] == .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 0)))
  }
}
