/// A way into nested maps: `address.city`.
///
/// Written as Firestore writes field paths: segments joined with dots; a segment that is not made of letters, digits
/// and `_` (or begins with a digit) stands between backticks, in which a backslash stands before a backtick or another
/// backslash. Reading is kinder than that: without backticks a segment may hold anything but dots and backticks.
public struct FieldPath: Sendable, Hashable, CustomStringConvertible {
  /// The names, the outermost first. Never empty.
  public let segments: [FieldName]

  /// A path of one segment.
  public init(_ name: FieldName) { segments = [name] }

  /// A path of these segments. Nil where there are none.
  public init?(segments: [FieldName]) {
    if segments.isEmpty { return nil }
    self.segments = segments
  }

  /// Reads a path. Throws `invalid_configuration` for an empty segment or backticks that do not match.
  public init(parsing text: String) throws(SluiceError) {
    var reader = Reader(text: Array(text.utf8))
    guard let segments = reader.segments() else {
      throw SluiceError(
        .invalidConfiguration, "\"\(text)\" is not a field path",
        hint: "write names joined with dots, and put a name that holds a dot or a backtick between backticks")
    }
    self.segments = segments
  }

  /// The whole path is the name of a top-level field.
  var isSingle: Bool { segments.count == 1 }

  /// The path as Firestore writes it.
  public var description: String { segments.map(Self.quoted).joined(separator: ".") }

  private static func quoted(_ name: FieldName) -> String {
    func isLetter(_ byte: UInt8) -> Bool { byte == 0x5F || (0x61...0x7A).contains(byte | 0x20) }
    let isSimple =
      name.utf8.first.map(isLetter) ?? false && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    if isSimple { return name.description }
    var text: [UInt8] = [0x60]
    for byte in name.utf8 {
      if byte == 0x60 || byte == 0x5C { text.append(0x5C) }
      text.append(byte)
    }
    return String(decoding: text + [0x60], as: UTF8.self)
  }
}

extension FieldPath {
  /// Reads the text of a path from left to right.
  private struct Reader {
    let text: [UInt8]
    var position = 0

    mutating func segments() -> [FieldName]? {
      var result: [FieldName] = []
      while true {
        guard let segment = position < text.count && text[position] == 0x60 ? quoted() : plain() else { return nil }
        result.append(FieldName(utf8: segment))
        if position == text.count { return result }
        guard text[position] == 0x2E else { return nil }
        position += 1
      }
    }

    private mutating func plain() -> [UInt8]? {
      let start = position
      while position < text.count, text[position] != 0x2E {
        if text[position] == 0x60 { return nil }
        position += 1
      }
      return position == start ? nil : Array(text[start..<position])
    }

    private mutating func quoted() -> [UInt8]? {
      var result: [UInt8] = []
      position += 1
      while position < text.count {
        var byte = text[position]
        position += 1
        if byte == 0x60 { return result.isEmpty ? nil : result }
        if byte == 0x5C {
          guard position < text.count, text[position] == 0x60 || text[position] == 0x5C else { return nil }
          byte = text[position]
          position += 1
        }
        result.append(byte)
      }
      return nil
    }
  }
}
