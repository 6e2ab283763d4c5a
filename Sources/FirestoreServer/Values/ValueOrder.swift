import SluiceCore

/// Firestore's order of values: by type, then by content.
enum ValueOrder {
  /// Negative, zero or positive as `a` is below, equal to or above `b`.
  static func compare(_ a: Value, _ b: Value) -> Int {
    let ranks = sign(rank(a), rank(b))
    if ranks != 0 { return ranks }
    return switch (a, b) {
    case (.bool(let x), .bool(let y)): sign(x ? 1 : 0, y ? 1 : 0)
    case (.int(let x), .int(let y)): sign(x, y)
    case (.int(let x), .double(let y)): compare(x, y)
    case (.double(let x), .int(let y)): -compare(y, x)
    case (.double(let x), .double(let y)): compare(x, y)
    case (.timestamp(let x), .timestamp(let y)): sign(x, y)
    case (.string(let x), .string(let y)): compare(x.utf8, y.utf8)
    case (.bytes(let x), .bytes(let y)): compare(x, y)
    case (.reference(let x), .reference(let y)): compareNames(x, y)
    case (.geoPoint(let xa, let xo), .geoPoint(let ya, let yo)):
      compare(xa, ya) != 0 ? compare(xa, ya) : compare(xo, yo)
    case (.array(let x), .array(let y)): compare(x, y)
    case (.vector(let x), .vector(let y)): compare(x, y)
    case (.map(let x), .map(let y)): compare(x, y)
    default: 0
    }
  }

  /// The place of the type: null < bool < number < timestamp < string < bytes < reference < geo point < array <
  /// vector < map. Comparisons other than `!=` only find values of the operand's type.
  static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .double, .decimal: 2
    case .timestamp: 3
    case .string: 4
    case .bytes: 5
    case .reference: 6
    case .geoPoint: 7
    case .array: 8
    case .vector: 9
    case .map, .unknown: 10
    }
  }

  /// −1, 0 or 1.
  static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

  /// NaN is below every number; 0.0 and −0.0 are one.
  private static func compare(_ a: Double, _ b: Double) -> Int {
    if a.isNaN || b.isNaN { return sign(a.isNaN ? 0 : 1, b.isNaN ? 0 : 1) }
    return sign(a, b)
  }

  /// Exact: no `Int64` is rounded on the way.
  private static func compare(_ a: Int64, _ b: Double) -> Int {
    if b.isNaN { return 1 }
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = b.rounded(.towardZero)
    let order = sign(a, Int64(whole))
    return order != 0 ? order : sign(0, b - whole)
  }

  private static func compare(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
    a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
  }

  private static func compare(_ a: [Value], _ b: [Value]) -> Int {
    for (x, y) in zip(a, b) {
      let order = compare(x, y)
      if order != 0 { return order }
    }
    return sign(a.count, b.count)
  }

  private static func compare(_ a: [Double], _ b: [Double]) -> Int {
    if a.count != b.count { return sign(a.count, b.count) }
    for (x, y) in zip(a, b) {
      let order = compare(x, y)
      if order != 0 { return order }
    }
    return 0
  }

  private static func compare(_ a: [Field], _ b: [Field]) -> Int {
    func sorted(_ fields: [Field]) -> [Field] {
      fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    for (x, y) in zip(sorted(a), sorted(b)) {
      let names = compare(x.name.utf8, y.name.utf8)
      if names != 0 { return names }
      let order = compare(x.value, y.value)
      if order != 0 { return order }
    }
    return sign(a.count, b.count)
  }

  /// Names of documents in full, id by id.
  private static func compareNames(_ a: String, _ b: String) -> Int {
    func path(_ text: String) -> ResourcePath {
      ResourcePath(segments: text.split(separator: "/", omittingEmptySubsequences: false).map { Segment(String($0)) })
    }
    return sign(path(a), path(b))
  }
}
