/// One place of a tape: 16 bytes over the tape's byte arena. What the numbers mean depends on the kind.
///
/// A map is its node, then for each field a name and a value; a list is its node, then its items. `end` of a container
/// is the index after its last node, so a walk can step over it.
@usableFromInline @frozen package struct Node: Sendable {
  /// What a node is. Containers come last, so that one comparison tells them apart.
  @usableFromInline @frozen package enum Kind: UInt8, Sendable {
    case null, isFalse, isTrue
    /// `start` and `length` hold the 64 bits of the number.
    case int, double
    /// `start` and `length` hold the seconds, `end` the nanoseconds.
    case timestamp
    /// A range of the arena that holds canonical text (see `Spelling`).
    case intText, doubleText, decimal, timestampText, base64
    /// A range of the arena.
    case string, reference, bytes
    /// A range of the arena; the value follows, or lies at `end` where the flag `moved` says so.
    case name
    /// Holds the range of the kind's name; the next node holds the range of the raw JSON.
    case unknown
    case array, vector, geoPoint
    /// `start` is the index of a `more` node with further fields, 0 when there is none.
    case map
    /// Further fields of a map, added by an edit. Built as a map is.
    case more
  }

  /// What is true of a node beside its kind.
  @usableFromInline @frozen package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Text that needs no escaping inside a JSON string.
    @inlinable package static var plain: Flags { Flags(rawValue: 1) }
    /// A name that no longer belongs to its map.
    @inlinable package static var dropped: Flags { Flags(rawValue: 2) }
    /// A name whose value lies at `end`.
    @inlinable package static var moved: Flags { Flags(rawValue: 4) }
    /// Text of a page that still holds escapes or is not decoded yet: only while a page is parsed.
    @inlinable package static var pending: Flags { Flags(rawValue: 8) }
  }

  @usableFromInline package var start: UInt32
  @usableFromInline package var length: UInt32
  @usableFromInline package var end: UInt32
  @usableFromInline package var kind: Kind
  @usableFromInline package var flags: Flags

  /// Any node.
  @inlinable package init(_ kind: Kind, start: UInt32 = 0, length: UInt32 = 0, end: UInt32 = 0, flags: Flags = []) {
    self.start = start
    self.length = length
    self.end = end
    self.kind = kind
    self.flags = flags
  }

  /// A node that carries 64 bits in place of a range.
  @inlinable package init(_ kind: Kind, bits: UInt64, end: UInt32 = 0) {
    self.init(kind, start: UInt32(truncatingIfNeeded: bits), length: UInt32(truncatingIfNeeded: bits >> 32), end: end)
  }

  /// The 64 bits of a number or of a time's seconds.
  @inlinable package var bits: UInt64 { UInt64(start) | UInt64(length) << 32 }
  /// The moment of a `timestamp` node.
  @inlinable package var timestamp: Timestamp { Timestamp(seconds: Int64(bitPattern: bits), nanoseconds: end) }
  /// The range of the arena.
  @inlinable package var range: Range<Int> {
    Range(uncheckedBounds: (lower: Int(start), upper: Int(start) + Int(length)))
  }
  /// Whether `end` tells where the next node lies.
  @inlinable package var isContainer: Bool { kind.rawValue >= Kind.unknown.rawValue }
  /// Whether it is a name that still belongs to its map.
  @inlinable package var isLive: Bool { flags.rawValue & Flags.dropped.rawValue == 0 }
  @inlinable package var isPlain: Bool { flags.rawValue & Flags.plain.rawValue != 0 }
  @inlinable package var isMoved: Bool { flags.rawValue & Flags.moved.rawValue != 0 }
}
