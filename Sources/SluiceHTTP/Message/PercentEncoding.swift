/// Percent-encoding of RFC 3986: everything but the unreserved characters becomes the `%XX` of its UTF-8 bytes.
public enum PercentEncoding {
  /// One segment of a path. `/`, `:`, `%`, `+`, `#`, `?` and space are encoded; so are the segments `.` and `..`, which
  /// a client or proxy would otherwise resolve.
  public static func pathSegment(_ text: some StringProtocol) -> String {
    if text == "." { return "%2E" }
    if text == ".." { return "%2E%2E" }
    return encode(text)
  }

  /// A name or a value of a query. Space becomes `%20`, never `+`.
  public static func query(_ text: some StringProtocol) -> String {
    encode(text)
  }

  private static func encode(_ text: some StringProtocol) -> String {
    let hex = hexDigits
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hex[Int(byte >> 4)])
        bytes.append(hex[Int(byte & 15)])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
