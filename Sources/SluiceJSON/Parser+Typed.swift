import SluiceCore

/// Typed values: Firestore's REST `Value`, an object with one member that names the kind.
///
/// Known kinds become core nodes at once. A kind that is not known, or content that does not fit its kind, is read
/// again as raw JSON and kept as `unknown`; what is no typed value at all stops the page.
extension Parser {
  /// Takes a typed value; `i` is at its first byte.
  mutating func typedValue(depth: Int) throws(Fault) {
    let start = i
    if !take(0x7B, 0x22) {
      if !take(0x7B) { throw notTyped(start) }
      skipSpace()
      if !take(0x22) { throw notTyped(start) }
    }
    let kindStart = i
    let nodeMark = n
    if try !knownValue(depth: depth) {
      i = kindStart
      n = nodeMark
      try unknownValue(depth: depth)
    }
    skipSpace()
    if take(0x7D) { return }
    throw base[i] == 0x2C ? notTyped(start) : fault("expected '}' after a typed value")
  }

  private func notTyped(_ start: Int) -> Fault {
    fault("expected a typed value: an object with one member such as \"stringValue\"", at: start)
  }

  /// Takes a kind that is known, with its content. False when kind or content are not as they should be; then `i` and
  /// the tape mean nothing.
  @inline(__always) private mutating func knownValue(depth: Int) throws(Fault) -> Bool {
    switch base[i] {
    case UInt8(ascii: "s"): try take("stringValue\"") ? text(.string) : false
    case UInt8(ascii: "i"): try take("integerValue\"") ? integer() : false
    case UInt8(ascii: "d"): try take("doubleValue\"") ? double() : take("decimalValue\"") ? decimal() : false
    case UInt8(ascii: "b"): try take("booleanValue\"") ? boolean() : take("bytesValue\"") ? bytes() : false
    case UInt8(ascii: "n"): try take("nullValue\"") ? null() : false
    case UInt8(ascii: "t"): try take("timestampValue\"") ? timestamp() : false
    case UInt8(ascii: "r"): try take("referenceValue\"") ? text(.reference) : false
    case UInt8(ascii: "g"): try take("geoPointValue\"") ? geoPoint() : false
    case UInt8(ascii: "a"): try take("arrayValue\"") ? array(depth: depth) : false
    case UInt8(ascii: "m"): try take("mapValue\"") ? typedMap(depth: depth) : false
    default: false
    }
  }

  private mutating func unknownValue(depth: Int) throws(Fault) {
    if unknownValues == .refuse { throw fault("a value of unknown kind, or whose content does not fit its kind") }
    let kind = try string()
    try colon()
    let raw = try raw(depth: depth)
    let node = n
    try emit(.unknown, kind)
    try emit(.string, raw)
    nodes[node].end = UInt32(truncatingIfNeeded: n)
  }
}

/// Scalars of a known kind. Each is behind the kind's closing quote, and returns false where the content does not fit.
extension Parser {
  @inline(__always) private mutating func text(_ kind: Node.Kind) throws(Fault) -> Bool {
    if !take(0x3A, 0x22) {
      try colon()
      if !take(0x22) { return false }
    }
    try emit(kind, string())
    return true
  }

  private mutating func null() throws(Fault) -> Bool {
    try colon()
    // The enum's name is proto3's other spelling.
    if !take("null"), !take("\"NULL_VALUE\"") { return false }
    try emit(Node(.null))
    return true
  }

  private mutating func boolean() throws(Fault) -> Bool {
    try colon()
    if take("true") {
      try emit(Node(.isTrue))
    } else if take("false") {
      try emit(Node(.isFalse))
    } else {
      return false
    }
    return true
  }

  @inline(__always) private mutating func integer() throws(Fault) -> Bool {
    try colon()
    if take(0x22) {
      let text = try string()
      return try integer(text)
    }
    if base[i] != 0x2D, base[i] &- 0x30 >= 10 { return false }
    let number = try number()
    if number.isInteger { return try integer(number.text) }
    // proto3 takes 1e2 and 5.0 for whole numbers.
    let double = withBytes(number.text, NumberText.double)
    guard let value = Int64(exactly: double), double.magnitude < 0x1p53 else { return false }
    try emit(Node(.int, bits: UInt64(bitPattern: value)))
    return true
  }

