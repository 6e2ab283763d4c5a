import SluiceCore

/// Plain JSON, straight onto the tape.
extension Parser {
  /// Takes any value; `i` is at its first byte.
  mutating func value(depth: Int) throws(Fault) {
    switch base[i] {
    case 0x22:
      i += 1
      try emit(.string, string())
    case 0x7B: try map(depth: depth)
    case 0x5B:
      let list = n
      if depth >= maximumDepth { throw tooDeep }
      try emit(Node(.array))
      try items { parser throws(Fault) in try parser.value(depth: depth + 1) }
      nodes[list].end = UInt32(truncatingIfNeeded: n)
    case 0x2D, 0x30...0x39: try plainNumber()
    default:
      if take("null") {
        try emit(Node(.null))
      } else if take("true") {
        try emit(Node(.isTrue))
      } else if take("false") {
        try emit(Node(.isFalse))
      } else {
        throw fault("expected a value")
      }
    }
  }

  private mutating func plainNumber() throws(Fault) {
    let number = try number()
    let kind: Node.Kind =
      if number.isInteger, !isNegativeZero(number) {
        fitsInt64(number.text) ? .intText : .decimal
      } else {
        fitsDouble(number) ? .doubleText : .decimal
      }
    try emit(kind, number.text)
  }

  /// Takes an object as a map.
  mutating func map(depth: Int) throws(Fault) {
    let map = n
    if depth >= maximumDepth { throw tooDeep }
    try emit(Node(.map))
    var names = Names()
    try members { parser throws(Fault) in
      let name = try parser.name(in: map, &names)
      do throws(Fault) { try parser.value(depth: depth + 1) } catch {
        parser.faultPath.append(name)
        throw error
      }
    }
    try finish(map, names)
  }

  var tooDeep: Fault {
    Fault(offset: i, message: "values nest too deep", code: .limitExceeded)
  }
}
