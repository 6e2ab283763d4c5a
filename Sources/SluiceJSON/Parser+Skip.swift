import SluiceCore

/// Values that are checked and stepped over.
extension Parser {
  /// Takes any value without putting it on the tape. Returns whether white space was met.
  @discardableResult mutating func skip(depth: Int) throws(Fault) -> Bool {
    switch base[i] {
    case 0x22:
      i += 1
      let place = extra.count
      _ = try string()
      extra.removeLast(extra.count - place)
    case 0x7B, 0x5B:
      if depth >= maximumDepth { throw tooDeep }
      return try skipContainer(depth: depth)
    case 0x2D, 0x30...0x39: _ = try number()
    default:
      if !take("null"), !take("true"), !take("false") { throw fault("expected a value") }
    }
    return false
  }

  private mutating func skipContainer(depth: Int) throws(Fault) -> Bool {
    let isMap = base[i] == 0x7B
    let close: UInt8 = isMap ? 0x7D : 0x5D
    i += 1
    var hasSpace = base[i] <= 0x20
    skipSpace()
    if take(close) { return hasSpace }
    while true {
      if isMap {
        if base[i] != 0x22 { throw fault("expected a name in quotes") }
        try skip(depth: depth + 1)
        hasSpace = hasSpace || base[i] <= 0x20 || base[i + 1] <= 0x20
        try colon()
      }
      if try skip(depth: depth + 1) { hasSpace = true }
      hasSpace = hasSpace || base[i] <= 0x20
      skipSpace()
      if take(close) { return hasSpace }
      if !take(0x2C) {
        throw isMap ? fault("expected ',' or '}' in an object") : fault("expected ',' or ']' in an array")
      }
      hasSpace = hasSpace || base[i] <= 0x20
      skipSpace()
    }
  }

  /// Takes any value and returns it as JSON without white space.
  mutating func raw(depth: Int) throws(Fault) -> Text {
    let start = i
    let hasSpace = try skip(depth: depth)
    if !hasSpace { return Text(start: start, length: i - start, isPlain: false) }
    let source = UnsafeBufferPointer(start: base + start, count: i - start)
    return try place(RawJSON.compacted(source.span))
  }
}

/// JSON kept as text.
enum RawJSON {
  /// The same JSON without white space between its tokens.
  static func compacted(_ json: Span<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    var isInString = false
    var isEscaped = false
    for index in json.indices {
      let byte = json[index]
      if isInString {
        isInString = isEscaped || byte != 0x22
        isEscaped = !isEscaped && byte == 0x5C
      } else if byte == 0x22 {
        isInString = true
      } else if byte <= 0x20 {
        continue
      }
      result.append(byte)
    }
    return result
  }
}
