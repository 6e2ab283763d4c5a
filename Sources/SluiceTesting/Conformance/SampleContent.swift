import SluiceCore

/// Keys and values that a store is tried with, unless its fixture names others.
public enum SampleContent {
  /// Ids that are easily mistaken for each other, or for something else. All are one segment of a key.
  public static let ids: [String] = [
    "a", "A", "\u{E9}", "e\u{301}", "a b", " a", "a ", "%", "%2F", "a/b", "a%b", "10", "9", "-1", "\u{65E5}\u{672C}",
    "\u{1F600}", "a.b", "'quote\"", "back\\slash", "line\nbreak", "tab\t", "null", "__proto", "a=b", "a&b?c#d",
    "[x]", "{y}", "~", "*", String(repeating: "long", count: 40),
  ]

  /// A field of every kind, and the values at the edges of the kinds.
  public static let values: [Field] =
    json + [
      Field("double_nan", .double(.nan)), Field("double_infinity", .double(.infinity)),
      Field("double_negative_infinity", .double(-.infinity)), Field("double_whole", .double(1)),
      Field("double_negative_zero", .double(-0.0)), Field("decimal", .decimal("18446744073709551616")),
      Field("timestamp", .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789))),
      Field("timestamp_first", .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0))),
      Field("timestamp_last", .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999))),
      Field("bytes", .bytes([0, 1, 127, 128, 255])), Field("bytes_empty", .bytes([])),
      Field("reference", .reference("projects/p/databases/(default)/documents/c/d")),
      Field("geo_point", .geoPoint(latitude: -90, longitude: 179.5)), Field("vector", .vector([1, -0.5, 1e300])),
    ]

  /// The values that plain JSON tells apart.
  public static let json: [Field] = [
    Field("null", .null), Field("true", .bool(true)), Field("false", .bool(false)), Field("int_zero", .int(0)),
    Field("int_max", .int(.max)), Field("int_min", .int(.min)), Field("int_beyond_double", .int(9_007_199_254_740_993)),
    Field("double", .double(0.1)), Field("double_least", .double(.leastNonzeroMagnitude)),
    Field("double_large", .double(1.5e300)),
    Field("string", .string("text")), Field("string_empty", .string("")),
    Field("string_odd", .string("\"\\\u{8}\n\r\t\u{0}\u{1F600}\u{E9}e\u{301}\u{2028}")),
    Field("array", .array([.int(1), .string("x"), .null, .map([])])), Field("array_empty", .array([])),
    Field("map", .map([Field("b", .int(1)), Field("a", .map([Field("c", .bool(true))]))])),
    Field("map_empty", .map([])), Field("", .string("a field without a name")),
    Field("a.b", .string("a dot in its name")), Field("\u{E9}", .int(1)), Field("e\u{301}", .int(2)),
  ]
}