  @inline(__always) private mutating func integer(_ text: Text) throws(Fault) -> Bool {
    if text.start < count, isShortCanonicalInteger(text) {
      try emit(.intText, text)
      return true
    }
    return try otherInteger(text)
  }

  /// Digits that fit for sure, without a sign or zero in front but for one `-`.
  @inline(__always) private func isShortCanonicalInteger(_ text: Text) -> Bool {
    var position = text.start
    let end = position + text.length
    if base[position] == 0x2D { position += 1 }
    let digits = end - position
    if digits < 1 || digits > 18 { return false }
    if base[position] == 0x30 { return text.length == 1 }
    repeat {
      if base[position] &- 0x30 >= 10 { return false }
      position += 1
    } while position < end
    return true
  }

  @inline(never) private mutating func otherInteger(_ text: Text) throws(Fault) -> Bool {
    guard let value = withBytes(text, NumberText.int) else { return false }
    if withBytes(text, NumberText.isCanonicalInt) {
      try emit(.intText, text)
    } else {
      try emit(Node(.int, bits: UInt64(bitPattern: value)))
    }
    return true
  }

  @inline(__always) private mutating func double() throws(Fault) -> Bool {
    try colon()
    if base[i] == 0x22 { return try quotedDouble() }
    if base[i] != 0x2D, base[i] &- 0x30 >= 10 { return false }
    let number = try number()
    if !fitsDouble(number) { return false }
    try emit(.doubleText, number.text)
    return true
  }

  /// `"NaN"`, `"Infinity"`, `"-Infinity"`, and numbers in quotes, which proto3 takes too.
  private mutating func quotedDouble() throws(Fault) -> Bool {
    if take("\"NaN\"") { return try emit(.nan) }
    if take("\"Infinity\"") { return try emit(.infinity) }
    if take("\"-Infinity\"") { return try emit(-.infinity) }
    i += 1
    let text = try string()
    if !withBytes(text, NumberText.isNumber) { return false }
    if !fitsDouble(Number(text: text, isInteger: false, hasExponent: true)) { return false }
    try emit(.doubleText, text)
    return true
  }

  private mutating func emit(_ value: Double) throws(Fault) -> Bool {
    try emit(Node(.double, bits: value.bitPattern))
    return true
  }

  /// This package's own kind for numbers that neither of Firestore's holds.
  private mutating func decimal() throws(Fault) -> Bool {
    try colon()
    if !take(0x22) { return false }
    let text = try string()
    if !withBytes(text, NumberText.isNumber) { return false }
    try emit(.decimal, text)
    return true
  }

  private mutating func timestamp() throws(Fault) -> Bool {
    try colon()
    if !take(0x22) { return false }
    let text = try string()
    guard let time = withBytes(text, RFC3339.read) else { return false }
    if time.isCanonical {
      try emit(.timestampText, text)
    } else {
      try emit(Node(.timestamp, bits: UInt64(bitPattern: time.timestamp.seconds), end: time.timestamp.nanoseconds))
    }
    return true
  }

  private mutating func bytes() throws(Fault) -> Bool {
    try colon()
    if !take(0x22) { return false }
    let text = try string()
    if withBytes(text, Base64.isCanonical) {
      try emit(.base64, text)
      return true
    }
    guard let bytes = withBytes(text, Base64.decode) else { return false }
    try emit(.bytes, place(bytes))
    return true
  }
}

/// Containers of a known kind.
extension Parser {
  /// `{"latitude": x, "longitude": y}`, in which zeros are left out.
  private mutating func geoPoint() throws(Fault) -> Bool {
    try colon()
    if base[i] != 0x7B { return false }
    var latitude = Node(.double, bits: 0)
    var longitude = latitude
    var fits = true
    let mark = n
    try members { parser throws(Fault) in
      let isLatitude = parser.isNext("latitude\"")
      let isLongitude = parser.isNext("longitude\"")
      _ = try parser.string()
      guard isLatitude || isLongitude else {
        fits = false
        try parser.colon()
        try parser.skip(depth: 0)
        return
      }
      if isLatitude {
        try parser.coordinate(into: &latitude, &fits)
      } else {
        try parser.coordinate(into: &longitude, &fits)
      }
    }
    n = mark
    if !fits { return false }
    try emit(Node(.geoPoint, end: UInt32(truncatingIfNeeded: n + 3)))
    try emit(latitude)
    try emit(longitude)
    return true
  }

