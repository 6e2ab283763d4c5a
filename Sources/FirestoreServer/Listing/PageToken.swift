import SluiceCore
import SluiceJSON

/// Where the next page of a listing begins: opaque to clients, bound to the request it was made for.
///
/// A position in the order (values and id of the last document shown), so that deletes and inserts between two pages
/// move nothing. Base64 over a checksum and JSON.
struct PageToken: Sendable, Equatable {
  /// The number of the page that this token asks for, from 1.
  var page: Int
  /// Digest of the parameters that must not change from page to page.
  var digest: UInt64
  /// The id of the last document shown; nil before the first.
  var after: String?
  /// The values that order that document, but for its name.
  var values: [Value] = []

  var text: String {
    var fields = [Field("p", .int(Int64(page))), Field("d", .int(Int64(bitPattern: digest)))]
    if let after { fields.append(Field("k", .string(after))) }
    // Each value as the text of its typed form: that keeps its type.
    fields.append(Field("v", .array(values.map { .string(String(decoding: JSON.encodeTyped($0), as: UTF8.self)) })))
    let json = JSON.encode(.map(fields))
    return Base64.encode(Self.checksum(json) + json)
  }

  /// Throws INVALID_ARGUMENT for a text that no server made, and for a token of another request.
  init(_ text: String, digest: UInt64) throws(StatusError) {
    guard let token = PageToken(anyRequest: text) else { throw .invalid("invalid page token") }
    guard token.digest == digest else {
      throw .invalid("page token was made for a request with other parameters")
    }
    self = token
  }

  init(page: Int, digest: UInt64, after: String?, values: [Value] = []) {
    self.page = page
    self.digest = digest
    self.after = after
    self.values = values
  }

  /// A token of whatever request.
  init?(anyRequest text: String) {
    guard let bytes = Base64.decode(text), bytes.count > 8, Self.checksum(Array(bytes[8...])) == Array(bytes[..<8]),
      let json = try? JSON.parse(Array(bytes[8...])),
      let message = try? Message(json, at: "token", allowing: ["p", "d", "k", "v"]),
      let page = try? message.int("p"), let digest = try? message.int("d"), let values = try? message.strings("v")
    else { return nil }
    self.init(page: Int(page), digest: UInt64(bitPattern: digest), after: try? message.string("k"))
    for value in values {
      guard let value = try? JSON.parseTyped(Array(value.utf8)) else { return nil }
      self.values.append(value)
    }
  }

  /// A digest of texts, in order.
  static func digest(_ parts: [String]) -> UInt64 {
    var bytes: [UInt8] = []
    for part in parts {
      bytes += part.utf8
      bytes.append(0)
    }
    return Fingerprint(of: bytes.span).low
  }

  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    let sum = Fingerprint(of: bytes.span).high
    return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }
}
