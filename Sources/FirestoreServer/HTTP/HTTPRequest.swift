import SluiceCore

/// A request as it came in.
struct HTTPRequest: Sendable {
  var method: String
  /// Path and query, with their escapes.
  var target: String
  var host: String?
  /// The page that a browser sends the request for.
  var origin: String?
  var authorization: String?
  /// The header `x-goog-api-key`.
  var apiKey: String?
  var body: [UInt8] = []
  /// The number of the connection it came over, from 1.
  var connection = 0

  /// The part of the target before `?`, with its escapes.
  var path: String { target.firstIndex(of: "?").map { String(target[..<$0]) } ?? target }

  /// The names and values of the query, without escapes, in order. Nil where an escape is broken.
  var query: [(name: String, value: String)]? {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    var result: [(name: String, value: String)] = []
    for item in target[target.index(after: mark)...].split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
        let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
      else { return nil }
      result.append((name, value))
    }
    return result
  }
}

/// An answer, and how it is to be sent.
struct HTTPReply: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  var contentType = "application/json; charset=UTF-8"
  var body: [UInt8] = []
  /// Send only so many bytes of the body, though its whole length was promised, and close the connection.
  var cutAfter: Int?
  /// Close the connection without an answer.
  var isDropped = false
  /// Wait so long before the answer.
  var delay: Duration?
  /// Wait for this before the answer.
  var gate: FaultGate?
  /// Send these steps instead, and close the connection.
  var wire: (@Sendable (HTTPReply) -> [WireStep])?
}

/// `%XX` in paths and queries.
enum PercentEncoding {
  /// The text, nil where an escape is broken or the bytes are not UTF-8.
  static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var utf8 = text.utf8.makeIterator()
    while let byte = utf8.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = utf8.next().flatMap(digit), let low = utf8.next().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with everything escaped but letters, digits and `-._~`.
  static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
    default: nil
    }
  }
}

/// The check against web pages of others: those that reach a loopback server under a name of their own (DNS rebinding),
/// and those that have a browser send it requests.
enum LoopbackHost {
  /// Whether a `Host` header names this machine: `localhost`, `127.x.x.x` or `[::1]`, with or without a port.
  static func accepts(_ host: String?) -> Bool {
    guard let host else { return false }
    if host == "[::1]" { return true }
    if host.hasPrefix("[::1]:") { return isPort(host.dropFirst(6)) }
    let parts = host.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.count == 1 || isPort(parts[1]) else { return false }
    let name = parts[0].lowercased()
    if name == "localhost" { return true }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// Whether an `Origin` header is absent or names this machine.
  static func accepts(origin: String?) -> Bool {
    guard let origin else { return true }
    guard let scheme = origin.firstRange(of: "://") else { return false }
    return accepts(String(origin[scheme.upperBound...]))
  }

  private static func isPort(_ text: some StringProtocol) -> Bool { UInt16(text) != nil }
}
