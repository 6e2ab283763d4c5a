import SluiceCore

extension FieldPath {
  /// Reads a field path as strictly as Firestore does: outside backticks only `[A-Za-z_][A-Za-z0-9_]*`.
  init(firestore text: String) throws(StatusError) {
    guard Self.isStrict(text), let path = try? FieldPath(parsing: text) else {
      throw .invalid(
        "Invalid property path \"\(text)\". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), "
          + "and quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)")
    }
    self = path
  }

  /// The path is the document's name, not a field.
  var isName: Bool { segments.count == 1 && segments[0] == "__name__" }

  private static func isStrict(_ text: String) -> Bool {
    var isQuoted = false
    var isEscaped = false
    var isStart = true
    for byte in text.utf8 {
      if isQuoted {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else {
          isQuoted = byte != UInt8(ascii: "`")
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "`"): isQuoted = true
      case UInt8(ascii: "."):
        isStart = true
        continue
      case UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"): if isStart { return false }
      default: return false
      }
      isStart = false
    }
    return true
  }
}

extension [FieldPath] {
  /// Reads the paths of a mask.
  init(firestore texts: [String]) throws(StatusError) {
    self = []
    for text in texts { append(try FieldPath(firestore: text)) }
  }
}
