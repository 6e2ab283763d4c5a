/// 16 bytes that stand for content: equal content gives equal fingerprints, other content almost surely others.
///
/// For telling whether something changed, not made against an adversary. The same on every machine and in every
/// version of this package, since ledgers keep it.
public struct Fingerprint: Sendable, Hashable {
  /// The first half.
  public var high: UInt64
  /// The second half.
  public var low: UInt64

  /// A fingerprint from its halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A fingerprint from its 16 bytes, as `bytes` gives them. Nil for another number of bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let value = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    self.init(high: UInt64(value >> 64), low: UInt64(truncatingIfNeeded: value))
  }

  /// The 16 bytes, `high` before `low`, each with its most significant byte first.
  public var bytes: [UInt8] {
    let value = UInt128(high) << 64 | UInt128(low)
    return (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * $0)) }
  }

  /// The fingerprint of bytes.
  public init(of bytes: Span<UInt8>) {
    var hash = Hash128(tag: 0)
    hash.absorb(bytes)
    self = hash.finish()
  }

  /// The fingerprint of a value; see `Document.fingerprint` for what counts.
  public init(of value: Value) {
    var visitor = FingerprintVisitor()
    value.visit(&visitor)
    self = visitor.finish()
  }

  /// The fingerprint of a document without fields.
  public static let ofNoFields = FingerprintVisitor(insideMap: ()).finishMap()
  /// The fingerprint of a name without a document.
  public static let ofMissingDocument = Hash128(tag: 0x4D).finish()

  init(ofMap map: Int, on tape: Tape) {
    var visitor = FingerprintVisitor(insideMap: ())
    Tape.walkFields(of: map, tape.nodes.span, tape.bytes.span, &visitor)
    self = visitor.finishMap()
  }

  init(ofMap map: Int, on tape: Tape, timestampDigits: Int) {
    var visitor = CoarseTimes(FingerprintVisitor(insideMap: ()), digits: timestampDigits)
    Tape.walkFields(of: map, tape.nodes.span, tape.bytes.span, &visitor)
    self = visitor.end().finishMap()
  }
}

extension Fingerprint: CustomStringConvertible {
  /// 32 hexadecimal digits.
  public var description: String {
    // By shifts: it is written with each page's checkpoint, and dividing for each digit showed in its profile.
    String(unsafeUninitializedCapacity: 32) { text in
      for place in 0..<32 {
        let half = place < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: half >> (60 - 4 * UInt64(place % 16))) & 15
        text[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
      return 32
    }
  }
}

/// Two lanes of 64 bits, mixed block by block. Each step is one to one in the block and in the state.
struct Hash128 {
  private var a: UInt64
  private var b: UInt64

  init(tag: UInt8) {
    a = 0x243F_6A88_85A3_08D3 ^ UInt64(tag) &* 0x9E37_79B9_7F4A_7C15
    b = 0x1319_8A2E_0370_7344 &+ UInt64(tag)
  }

  var state: (a: UInt64, b: UInt64) { (a, b) }

  @inline(__always) mutating func absorb(_ x: UInt64, _ y: UInt64) {
    a = rotated((a ^ x) &* 0x9FB2_1C65_1E98_DF25, 29) &+ b
    b = rotated((b ^ y) &* 0xD6E8_FEB8_6659_FD93, 33) ^ a
  }

  /// Absorbs bytes and their number, so that no two lists of byte strings run into each other.
  mutating func absorb(_ bytes: Span<UInt8>) {
    let raw = bytes.bytes
    var i = 0
    while i + 16 <= bytes.count {
      absorb(word(raw, i), word(raw, i + 8))
      i += 16
    }
    let rest = bytes.count - i
    if rest >= 8 {
      // The last eight bytes, without those already taken in.
      absorb(word(raw, i), rest == 8 ? 0 : word(raw, bytes.count - 8) &>> UInt64(truncatingIfNeeded: 8 * (16 - rest)))
    } else {
      absorb(tail(bytes, raw, i), 0)
    }
    absorb(UInt64(truncatingIfNeeded: bytes.count), 0)
  }

  func finish() -> Fingerprint {
    let x = Self.avalanche(a &+ rotated(b, 17))
    return Fingerprint(high: x, low: Self.avalanche(b ^ x))
  }

  @inline(__always) private func word(_ raw: RawSpan, _ offset: Int) -> UInt64 {
    // Bounds are checked; "unsafe" is only that any eight bytes make an integer.
    UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The bytes from `start` on, fewer than eight, as one word: in place where eight can be read, else one by one.
  @inline(__always) private func tail(_ bytes: Span<UInt8>, _ raw: RawSpan, _ start: Int) -> UInt64 {
    let rest = bytes.count - start
    if rest == 0 { return 0 }
    if bytes.count >= 8 { return word(raw, bytes.count - 8) &>> UInt64(truncatingIfNeeded: 8 * (8 - rest)) }
    var value: UInt64 = 0
    var shift: UInt64 = 0
    for i in start..<bytes.count {
      value |= UInt64(bytes[i]) &<< shift
      shift += 8
    }
    return value
  }

  @inline(__always) private func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { x &<< count | x &>> (64 &- count) }

  static func avalanche(_ value: UInt64) -> UInt64 {
    var x = value
    x ^= x >> 32
    x = x &* 0xE9B5_DBA5_8189_DBBD
    x ^= x >> 29
    x = x &* 0x9FB2_1C65_1E98_DF25
    return x ^ x >> 32
  }
}
