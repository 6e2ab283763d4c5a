/// A value of its own, outside any page. Made when somebody asks; written by authors and tests.
///
/// Equality is that of the content: doubles compare by their bits (so NaN equals NaN, and 0.0 differs from −0.0),
/// strings by their UTF-8 bytes, maps without regard to order.
public indirect enum Value: Sendable {
  /// Nothing, on purpose.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number of 64 bits.
  case int(Int64)
  /// A binary floating-point number, including NaN and the infinities.
  case double(Double)
  /// A number that neither `int` nor `double` holds exactly, as its text.
  case decimal(String)
  /// A moment.
  case timestamp(Timestamp)
  /// Text.
  case string(String)
  /// Bytes.
  case bytes([UInt8])
  /// The full name of another document, as its source spells it.
  case reference(String)
  /// A place on Earth, in degrees.
  case geoPoint(latitude: Double, longitude: Double)
  /// A list.
  case array([Value])
  /// Names and values. Names are unique.
  case map([Field])
  /// A vector of doubles, as for nearest-neighbour search.
  case vector([Double])
  /// A value of a kind this version does not know, kept as the JSON it came as.
  case unknown(kind: String, raw: [UInt8])
}

/// A name with its value.
public struct Field: Sendable, Equatable {
  /// The name. Compared by its UTF-8 bytes: composed and decomposed letters are different names.
  public var name: String
  /// The value.
  public var value: Value

  /// A name with its value.
  public init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }

  /// Same bytes of the name, same value.
  public static func == (a: Field, b: Field) -> Bool { a.name.hasSameBytes(as: b.name) && a.value == b.value }
}

extension Value: Equatable {
  /// Same kind and same content; see the type for what that means.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.int(let x), .int(let y)): x == y
    case (.double(let x), .double(let y)): x.isSameNumber(as: y)
    case (.decimal(let x), .decimal(let y)), (.string(let x), .string(let y)), (.reference(let x), .reference(let y)):
      x.hasSameBytes(as: y)
    case (.timestamp(let x), .timestamp(let y)): x == y
    case (.bytes(let x), .bytes(let y)): x == y
    case (.geoPoint(let xa, let xo), .geoPoint(let ya, let yo)): xa.isSameNumber(as: ya) && xo.isSameNumber(as: yo)
    case (.array(let x), .array(let y)): x == y
    case (.map(let x), .map(let y)): Value.haveSameFields(x, y)
    case (.vector(let x), .vector(let y)): x.count == y.count && zip(x, y).allSatisfy { $0.isSameNumber(as: $1) }
    case (.unknown(let xk, let xr), .unknown(let yk, let yr)): xk.hasSameBytes(as: yk) && xr == yr
    default: false
    }
  }

  private static func haveSameFields(_ a: [Field], _ b: [Field]) -> Bool {
    guard a.count == b.count else { return false }
    func sorted(_ fields: [Field]) -> [Field] {
      fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    return sorted(a) == sorted(b)
  }
}

extension String {
  /// Equal byte by byte. `==` would also call composed and decomposed letters equal, and merge two ids.
  package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Double {
  /// Equal by bits, where every NaN is one number.
  package func isSameNumber(as other: Double) -> Bool { bitPattern == other.bitPattern || (isNaN && other.isNaN) }
}
