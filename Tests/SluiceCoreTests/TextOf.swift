import SluiceCore

/// Spells what it is spoken to as one line of text, so that tests see order and kinds.
struct TextOf: DocumentVisitor {
  var text = ""
  private var isFirst = true

  private mutating func separate() {
    if !isFirst { text += " " }
    isFirst = false
  }
  mutating func begin(document key: Span<UInt8>, header: DocumentHeader) {
    separate()
    text += "\(string(key))\(header.isMissing ? "?" : "")("
    isFirst = true
  }
  mutating func endDocument() {
    text += ")"
    isFirst = false
  }
  mutating func delete(key: Span<UInt8>, version: Version) {
    separate()
    text += "-\(string(key))"
  }
  mutating func name(_ utf8: Span<UInt8>, plain: Bool) {
    separate()
    text += "\(string(utf8)):"
    isFirst = true
  }
  mutating func begin(_ container: Container) {
    separate()
    text += "\(container)["
    isFirst = true
  }
  mutating func end(_ container: Container) {
    text += "]"
    isFirst = false
  }
  mutating func value(_ scalar: Scalar) {
    separate()
    switch scalar {
    case .null: text += "null"
    case .bool(let value): text += "\(value)"
    case .int(let value): text += "\(value)"
    case .double(let value): text += "d\(value)"
    case .decimal(let digits): text += "n\(string(digits))"
    case .timestamp(let value): text += "@\(value)"
    case .string(let utf8): text += "'\(string(utf8))'"
    case .bytes(let bytes): text += "b\(bytes.count)"
    case .reference(let utf8): text += "&\(string(utf8))"
    case .unknown(let kind, let raw): text += "?\(string(kind))=\(string(raw))"
    }
  }
}

func string(_ utf8: Span<UInt8>) -> String {
  String(decoding: (0..<utf8.count).map { utf8[$0] }, as: UTF8.self)
}

extension Batch {
  /// What a sink would be told.
  var text: String {
    var visitor = TextOf()
    visit(&visitor)
    return visitor.text
  }
}

/// A batch of one document `k` with these fields.
func batch(_ fields: KeyValuePairs<String, Value>) throws -> Batch {
  var builder = BatchBuilder()
  builder.add(key: "k", fields)
  return try builder.finish()
}

/// Every kind of value.
let everyKind: KeyValuePairs<String, Value> = [
  "null": .null, "yes": .bool(true), "no": .bool(false), "int": .int(.min), "double": .double(-0.0),
  "decimal": .decimal("18446744073709551615"), "time": .timestamp(Timestamp(seconds: -1, nanoseconds: 5)),
  "string": .string("a\"\u{1F98A}"), "bytes": .bytes([0, 255]), "ref": .reference("projects/p/x"),
  "geo": .geoPoint(latitude: 1.5, longitude: -2), "array": .array([.int(1), .array([]), .map([Field("a", .null)])]),
  "map": .map([Field("b", .int(1)), Field("a", .map([]))]), "vector": .vector([1, .nan]),
  "unknown": .unknown(kind: "newValue", raw: Array("{\"x\":[1]}".utf8)), "": .string(""),
]
