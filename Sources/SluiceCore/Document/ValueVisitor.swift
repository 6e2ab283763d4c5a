/// A scalar on its way past. The bytes are lent for the call and cannot outlive it: the compiler sees to that.
@frozen public enum Scalar: ~Escapable {
  /// Nothing, on purpose.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number of 64 bits.
  case int(Int64)
  /// A binary floating-point number.
  case double(Double)
  /// A number that neither holds exactly: its JSON text.
  case decimal(Span<UInt8>)
  /// A moment.
  case timestamp(Timestamp)
  /// Text, as valid UTF-8 without escapes.
  case string(Span<UInt8>)
  /// Bytes, already decoded.
  case bytes(Span<UInt8>)
  /// The full name of another document, as UTF-8.
  case reference(Span<UInt8>)
  /// A value of an unknown kind, as the JSON it came as.
  case unknown(kind: Span<UInt8>, raw: Span<UInt8>)
}

/// What holds other values.
@frozen public enum Container: Sendable, Hashable {
  /// Names and values.
  case map
  /// A list.
  case array
  /// A list of doubles.
  case vector
  /// Two doubles: latitude, then longitude, in degrees.
  case geoPoint
}

/// How a scalar is spelled while its page still holds the text. Text is offered only in canonical spelling.
/// The `plain…` kinds need no escaping inside a JSON string.
@frozen public enum Spelling: Sendable, Hashable {
  /// A whole number that fits 64 bits, without a sign or zero in front.
  case int
  /// A JSON number that stands for a double, as the source spelled it.
  case double
  /// A JSON number that neither `Int64` nor `Double` holds exactly.
  case decimal
  /// RFC 3339 in UTC with `Z` and 0, 3, 6 or 9 digits of fraction.
  case timestamp
  /// Standard base64 with padding.
  case base64
  /// Text that may need escaping.
  case string
  /// Text that needs none.
  case plainString
  /// A document name that may need escaping.
  case reference
  /// A document name that needs none.
  case plainReference
}

/// The one vocabulary between formats. A source speaks it to a `BatchBuilder`, a `Batch` speaks it to a sink.
///
/// Calls are well nested, in the order of the fields; in a map each value follows its name. A visitor is used by one
/// task at a time.
public protocol ValueVisitor: ~Copyable {
  /// The name of the next value of a map. `plain`: it needs no escaping inside a JSON string.
  mutating func name(_ utf8: Span<UInt8>, plain: Bool)
  /// A scalar.
  mutating func value(_ scalar: Scalar)
  /// The values up to the matching `end` lie in this container.
  mutating func begin(_ container: Container)
  /// The container that was begun last is complete.
  mutating func end(_ container: Container)
  /// Offered instead of `value` where the text is at hand. Leave it out and the text is read for you; implement it to
  /// copy numbers, times and base64 without a conversion.
  mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling)
}

/// What a document carries beside its key and fields.
public struct DocumentHeader: Sendable, Hashable {
  /// How new it is.
  public var version: Version
  /// When it was made, where the source says so.
  public var createTime: Timestamp?
  /// When it was last changed, where the source says so.
  public var updateTime: Timestamp?
  /// A name that has no document, only documents below it (Firestore: `showMissing`). It has no fields.
  public var isMissing: Bool

  /// A header; leave out what is not known.
  @inlinable public init(
    version: Version = .none, createTime: Timestamp? = nil, updateTime: Timestamp? = nil, isMissing: Bool = false
  ) {
    self.version = version
    self.createTime = createTime
    self.updateTime = updateTime
    self.isMissing = isMissing
  }
}

/// A visitor of whole batches: the values of a document lie between `begin(document:header:)` and `endDocument()`.
public protocol DocumentVisitor: ValueVisitor, ~Copyable {
  /// A document begins. `key` is its canonical text.
  mutating func begin(document key: Span<UInt8>, header: DocumentHeader)
  /// The document is complete.
  mutating func endDocument()
  /// The document of this key is gone, as of this version.
  mutating func delete(key: Span<UInt8>, version: Version)
}
