import SluiceCore

/// gzip as faults need it (RFC 1951, 1952): correct without packing, and a bomb.
enum Gzip {
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  /// A correct gzip of these bytes, in stored blocks.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result = header
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high]
      result += block
    } while !rest.isEmpty
    for number in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      result += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return result
  }

  /// About `count` bytes that unpack to 159 times as many. Its checksum is wrong: nobody should come as far.
  static func bomb(packed count: Int) -> [UInt8] {
    // One block of fixed codes: the letter A, then "the last byte, 258 times" (13 bits: 11000101, 00000) again and
    // again. Eight of those are 13 bytes, so that all but the ends is one pattern.
    var bits: [UInt8] = [1, 1, 0] + code(0x30 + 0x41, 8)
    for _ in 0..<16 { bits += code(0xC5, 8) + code(0, 5) }
    bits += code(0, 7)
    let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<min(start + 8, bits.count)].reversed().reduce(UInt8(0)) { $0 << 1 | $1 }
    }
    var result = header + bytes[..<2]
    result.reserveCapacity(count + 64)
    while result.count < count { result += bytes[2..<15] }
    return result + bytes[2...] + [UInt8](repeating: 0, count: 8)
  }

  /// A Huffman code's bits, the highest first.
  private static func code(_ code: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(code >> $0 & 1) }
  }

  /// CRC-32 with the polynomial of IEEE 802.3, the lowest bit first.
  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
  }
}
