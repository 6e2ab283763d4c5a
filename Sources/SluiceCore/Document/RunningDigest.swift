/// One digest over a long run of pieces, in order: the bytes of a published file, the keys and fingerprints of a table.
///
/// How the bytes were cut into pieces does not count. Not made against an adversary.
public struct RunningDigest: Sendable, Equatable {
  /// Four in turn take 16 bytes each: every step of one waits for its last, so that one alone would wait most of the time.
  private var lanes: Lanes
  /// The bytes of a block that is not full yet, zeros behind them.
  private var tail = InlineArray<64, UInt8>(repeating: 0)
  /// How many bytes went in.
  public private(set) var byteCount: UInt64 = 0

  /// Nothing so far.
  public init() { lanes = Lanes() }

  /// The digest of all that went in.
  public var value: Fingerprint {
    var lanes = lanes
    if byteCount % 64 != 0 { lanes.absorb(tail.span.bytes, at: 0) }
    return lanes.finish(byteCount: byteCount)
  }

  /// Takes bytes in.
  public mutating func append(_ bytes: Span<UInt8>) {
    let raw = bytes.bytes
    var i = fillTail(from: bytes)
    var lanes = self.lanes
    while i + 64 <= bytes.count {
      lanes.absorb(raw, at: i)
      i += 64
      byteCount += 64
    }
    self.lanes = lanes
    while i < bytes.count { appendToTail(bytes[i], &i) }
  }

  /// Takes a fingerprint in: its 16 bytes.
  public mutating func append(_ fingerprint: Fingerprint) { append(fingerprint.bytes.span) }

  /// Completes a block that was begun. How many bytes that took.
  private mutating func fillTail(from bytes: Span<UInt8>) -> Int {
    var i = 0
    while i < bytes.count, byteCount % 64 != 0 { appendToTail(bytes[i], &i) }
    return i
  }

  private mutating func appendToTail(_ byte: UInt8, _ i: inout Int) {
    tail[Int(byteCount % 64)] = byte
    i += 1
    byteCount += 1
    if byteCount % 64 == 0 {
      lanes.absorb(tail.span.bytes, at: 0)
      tail = InlineArray(repeating: 0)
    }
  }

  /// Whether the same bytes went in.
  public static func == (a: RunningDigest, b: RunningDigest) -> Bool {
    a.byteCount == b.byteCount && a.value == b.value
  }
}

/// The lanes of a digest: a block of 64 bytes gives each of them 16.
private struct Lanes: Sendable {
  private var first = Hash128(tag: 2)
  private var second = Hash128(tag: 3)
  private var third = Hash128(tag: 4)
  private var fourth = Hash128(tag: 5)

  @inline(__always) mutating func absorb(_ bytes: RawSpan, at i: Int) {
    first.absorb(Self.word(bytes, i), Self.word(bytes, i + 8))
    second.absorb(Self.word(bytes, i + 16), Self.word(bytes, i + 24))
    third.absorb(Self.word(bytes, i + 32), Self.word(bytes, i + 40))
    fourth.absorb(Self.word(bytes, i + 48), Self.word(bytes, i + 56))
  }

  func finish(byteCount: UInt64) -> Fingerprint {
    var hash = first
    for lane in [second, third, fourth] { hash.absorb(lane.state.a, lane.state.b) }
    hash.absorb(byteCount, 1)
    return hash.finish()
  }

  @inline(__always) private static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
