/// Takes the fingerprint of what it is spoken to: one value, or names and values between `begin(.map)` and `end(.map)`.
///
/// A visitor in front of it can change what counts, such as times cut to a sink's precision.
public struct FingerprintVisitor: ValueVisitor, ~Copyable {
  private var current = Frame(hash: Hash128(tag: 1), shape: .none)
  private var outer: [Frame] = []

  private var result = Fingerprint(high: 0, low: 0)

  private enum Shape { case none, list, map }

  /// What is being hashed. A map sums up its members, so that their order does not count.
  private struct Frame {
    var hash: Hash128
    var shape: Shape
    var name = Fingerprint(high: 0, low: 0)
    var sumHigh: UInt64 = 0
    var sumLow: UInt64 = 0
    var count: UInt64 = 0
  }

  private enum Tag {
    static let null: UInt8 = 0x10
    static let bool: UInt8 = 0x11
    static let int: UInt8 = 0x12
    static let double: UInt8 = 0x13
    static let decimal: UInt8 = 0x14
    static let timestamp: UInt8 = 0x15
    static let string: UInt8 = 0x16
    static let bytes: UInt8 = 0x17
    static let reference: UInt8 = 0x18
    static let unknown: UInt8 = 0x19
    static let array: UInt8 = 0x20
    static let vector: UInt8 = 0x21
    static let geoPoint: UInt8 = 0x22
    static let map: UInt8 = 0x23
    static let name: UInt8 = 0x24
    static let member: UInt8 = 0x25
  }

  /// Nothing hashed yet.
  public init() {}

  /// As behind a first `begin(.map)`, without the memory for what lies around it.
  init(insideMap: Void) { current = Frame(hash: Hash128(tag: Tag.map), shape: .map) }

  /// The fingerprint of the map that `init(insideMap:)` began.
  consuming func finishMap() -> Fingerprint {
    closeMap()
    return current.hash.finish()
  }

  /// The fingerprint of the value.
  public consuming func finish() -> Fingerprint { result }

  /// The name of the next member.
  public mutating func name(_ utf8: Span<UInt8>, plain: Bool) {
    var hash = Hash128(tag: Tag.name)
    hash.absorb(utf8)
    current.name = hash.finish()
  }

  /// A scalar.
  public mutating func value(_ scalar: Scalar) {
    switch scalar {
    case .null: add(Tag.null, 0)
    case .bool(let value): add(Tag.bool, value ? 1 : 0)
    case .int(let value): add(Tag.int, UInt64(bitPattern: value))
    case .double(let value): add(Tag.double, value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .timestamp(let value): add(Tag.timestamp, UInt64(bitPattern: value.seconds), UInt64(value.nanoseconds))
    case .decimal(let text): add(Tag.decimal, text)
    case .string(let text): add(Tag.string, text)
    case .bytes(let bytes): add(Tag.bytes, bytes)
    case .reference(let text): add(Tag.reference, text)
    case .unknown(let kind, let raw):
      var hash = Hash128(tag: Tag.unknown)
      hash.absorb(kind)
      hash.absorb(raw)
      add(hash.finish())
    }
  }

  /// The values up to the matching `end` lie in this container.
  public mutating func begin(_ container: Container) {
    outer.append(current)
    let tag =
      switch container {
      case .map: Tag.map
      case .array: Tag.array
      case .vector: Tag.vector
      case .geoPoint: Tag.geoPoint
      }
    current = Frame(hash: Hash128(tag: tag), shape: container == .map ? .map : .list)
  }

  /// The container that was begun last is complete.
  public mutating func end(_ container: Container) {
    guard let next = outer.popLast() else { return }
    closeMap()
    let fingerprint = current.hash.finish()
    current = next
    add(fingerprint)
  }

  private mutating func closeMap() {
    if current.shape == .map { current.hash.absorb(current.sumHigh, current.sumLow) }
    current.hash.absorb(current.count, 0)
  }

  private mutating func add(_ tag: UInt8, _ x: UInt64, _ y: UInt64 = 0) {
    var hash = Hash128(tag: tag)
    hash.absorb(x, y)
    add(hash.finish())
  }

  private mutating func add(_ tag: UInt8, _ bytes: Span<UInt8>) {
    var hash = Hash128(tag: tag)
    hash.absorb(bytes)
    add(hash.finish())
  }

  /// A value is complete.
  private mutating func add(_ value: Fingerprint) {
    current.count &+= 1
    switch current.shape {
    case .none: result = value
    case .list: current.hash.absorb(value.high, value.low)
    case .map:
      var hash = Hash128(tag: Tag.member)
      hash.absorb(current.name.high, current.name.low)
      hash.absorb(value.high, value.low)
      let member = hash.finish()
      current.sumHigh &+= member.high
      current.sumLow &+= member.low
    }
  }
}
