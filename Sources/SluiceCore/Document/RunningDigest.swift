/// One digest over a long run of pieces, in order: the bytes of a published file, the keys and fingerprints of a table.
///
/// Its state is 40 bytes that a checkpoint can keep; how the bytes were cut into pieces does not count.
/// Not made against an adversary.
public struct RunningDigest: Sendable, Equatable {
  private var a: UInt64
  private var b: UInt64
  private var tailLow: UInt64 = 0
  private var tailHigh: UInt64 = 0
  /// How many bytes went in.
  public private(set) var byteCount: UInt64 = 0

  /// Nothing so far.
  public init() { (a, b) = Hash128(tag: 2).state }

  /// The digest of all that went in.
  public var value: Fingerprint {
    var hash = Hash128(a: a, b: b)
    hash.absorb(tailLow, tailHigh)
    hash.absorb(byteCount, 1)
    return hash.finish()
  }

  /// Takes bytes in.
  public mutating func append(_ bytes: Span<UInt8>) {
    var hash = Hash128(a: a, b: b)
    let raw = bytes.bytes
    var i = 0
    while i < bytes.count, byteCount & 15 != 0 { takeByte(bytes[i], &i, &hash) }
    while i + 16 <= bytes.count {
      hash.absorb(
        UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self)),
        UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: i + 8, as: UInt64.self)))
      i += 16
      byteCount += 16
    }
    while i < bytes.count { takeByte(bytes[i], &i, &hash) }
    (a, b) = hash.state
  }

  /// Takes a fingerprint in: its 16 bytes.
  public mutating func append(_ fingerprint: Fingerprint) { append(fingerprint.bytes.span) }

  private mutating func takeByte(_ byte: UInt8, _ i: inout Int, _ hash: inout Hash128) {
    let place = byteCount & 15
    if place < 8 { tailLow |= UInt64(byte) << (8 * place) } else { tailHigh |= UInt64(byte) << (8 * (place - 8)) }
    i += 1
    byteCount += 1
    if place == 15 {
      hash.absorb(tailLow, tailHigh)
      tailLow = 0
      tailHigh = 0
    }
  }
}

extension RunningDigest {
  /// The state as 40 bytes, for a checkpoint.
  public var state: [UInt8] {
    [a, b, tailLow, tailHigh, byteCount].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }

  /// Goes on from a state. Nil for another number of bytes.
  public init?(state: some Collection<UInt8>) {
    guard state.count == 40 else { return nil }
    let bytes = Array(state)
    func word(_ index: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * $1) }
    }
    (a, b) = (word(0), word(1))
    (tailLow, tailHigh) = (word(2), word(3))
    byteCount = word(4)
  }
}
