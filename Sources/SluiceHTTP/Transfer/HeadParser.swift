import SluiceCore

/// Gathers status, fields and trailers from the lines that libcurl hands over, and counts their bytes.
struct HeadParser {
  /// What a line meant.
  enum Event {
    case more
    /// The final answer's head is complete.
    case head
    case tooLarge
  }

  private(set) var status = 0
  private(set) var headers = HTTPHeaders()
  private(set) var trailers = HTTPHeaders()
  private(set) var isComplete = false
  private var bytes = 0
  private let maxBytes: Int

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  mutating func consume(_ line: UnsafeRawBufferPointer) -> Event {
    bytes += line.count
    if bytes > maxBytes { return .tooLarge }
    var text = Substring(decoding: line, as: UTF8.self)
    while let last = text.utf8.last, last == 0x0A || last == 0x0D { text.unicodeScalars.removeLast() }

    if !isComplete, text.hasPrefix("HTTP/") {
      // An interim answer (100, 103) may have come before: only the last head counts.
      status = Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
      headers = HTTPHeaders()
      return .more
    }
    if text.isEmpty {
      guard !isComplete, status >= 200 else { return .more }
      isComplete = true
      return .head
    }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return .more }
    let name = String(text[..<colon])
    let value = String(Self.trim(text[text.utf8.index(after: colon)...]))
    if isComplete { trailers.add(name, value) } else { headers.add(name, value) }
    return .more
  }

  /// The declared length of the body as it is on the wire.
  var contentLength: Int? {
    headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Whether the body is packed, so that its declared length says nothing of its real one.
  var isEncoded: Bool { headers["Content-Encoding"] != nil }

  private static func trim(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
