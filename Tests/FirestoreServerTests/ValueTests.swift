import FirestoreServer
import Foundation
import SluiceCore
import Testing

@Suite("Values")
struct ValueTests {
  /// A typed value and how it comes back; nil where it is refused.
  static let values: [(String, String?)] = [
    (#"{"nullValue":null}"#, #"{"nullValue":null}"#), (#"{"nullValue":"NULL_VALUE"}"#, #"{"nullValue":null}"#),
    (#"{"booleanValue":true}"#, #"{"booleanValue":true}"#), (#"{"integerValue":5}"#, #"{"integerValue":"5"}"#),
    (#"{"integerValue":"-9223372036854775808"}"#, #"{"integerValue":"-9223372036854775808"}"#),
    (#"{"integerValue":"9223372036854775808"}"#, nil), (#"{"integerValue":"1.5"}"#, nil),
    (#"{"integerValue":1.0}"#, #"{"integerValue":"1"}"#), (#"{"doubleValue":"NaN"}"#, #"{"doubleValue":"NaN"}"#),
    (#"{"doubleValue":"-Infinity"}"#, #"{"doubleValue":"-Infinity"}"#), (#"{"doubleValue":"abc"}"#, nil),
    (#"{"doubleValue":"1.5"}"#, #"{"doubleValue":1.5}"#), (#"{"doubleValue":3}"#, #"{"doubleValue":3.0}"#),
    (#"{"timestampValue":"2020-01-01T00:00:00"}"#, nil), (#"{"timestampValue":"0000-01-01T00:00:00Z"}"#, nil),
    (
      #"{"timestampValue":"2020-01-01T00:00:00.123456789+02:00"}"#, #"{"timestampValue":"2019-12-31T22:00:00.123456Z"}"#
    ),
    (#"{"stringValue":"a\u0000é"}"#, #"{"stringValue":"a\u0000é"}"#),
    (#"{"bytesValue":"_-8"}"#, #"{"bytesValue":"/+8="}"#),
    (#"{"bytesValue":"**"}"#, nil), (#"{"referenceValue":"x/y"}"#, nil),
    (#"{"referenceValue":"projects/q/databases/z/documents/c"}"#, nil),
    (
      #"{"referenceValue":"projects/q/databases/z/documents/c/d"}"#,
      #"{"referenceValue":"projects/q/databases/z/documents/c/d"}"#
    ),
    (#"{"geoPointValue":{"latitude":91}}"#, nil), (#"{"arrayValue":{"values":[{"arrayValue":{}}]}}"#, nil),
    (#"{"arrayValue":{"values":[{"mapValue":{"fields":{"a":{"arrayValue":{}}}}}]}}"#, "same"),
    (#"{"mapValue":{"fields":{"__a__":{"nullValue":null}}}}"#, nil),
    (#"{"mapValue":{"fields":{"":{"nullValue":null}}}}"#, nil),
    (
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1.5}]}}}}}"#,
      "same"
    ),
    (
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"integerValue":"2"}]}}}}}"#,
      nil
    ),
    (vector("{}"), nil), (#"{"arrayValue":{"values":[\#(vector(#"{"values":[{"doubleValue":1.5}]}"#))]}}"#, nil),
    ("{}", nil), (#"{"integerValue":"1","stringValue":"x"}"#, nil), (#"{"fooValue":1}"#, nil), ("5", nil),
    (nested(20), "same"), (nested(21), nil),
  ]

  /// A vector with this as its array.
  static func vector(_ array: String) -> String {
    #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":\#(array)}}}}"#
  }

  /// Null in so many maps.
  static func nested(_ depth: Int) -> String {
    (0..<depth).reduce(#"{"nullValue":null}"#) { inner, _ in #"{"mapValue":{"fields":{"m":\#(inner)}}}"# }
  }

  @Test("C25 C26 C27 C29 C30 are taken, changed or refused as Firestore does", arguments: values)
  func value(sent: String, back: String?) throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let reply = try TinyClient(server).send("PATCH", "c/d", #"{"fields":{"f":\#(sent)}}"#)
    guard let back else {
      #expect(reply.status == 400 && reply.errorStatus == "INVALID_ARGUMENT", "\(reply.text)")
      return
    }
    #expect(reply.status == 200)
    let text = back == "same" ? sent : back
    #expect(
      reply.text.replacingOccurrences(of: #"{"arrayValue":{"values":[]}}"#, with: #"{"arrayValue":{}}"#).contains(text),
      "\(reply.text)")
  }

  @Test("sizes", arguments: [(1_048_487, 200), (1_048_488, 400)])
  func stringSize(length: Int, status: Int) throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let client = TinyClient(server)
    let text = String(repeating: "x", count: length)
    #expect(try client.send("PATCH", "v/big", #"{"fields":{"f":{"stringValue":"\#(text)"}}}"#).status == status)
    let half = #"{"stringValue":"\#(text.prefix(600_000))"}"#
    #expect(try client.send("PATCH", "v/big", #"{"fields":{"f":\#(half),"g":\#(half)}}"#).text.contains("1048576"))
  }

  @Test("composed and decomposed ids and names are different")
  func normalisation() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    try server.store.set("c/\u{E9}", [Field("\u{E9}", .int(1)), Field("e\u{301}", .int(2))])
    try server.store.set("c/e\u{301}", [])
    #expect(try server.store.count(in: "c") == 2)
    #expect(try server.store.document("c/\u{E9}")?.fields.count == 2)
  }
}
