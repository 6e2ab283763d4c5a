import SluiceCore

extension Parser {
  /// Takes a string; `i` is behind its opening quote and ends behind its closing one.
  ///
  /// Looks at 16 bytes at a time for a quote, a backslash, a control character or a letter beyond ASCII, so that most
  /// names and many values take one round, whose branches can be foretold. Only text beyond ASCII is checked to be UTF-8.
  @inline(__always) mutating func string() throws(Fault) -> Text {
    let start = i
    var end = start
    while true {
      let words = UnsafeRawPointer(base + end).loadUnaligned(as: (UInt64, UInt64).self)
      let (low, high) = (Self.stopsOrHigh(in: words.0.littleEndian), Self.stopsOrHigh(in: words.1.littleEndian))
      if low | high == 0 {
        end &+= 16
        continue
      }
      let first = low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount
      end &+= first &>> 3
      break
    }
    i = end
    if base[end] == 0x22 {
      i = end &+ 1
      return Text(start: start, length: end &- start, isPlain: true)
    }
    return try stringSlowly(from: start)
  }

  /// The same as `stops(in:)`, for bytes beyond ASCII too.
  @inline(__always) private static func stopsOrHigh(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ 0x2222_2222_2222_2222) &- ones
    let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- ones
    return (quotes | backslashes | (word &- ones &* 0x20) | word) & 0x8080_8080_8080_8080
  }

  /// A bit in the highest place of each byte that is a quote, a backslash or below 0x20. Bits above the lowest may be
  /// wrong, which does not matter.
  @inline(__always) static func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word)
      & 0x8080_8080_8080_8080
  }

  /// A string that holds escapes or letters beyond ASCII, or that is broken. `i` is at what stopped the fast way.
  @inline(never) private mutating func stringSlowly(from start: Int) throws(Fault) -> Text {
    while true {
      let word = UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self).littleEndian
      let stops = Self.stops(in: word)
      if stops != 0 {
        i &+= stops.trailingZeroBitCount &>> 3
        break
      }
      i &+= 8
    }
    if base[i] == 0x5C { return try stringWithEscapes(from: start) }
    if base[i] != 0x22 {
      throw i >= count ? fault("the string does not end") : fault("a control character in a string must be escaped")
    }
    let text = Text(start: start, length: i - start, isPlain: true)
    if !withBytes(text, TextScan.isUTF8) { throw fault("the string is not valid UTF-8", at: start) }
    i += 1
    return text
  }

  /// Writes the string without its escapes to `extra`. `i` is at the first backslash.
  private mutating func stringWithEscapes(from start: Int) throws(Fault) -> Text {
    let place = extra.count
    if place + (i - start) > Tape.maximumBytes { throw tooLarge }
    extra.append(contentsOf: UnsafeBufferPointer(start: base + start, count: i - start))
    while true {
      let runStart = i
      while base[i] != 0x22, base[i] != 0x5C, base[i] >= 0x20 { i += 1 }
      extra.append(contentsOf: UnsafeBufferPointer(start: base + runStart, count: i - runStart))
      if base[i] == 0x22 { break }
      if base[i] != 0x5C {
        throw i >= count ? fault("the string does not end") : fault("a control character in a string must be escaped")
      }
      try escape()
    }
    i += 1
    let text = Text(start: count + place, length: extra.count - place, isPlain: false)
    if !withBytes(text, TextScan.isUTF8) { throw fault("the string is not valid UTF-8", at: start) }
    return text
  }

  /// Takes one escape and appends what it stands for.
  private mutating func escape() throws(Fault) {
    let start = i
    i += 2
    switch base[start + 1] {
    case 0x22, 0x5C, 0x2F: extra.append(base[start + 1])
    case UInt8(ascii: "b"): extra.append(0x08)
    case UInt8(ascii: "f"): extra.append(0x0C)
    case UInt8(ascii: "n"): extra.append(0x0A)
    case UInt8(ascii: "r"): extra.append(0x0D)
    case UInt8(ascii: "t"): extra.append(0x09)
    case UInt8(ascii: "u"):
      var scalar = try hexadecimal()
      if scalar & 0xFC00 == 0xDC00 { throw fault("a low surrogate without its high one", at: start) }
      if scalar & 0xFC00 == 0xD800 {
        guard base[i] == 0x5C, base[i + 1] == UInt8(ascii: "u") else {
          throw fault("a high surrogate without its low one", at: start)
        }
        i += 2
        let low = try hexadecimal()
        if low & 0xFC00 != 0xDC00 { throw fault("a high surrogate without its low one", at: start) }
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
      }
      appendScalar(scalar)
    default: throw fault("unknown escape in a string", at: start)
    }
  }

  private mutating func hexadecimal() throws(Fault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = base[i]
      let digit: UInt8 =
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: throw fault("\\u must be followed by four hexadecimal digits")
        }
      value = value << 4 | UInt32(digit)
      i += 1
    }
    return value
  }

  private mutating func appendScalar(_ scalar: UInt32) {
    func byte(_ value: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    switch scalar {
    case 0..<0x80: extra.append(byte(scalar))
    case 0x80..<0x800: extra.append(contentsOf: [byte(0xC0 | scalar >> 6), byte(0x80 | scalar & 0x3F)])
    case 0x800..<0x10000:
      extra.append(contentsOf: [byte(0xE0 | scalar >> 12), byte(0x80 | scalar >> 6 & 0x3F), byte(0x80 | scalar & 0x3F)])
    default:
      extra.append(contentsOf: [
        byte(0xF0 | scalar >> 18), byte(0x80 | scalar >> 12 & 0x3F), byte(0x80 | scalar >> 6 & 0x3F),
        byte(0x80 | scalar & 0x3F),
      ])
    }
  }
}