  private mutating func coordinate(into node: inout Node, _ fits: inout Bool) throws(Fault) {
    let mark = i
    if try double() {
      n -= 1
      node = nodes[n]
      return
    }
    i = mark
    try colon()
    if take("null") { return }
    fits = false
    try skip(depth: 0)
  }

  /// `{"values": […]}`, or nothing in it.
  private mutating func array(depth: Int) throws(Fault) -> Bool {
    try colon()
    if depth >= maximumDepth { throw tooDeep }
    let list = n
    try emit(Node(.array))
    guard try isContent("values\"", of: 0x5B) else { return false }
    if base[i] == 0x5B {
      try items { parser throws(Fault) in try parser.typedValue(depth: depth + 1) }
      skipSpace()
      if !take(0x7D) { return false }
    }
    nodes[list].end = UInt32(truncatingIfNeeded: n)
    return true
  }

  /// `{"fields": {…}}`, or nothing in it.
  private mutating func typedMap(depth: Int) throws(Fault) -> Bool {
    try colon()
    let map = n
    guard try isContent("fields\"", of: 0x7B) else { return false }
    if base[i] == 0x7B {
      try typedFields(depth: depth)
      skipSpace()
      if !take(0x7D) { return false }
      makeVector(of: map)
    } else {
      if depth >= maximumDepth { throw tooDeep }
      try emit(Node(.map, end: UInt32(truncatingIfNeeded: n + 1)))
    }
    return true
  }

  /// Takes the shell around the items of an array or the fields of a map. True with `i` at the opening byte, or behind
  /// an empty shell, where that byte is not. False where it is another shell.
  @inline(__always) private mutating func isContent(_ name: StaticString, of opening: UInt8) throws(Fault) -> Bool {
    if !take(0x7B) { return false }
    skipSpace()
    if take(0x7D) { return base[i] != opening }
    if !take(0x22) || !take(name) { return false }
    try colon()
    if base[i] == opening { return true }
    if !take("null") { return false }
    skipSpace()
    return take(0x7D) && base[i] != opening
  }

  /// Takes an object of names with typed values as a map; `i` is at its brace.
  mutating func typedFields(depth: Int) throws(Fault) {
    let map = n
    if depth >= maximumDepth { throw tooDeep }
    try emit(Node(.map))
    var names = Names()
    try members { parser throws(Fault) in
      let name = try parser.name(in: map, &names)
      do throws(Fault) { try parser.typedValue(depth: depth + 1) } catch {
        parser.faultPath.append(name)
        throw error
      }
    }
    try finish(map, names)
  }

  /// `{__type__: "__vector__", value: [doubles]}` is how Firestore spells a vector.
  @inline(__always) private mutating func makeVector(of map: Int) {
    if n - map >= 5, nodes[map + 1].length == 8 || nodes[map + 1].length == 5 { makeVectorSlowly(of: map) }
  }

  private mutating func makeVectorSlowly(of map: Int) {
    let second = nodes[map + 2].isContainer ? Int(nodes[map + 2].end) : map + 3
    let (type, value) = nodes[map + 2].kind == .array ? (second, map + 1) : (map + 1, second)
    guard second + 1 < n, isText(type, "__type__"), isText(value, "value"), nodes[type + 1].kind == .string,
      isText(type + 1, "__vector__"), nodes[value + 1].kind == .array
    else { return }
    let first = value + 2
    let end = Int(nodes[value + 1].end)
    guard max(end, type + 2) == n else { return }
    for item in first..<end where nodes[item].kind != .double && nodes[item].kind != .doubleText { return }
    for k in 0..<end - first { nodes[map + 1 + k] = nodes[first + k] }
    n = map + 1 + end - first
    nodes[map] = Node(.vector, end: UInt32(truncatingIfNeeded: n))
  }

  private func isText(_ index: Int, _ literal: StaticString) -> Bool {
    withBytes(text(index)) { bytes in
      guard bytes.count == literal.utf8CodeUnitCount else { return false }
      for k in bytes.indices where bytes[k] != literal.utf8Start[k] { return false }
      return true
    }
  }
}
