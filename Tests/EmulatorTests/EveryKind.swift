import SluiceCore

/// A thousand documents that hold every kind of value, under ids of every sort.
enum EveryKind {
  /// Ids that something along the way could take for more than a name.
  static let ids = [
    "a|b", "50%", "c#", "t:15:03", "ø æ", " ", "  two  ", "🦊", "👩‍👩‍👧‍👦", ".x", "..a", "a?b=c&d", "a+b", "a b", "%2F",
    "%", "%25", "\u{e9}", "e\u{301}", "\u{fb01}", "fi", "İ", "ß", "\u{ff5e}", "\u{fffd}", "\u{10ffff}", "\u{2028}",
    "\"q\"", "it's", "\\", "\\u0041", "\t", "line\nbreak", ":commit", "x:runQuery", "(default)", "documents", "*", "@",
    "$",
    "{}", "[0]", "<x>", "^", "`", ";", ",", "=", "~", "-", "_", "__", "___", "__x", "x__", "null", "true", "0", "-1",
    "1e3",
    "__id5__", "__id10__", "__id-3__", "__id9223372036854775807__", "__id-9223372036854775808__",
    String(repeating: "x", count: 1_500), String(repeating: "ø", count: 750), String(repeating: "🦊", count: 375),
  ]

  /// Values of every kind, at their edges. `root` is where documents of this database live.
  static func values(root: String) -> [Value] {
    scalars + texts + moments + references(root) + containers
  }

  private static let scalars: [Value] = [
    .null, .bool(true), .bool(false), .int(0), .int(-1), .int(.max), .int(.min), .int(9_007_199_254_740_993),
    .int(-9_007_199_254_740_993), .double(0), .double(-0.0), .double(1), .double(-1.5), .double(0.1), .double(1e300),
    .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .double(-.greatestFiniteMagnitude),
    .double(.leastNormalMagnitude),
    .double(9_007_199_254_740_992), .double(1e21), .double(1e-7), .double(123_456_789.125), .double(.nan),
    .double(.infinity), .double(-.infinity), .geoPoint(latitude: 0, longitude: 0),
    .geoPoint(latitude: 90, longitude: 180),
    .geoPoint(latitude: -90, longitude: -180), .geoPoint(latitude: 0, longitude: 12.5),
    .geoPoint(latitude: 52.520008, longitude: 0), .bytes([]), .bytes([0]), .bytes([0xFB, 0xFF]), .bytes(Array(0...255)),
  ]

  private static let texts: [Value] = [
    "", "text", "\u{0}", "\u{1}\u{1f}\u{7f}", "\"\\/\u{8}\u{c}\n\r\t", "\u{e9}", "e\u{301}", "🦊👩‍👩‍👧‍👦", "\u{2028}\u{2029}",
    "عبد الله",
    "\u{feff}mark", "NaN", "2024-01-01T00:00:00Z", String(repeating: "long ", count: 2_000),
  ].map { .string($0) }

  private static let moments: [Value] = [
    (0, 0), (1_704_067_200, 123_456_789), (1_704_067_200, 500_000_000), (1_704_067_200, 1_000), (1_704_067_200, 999),
    (-1, 999_999_999), (-62_135_596_800, 0), (253_402_300_799, 999_999_999), (1_709_208_000, 0),
  ].map { .timestamp(Timestamp(seconds: $0, nanoseconds: $1)) }

  private static func references(_ root: String) -> [Value] {
    ["users/u1", "kinds/a|b", "kinds/50%", "a b/ø/c:d/🦊"].map { .reference("\(root)/\($0)") }
  }

  private static let containers: [Value] = [
    .array([]), .map([]), .array([.map([])]), .map([Field("a", .array([])), Field("m", .map([]))]),
    .array([.null, .bool(true), .int(1), .double(1), .string("1"), .bytes([1]), .geoPoint(latitude: 1, longitude: 1)]),
    .array([.map([Field("list", .array([.map([Field("x", .double(.nan))])]))])]),
    .map(oddNames), .map((0..<40).map { Field("name\($0)", .int(Int64($0))) }), deep(19),
    .vector([1]), .vector([0.5, -2, 1e-3]), .vector(Array(repeating: 0.25, count: 256)),
  ]

  private static let oddNames = [
    "a.b", "`", "\\", "ø", "\u{e9}", "e\u{301}", "with space", "0", "a/b", "\"q\"", "🦊", "value", "__type", "fields",
    "line\nbreak",
  ].enumerated().map { Field($1, .int(Int64($0))) }

  private static func deep(_ levels: Int) -> Value {
    (0..<levels).reduce(Value.string("bottom")) { value, _ in .map([Field("m", value)]) }
  }

  /// The documents. One in fifty has no fields at all.
  static func documents(_ count: Int = 1_000, in collection: String = "kinds", root: String) -> [Sample] {
    let values = values(root: root)
    let items = values.map(\.inList)
    return (0..<count).map { number in
      let id = ids.indices.contains(number) ? ids[number] : "d\(number)"
      let value = values[number % values.count]
      let list = Value.array([items[number * 7 % items.count], value.inList])
      let fields = [
        Field("n", .int(Int64(number))), Field("value", value), Field("nested", .map([Field("list", list)])),
      ]
      return Sample(path: "\(collection)/\(id)", fields: number % 50 == 49 ? [] : fields)
    }
  }
}

extension Value {
  /// What stands for this value inside a list: a list or a vector may not, and what is deep would be too deep.
  fileprivate var inList: Value {
    switch self {
    case .array: .string("a list")
    case .vector: .string("a vector")
    default: depth > 15 ? .string("a deep map") : self
    }
  }

  fileprivate var depth: Int {
    switch self {
    case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
    case .map(let fields): 1 + (fields.map(\.value.depth).max() ?? 0)
    default: 0
    }
  }

  /// The value as Firestore keeps it: times in whole microseconds. `zeros`: the server also loses the sign of −0.0, as
  /// Google's emulator does.
  func stored(losingSignOfZero zeros: Bool) -> Value {
    switch self {
    case .timestamp(var time):
      time.nanoseconds -= time.nanoseconds % 1_000
      return .timestamp(time)
    case .double(let number): return .double(zeros && number == 0 ? 0 : number)
    case .array(let items): return .array(items.map { $0.stored(losingSignOfZero: zeros) })
    case .map(let fields): return .map(fields.map { Field($0.name, $0.value.stored(losingSignOfZero: zeros)) })
    default: return self
    }
  }
}

extension String {
  /// The number of an id of the form `__id<int64>__`: those come first in the order of names.
  var idNumber: Int64? {
    guard hasPrefix("__id"), hasSuffix("__"), utf8.count > 6 else { return nil }
    return Int64(dropFirst(4).dropLast(2))
  }

  /// Whether this id comes before another in Firestore's order of names.
  func precedesAsID(_ other: String) -> Bool {
    switch (idNumber, other.idNumber) {
    case (let a?, let b?): a < b
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil): utf8.lexicographicallyPrecedes(other.utf8)
    }
  }
}
