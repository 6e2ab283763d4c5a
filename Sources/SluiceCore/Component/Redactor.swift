/// Replaces secrets in text by the expressions they came from. Applied to everything that leaves by the report, the
/// log and the error messages, as the last line of defence; not to the documents themselves.
///
/// A value is also found percent-encoded and JSON-escaped, and a value of several lines by each of its longer lines.
/// Bytes, not characters, are compared.
public struct Redactor: Sendable {
  private struct Needle: Sendable {
    var bytes: [UInt8]
    var replacement: [UInt8]
  }

  /// By first byte, the longest first.
  private var needles: [UInt8: [Needle]] = [:]

  /// Replaces nothing.
  public init() {}

  /// Whether there is nothing to replace.
  public var isEmpty: Bool { needles.isEmpty }

  /// Replaces `value` by `expression` from now on.
  ///
  /// Values shorter than 4 bytes are replaced only if `isSecret`, because they are found in every other word.
  public mutating func add(_ value: String, as expression: String, isSecret: Bool = false) {
    guard !value.isEmpty, isSecret || value.utf8.count >= 4 else { return }
    let expression =
      expression.utf8.starts(with: "${".utf8) ? MaskedExpression.withoutDefault(expression[...]) : expression
    insert(value, expression)
    insert(Self.jsonEscaped(value), expression)
    for line in value.split(whereSeparator: \.isNewline)
    where line.utf8.count >= 16 && line.utf8.count < value.utf8.count {
      insert(String(line), expression)
    }
  }

  /// Replaces the password of a URL (`scheme://user:password@host`) from now on, also as a proxy or server is sent it
  /// (Basic, RFC 7617), and nothing else of the URL. Text without one adds nothing.
  public mutating func add(passwordOfURL text: String) {
    guard let scheme = text.firstRange(of: "://") else { return }
    let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else { return }
    let password = String(authority[authority.index(after: colon)..<at])
    guard !password.isEmpty else { return }
    add(password, as: "***")
    insert(String(authority[...at]), "***@")
    var login: [UInt8] = []
    let escaped = Array(authority[..<at].utf8)
    var index = 0
    while index < escaped.count {
      let byte = Self.unescaped(escaped, at: index)
      login.append(byte ?? escaped[index])
      index += byte == nil ? 1 : 3
    }
    insert(Base64.encode(login), "***")
    add(String(decoding: login.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self), as: "***")
  }

  /// Replaces every scalar of a secret setting: by its expression, or by `***` where the file has the value itself.
  public mutating func add(secretsOf node: ConfigNode, by schema: ConfigSchema) {
    guard case .mapping(let entries) = node.content else { return }
    for entry in entries {
      guard let info = schema.settings.first(where: { $0.key == entry.key }) else { continue }
      if info.isSecret { addScalars(of: entry.value) } else { add(secretsOf: entry.value, type: info.type) }
    }
  }

  private mutating func add(secretsOf node: ConfigNode, type: ConfigType) {
    switch (type, node.content) {
    case (.object(let object), _): add(secretsOf: node, by: object.schema)
    case (.list(let item), .sequence(let nodes)): for node in nodes { add(secretsOf: node, type: item) }
    case (.map(let value), .mapping(let entries)): for entry in entries { add(secretsOf: entry.value, type: value) }
    case (.either(let types), _): for type in types { add(secretsOf: node, type: type) }
    case (.secret, _): addScalars(of: node)
    default: break
    }
  }

  private mutating func addScalars(of node: ConfigNode) {
    switch node.content {
    case .scalar(let scalar):
      if !node.isAbsent { add(scalar.text, as: scalar.secretDisplay, isSecret: true) }
    case .sequence(let nodes): for node in nodes { addScalars(of: node) }
    case .mapping(let entries): for entry in entries { addScalars(of: entry.value) }
    }
  }

  private mutating func insert(_ value: String, _ expression: String) {
    let bytes = Array(value.utf8)
    var bucket = needles[bytes[0], default: []]
    guard !bucket.contains(where: { $0.bytes == bytes }) else { return }
    let index = bucket.firstIndex { $0.bytes.count < bytes.count } ?? bucket.endIndex
    bucket.insert(Needle(bytes: bytes, replacement: Array(expression.utf8)), at: index)
    needles[bytes[0]] = bucket
  }

  /// The text with every secret replaced. Text without one comes back as it is.
  public func redact(_ text: String) -> String {
    if needles.isEmpty { return text }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var copied = 0
    var index = 0
    while index < bytes.count {
      guard let found = find(in: bytes, at: index) else {
        index += 1
        continue
      }
      output += bytes[copied..<index]
      output += found.replacement
      index = found.end
      copied = index
    }
    if copied == 0 { return text }
    output += bytes[copied...]
    return String(decoding: output, as: UTF8.self)
  }

  /// A secret that stands at a place, and where it ends.
  private func find(in bytes: [UInt8], at start: Int) -> (replacement: [UInt8], end: Int)? {
    for needle in needles[bytes[start]] ?? [] {
      if let end = Self.end(of: needle.bytes, in: bytes, at: start) { return (needle.replacement, end) }
    }
    guard let first = Self.unescaped(bytes, at: start) else { return nil }
    for needle in needles[first] ?? [] {
      if let end = Self.end(of: needle.bytes, in: bytes, at: start) { return (needle.replacement, end) }
    }
    return nil
  }

  /// Where a secret ends that stands at a place, each of its bytes as it is or percent-encoded. Which bytes are encoded,
  /// and in which letters, differs from writer to writer.
  private static func end(of needle: [UInt8], in bytes: [UInt8], at start: Int) -> Int? {
    if bytes.count - start >= needle.count, needle.indices.allSatisfy({ bytes[start + $0] == needle[$0] }) {
      return start + needle.count
    }
    var index = start
    for byte in needle {
      guard index < bytes.count else { return nil }
      if unescaped(bytes, at: index) == byte {
        index += 3
      } else if bytes[index] == byte {
        index += 1
      } else if byte == UInt8(ascii: " "), bytes[index] == UInt8(ascii: "+") {
        index += 1
      } else {
        return nil
      }
    }
    return index
  }

  /// The byte that a percent escape stands for; nil where there is none.
  private static func unescaped(_ bytes: [UInt8], at index: Int) -> UInt8? {
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexadecimal(bytes[index + 1]),
      let low = hexadecimal(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func jsonEscaped(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
