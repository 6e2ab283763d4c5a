/// Bytes as text (RFC 4648).
public enum Base64 {
  /// The bytes a text stands for. Accepts the standard and the URL-safe alphabet, with or without padding.
  /// Nil where a character or the length cannot be, or where the bits after the last byte are not zero.
  public static func decode(_ utf8: Span<UInt8>) -> [UInt8]? {
    let count = unpaddedCount(utf8)
    guard count % 4 != 1, utf8.count == count || utf8.count % 4 == 0 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(count / 4 * 3 + 2)
    var accumulator: UInt32 = 0
    var bits: UInt32 = 0
    for i in 0..<count {
      let digit = digit(utf8[i])
      if digit == invalid { return nil }
      accumulator = accumulator &<< 6 | UInt32(digit & 63)
      bits &+= 6
      if bits >= 8 {
        bits &-= 8
        result.append(UInt8(truncatingIfNeeded: accumulator &>> bits))
      }
    }
    return accumulator & (1 &<< bits &- 1) == 0 ? result : nil
  }

  /// The bytes a text stands for; see `decode(_:)` for bytes.
  public static func decode(_ text: String) -> [UInt8]? { Array(text.utf8).withSpan { decode($0) } }

  /// Appends bytes in the standard alphabet, padded.
  public static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    var i = 0
    while i < bytes.count {
      let left = bytes.count - i
      let triple =
        UInt32(bytes[i]) << 16 | (left > 1 ? UInt32(bytes[i + 1]) << 8 : 0) | (left > 2 ? UInt32(bytes[i + 2]) : 0)
      text.append(letter(triple >> 18))
      text.append(letter(triple >> 12))
      text.append(left > 1 ? letter(triple >> 6) : 0x3D)
      text.append(left > 2 ? letter(triple) : 0x3D)
      i += 3
    }
  }

  /// Bytes in the standard alphabet, padded.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether the text is standard, padded, and has no stray bits: what `append` writes.
  package static func isCanonical(_ utf8: Span<UInt8>) -> Bool {
    if utf8.count % 4 != 0 { return false }
    let count = unpaddedCount(utf8)
    var all: UInt8 = 0
    for i in 0..<count { all |= digit(utf8[i]) }
    if all >= 64 { return false }
    return switch count % 4 {
    case 0: true
    case 2: digit(utf8[count - 1]) & 15 == 0
    case 3: digit(utf8[count - 1]) & 3 == 0
    default: false
    }
  }

  private static func unpaddedCount(_ utf8: Span<UInt8>) -> Int {
    var count = utf8.count
    while count > 0, utf8.count - count < 2, utf8[count - 1] == 0x3D { count -= 1 }
    return count
  }

  @inline(__always) private static func digit(_ character: UInt8) -> UInt8 {
    character < 0x80 ? digits[Int(character)] : invalid
  }

  private static func letter(_ bits: UInt32) -> UInt8 {
    let digit = UInt8(truncatingIfNeeded: bits & 63)
    return switch digit {
    case 0..<26: 0x41 + digit
    case 26..<52: 0x61 + digit - 26
    case 52..<62: 0x30 + digit - 52
    case 62: 0x2B
    default: 0x2F
    }
  }

  private static let invalid: UInt8 = 255

  /// The digit of each ASCII character; those of the URL-safe alphabet alone have bit 64 set.
  private static let digits: InlineArray<128, UInt8> = [
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 62, 255, 126, 255, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 255, 255, 255, 255, 255, 255,
    255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 255, 255, 255, 255, 127,
    255, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 255, 255, 255, 255, 255,
  ]
}
