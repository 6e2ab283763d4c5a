/// Who signed a server's certificate, read from the TLS handshake, so that a refusal can name them. Nothing is judged
/// here: that is the TLS library's part.
enum CertificateIssuer {
  /// The issuer (`CN=Example CA, O=Example`) of the first certificate in a handshake message. Nil for every other
  /// message, and for one that cannot be read.
  static func name(inHandshake message: UnsafeRawBufferPointer) -> String? {
    // Type 11 and a length of three bytes (RFC 8446, 4). A chain is a few KiB.
    guard message.count > 4, message.count <= 1 << 18, message[0] == 11 else { return nil }
    guard let certificate = firstCertificate(in: Array(message.dropFirst(4))) else { return nil }
    return name(inCertificate: certificate)
  }

  /// TLS 1.2 (RFC 5246, 7.4.2) begins with the list's length, TLS 1.3 (RFC 8446, 4.4.2) with a context before it.
  private static func firstCertificate(in body: [UInt8]) -> ArraySlice<UInt8>? {
    for start in [0, 1 + Int(body[0])] where start + 6 <= body.count {
      let list = length(body, at: start)
      let first = length(body, at: start + 3)
      if start + 3 + list == body.count, start + 6 + first <= body.count {
        return body[(start + 6)..<(start + 6 + first)]
      }
    }
    return nil
  }

  private static func length(_ bytes: [UInt8], at index: Int) -> Int {
    Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
  }

  /// The issuer's name in a certificate (RFC 5280, 4.1).
  private static func name(inCertificate bytes: ArraySlice<UInt8>) -> String? {
    var outer = DERReader(bytes)
    guard let certificate = outer.next(0x30) else { return nil }
    var inner = DERReader(certificate)
    guard let signed = inner.next(0x30) else { return nil }
    var fields = DERReader(signed)
    if fields.tag == 0xA0 { _ = fields.next() }  // version
    guard fields.next(0x02) != nil, fields.next(0x30) != nil, let issuer = fields.next(0x30) else { return nil }
    return text(ofName: issuer)
  }

  private static func text(ofName bytes: ArraySlice<UInt8>) -> String? {
    var parts: [String] = []
    var sets = DERReader(bytes)
    while let set = sets.next(0x31) {
      var attributes = DERReader(set)
      while let attribute = attributes.next(0x30) {
        var pair = DERReader(attribute)
        guard let type = pair.next(0x06), let short = names[Array(type)] else { continue }
        // UTF8String, PrintableString, TeletexString, IA5String.
        guard [0x0C, 0x13, 0x14, 0x16].contains(pair.tag), let value = pair.next() else { continue }
        parts.append("\(short)=\(shown(value))")
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// The attributes worth showing, by their object identifiers 2.5.4.x.
  private static let names: [[UInt8]: String] = [
    [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 10]: "O", [0x55, 4, 11]: "OU",
  ]

  /// On one line, not too long, and nothing that a terminal would obey: the other side chose the text.
  private static func shown(_ value: ArraySlice<UInt8>) -> String {
    let text = String(decoding: value.prefix(64), as: UTF8.self)
    return text.unicodeScalars.map { $0.value < 0x20 || 0x7F...0x9F ~= $0.value ? " " : String($0) }.joined()
  }
}

/// Walks over DER values, one after the other (X.690, 8.1). Ends at what is damaged.
private struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The tag of the next value; nil at the end.
  var tag: UInt8? { rest.first }

  /// The content of the next value; nil where it has another tag than this, or is cut.
  mutating func next(_ wanted: UInt8? = nil) -> ArraySlice<UInt8>? {
    guard let tag = rest.first, wanted == nil || tag == wanted, rest.count >= 2 else { return nil }
    var content = rest.dropFirst(2)
    var length = Int(rest[rest.startIndex + 1])
    if length >= 0x80 {
      let digits = length & 0x7F
      guard 1...3 ~= digits, content.count >= digits else { return nil }
      length = content.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
      content = content.dropFirst(digits)
    }
    guard length <= content.count else { return nil }
    rest = content.dropFirst(length)
    return content.prefix(length)
  }
}
