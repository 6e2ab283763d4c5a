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
      guard let digit = digit(utf8[i]) else { return nil }
      accumulator = accumulator << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: accumulator >> bits))
      }
    }
    return accumulator & (1 << bits - 1) == 0 ? result : nil
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
    if count % 4 == 1 { return false }
    for i in 0..<count where alphabet[Int(utf8[i])] >= 64 { return false }
    return switch count % 4 {
    case 2: alphabet[Int(utf8[count - 1])] & 15 == 0
    case 3: alphabet[Int(utf8[count - 1])] & 3 == 0
    default: true
    }
  }

  private static func unpaddedCount(_ utf8: Span<UInt8>) -> Int {
    var count = utf8.count
    while count > 0, utf8.count - count < 2, utf8[count - 1] == 0x3D { count -= 1 }
    return count
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x2D: 62
    case 0x5F: 63
    default: alphabet[Int(character)] < 64 ? alphabet[Int(character)] : nil
    }
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

  /// The digit of each character of the standard alphabet, 255 for others.
  private static let alphabet: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 255)
    for bits in 0..<64 as Range<UInt32> { table[Int(letter(bits))] = UInt8(bits) }
    return table
  }()
}
