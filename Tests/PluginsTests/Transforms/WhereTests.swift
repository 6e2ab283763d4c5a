import SluiceBuiltin
import SluiceCore
import Testing

@Suite struct WhereTests {
  /// A condition with a document for which it holds, or does not.
  struct Case: CustomTestStringConvertible, Sendable {
    var condition: SettingsLiteral
    var value: Value?
    var holds: Bool
    init(_ condition: SettingsLiteral, _ value: Value?, _ holds: Bool) {
      self.condition = condition
      self.value = value
      self.holds = holds
    }
    var testDescription: String { "\(condition) \(value.map { "\($0)" } ?? "missing")" }
  }

  private static func field(_ key: String, _ literal: SettingsLiteral) -> SettingsLiteral {
    .map([("field", "x"), (key, literal)])
  }

  private static let beyond: Value = .int(9_007_199_254_740_993)
  private static let numbers = [
    Case(field("eq", 1), .int(1), true), Case(field("eq", 1), .double(1), true), Case(field("eq", 1.0), .int(1), true),
    Case(field("eq", 1), .string("1"), false), Case(field("eq", .quoted("1")), .int(1), false),
    Case(field("eq", 1), .bool(true), false), Case(field("eq", 0), .double(-0.0), true),
    Case(field("eq", "9007199254740992.0"), beyond, false), Case(field("gt", "9007199254740992.0"), beyond, true),
    Case(field("eq", "9007199254740993"), .double(9_007_199_254_740_992), false),
    Case(field("lt", "9007199254740993"), .double(9_007_199_254_740_992), true),
    Case(field("lt", "9223372036854775807"), .double(0x1p63), false),
    Case(field("gt", "9223372036854775807"), .double(0x1p63), true),
    Case(field("eq", "-9223372036854775808"), .double(-0x1p63), true),
    Case(field("gt", "-9223372036854775808"), .double(-0x1.0000000000001p63), false),
    Case(field("lt", 1), .double(0.5), true), Case(field("gt", -1), .double(-0.5), true),
    Case(field("lt", -1), .double(-1.5), true), Case(field("le", ".inf"), .int(.max), true),
    Case(field("ge", "-.inf"), .double(-.infinity), true), Case(field("le", ".inf"), .double(.nan), false),
    Case(field("ne", 1), .double(.nan), true), Case(field("gt", 1), .double(.nan), false),
    Case(field("eq", "18446744073709551616"), .decimal("18446744073709551616"), true),
    Case(field("eq", "18446744073709551616"), .decimal("18446744073709551616.0"), true),
    Case(field("eq", "18446744073709551616"), .decimal("1844674407370955161.6e1"), true),
    Case(field("eq", "1.8446744073709552e19"), .decimal("18446744073709551616"), true),
    Case(field("lt", "1.8446744073709552e19"), .decimal("18446744073709551615"), true),
    Case(field("lt", 0.1), .decimal("0.1000000000000000055511151231257827"), true),
    Case(field("gt", 0.1), .decimal("0.1000000000000000055511151231257828"), true),
    Case(field("gt", "9223372036854775807"), .decimal("18446744073709551615"), true),
    Case(field("lt", 0), .decimal("-18446744073709551615"), true),
    Case(field("lt", ".inf"), .decimal("1e999999999999"), true), Case(field("gt", 0), .decimal("1e-99999"), true),
    Case(field("eq", 0), .decimal("0.00e5"), true), Case(field("lt", "5e-324"), .decimal("1e-999"), true),
  ]
  private static let texts = [
    Case(field("eq", "é"), .string("\u{E9}"), true), Case(field("eq", "e\u{301}"), .string("\u{E9}"), false),
    Case(field("lt", "b"), .string("a"), true), Case(field("lt", "a"), .string("Z"), true),
    Case(field("lt", "aa"), .string("a"), true), Case(field("gt", "z"), .string("é"), true),
    Case(field("eq", .quoted("")), .string(""), true), Case(field("eq", "a"), nil, false),
    Case(field("lt", "10"), .string("9"), false),
  ]
  /// 2024-01-01T00:00:00.000000001Z.
  private static let time = Value.timestamp(Timestamp(seconds: 1_704_067_200, nanoseconds: 1))
  private static let otherKinds = [
    Case(field("gt", "2024-01-01T00:00:00Z"), time, true), Case(field("gt", "2024-01-01"), time, true),
    Case(field("lt", "2024-01-02"), time, true), Case(field("eq", "2024-01-01T01:00:00.000000001+01:00"), time, true),
    Case(field("eq", "2024-01-01"), time, false), Case(field("gt", "yesterday"), time, false),
    Case(field("ne", "yesterday"), time, true), Case(field("gt", 5), time, false),
    Case(field("eq", "AAH/"), .bytes([0, 1, 255]), true), Case(field("eq", "AAH_"), .bytes([0, 1, 255]), true),
    Case(field("lt", "AAI="), .bytes([0, 1]), true), Case(field("eq", "AAH/"), .string("AAH/"), true),
    Case(field("eq", "teams/t1"), .reference("projects/p/databases/(default)/documents/teams/t1"), true),
    Case(field("eq", "projects/p/databases/d/documents/t/1"), .reference("projects/p/databases/d/documents/t/1"), true),
    Case(field("eq", "teams/t1"), .reference("teams/t1"), true),
    Case(field("eq", true), .bool(true), true), Case(field("ne", true), .bool(false), true),
    Case(field("eq", nil), .null, true), Case(field("eq", nil), .int(0), false), Case(field("eq", nil), nil, false),
    Case(field("ne", nil), nil, true), Case(field("ne", nil), .null, false), Case(field("lt", 5), .null, false),
    Case(field("eq", [1, "a"]), .array([.double(1), .string("a")]), true),
    Case(field("eq", [1, "a"]), .array([.string("a"), .int(1)]), false), Case(field("eq", []), .array([]), true),
    Case(field("eq", []), .map([]), false), Case(field("ne", [1]), .array([.int(1)]), false),
    Case(field("eq", ["2024-01-01"]), .array([.timestamp(Timestamp(seconds: 1_704_067_200, nanoseconds: 0))]), true),
    Case(field("eq", ["a": 1, "b": nil]), .map([Field("b", .null), Field("a", .int(1))]), true),
    Case(field("eq", ["a": 1]), .map([Field("b", .null), Field("a", .int(1))]), false),
    Case(field("eq", ["a": [["b": 1]]]), .map([Field("a", .array([.map([Field("b", .int(1))])]))]), true),
    Case(field("eq", [1, 2]), .vector([1, 2]), true), Case(field("eq", [1, 2]), .vector([1, .nan]), false),
    Case(field("eq", ["longitude": 2, "latitude": 1.5]), .geoPoint(latitude: 1.5, longitude: 2), true),
    Case(field("eq", 1), .array([.int(1)]), false), Case(field("eq", [1]), .int(1), false),
    Case(field("eq", "{}"), .unknown(kind: "k", raw: Array("{}".utf8)), false),
    Case(field("in", [1, "a", nil]), .null, true), Case(field("in", [1, "a"]), .string("a"), true),
    Case(field("in", [1, "a"]), .null, false), Case(field("in", [[1], [2]]), .array([.int(2)]), true),
    Case(field("in", [1]), nil, false), Case(field("in", [1]), .map([]), false),
  ]
  private static let presence = [
    Case(field("exists", true), .null, true), Case(field("exists", true), nil, false),
    Case(field("exists", false), nil, true), Case(field("exists", false), .map([]), false),
    Case(field("type", nil), .null, true), Case(field("type", "null"), nil, false),
    Case(field("type", ["string", nil]), .null, true), Case(field("type", "number"), .decimal("1e999"), true),
    Case(field("type", "int"), .double(1), false), Case(field("type", "double"), .double(.nan), true),
    Case(field("type", "timestamp"), time, true), Case(field("type", "bytes"), .bytes([]), true),
    Case(field("type", "reference"), .reference("a/b"), true), Case(field("type", "array"), .array([.map([])]), true),
    Case(field("type", "geo_point"), .geoPoint(latitude: 0, longitude: 0), true),
    Case(field("type", "map"), .map([]), true), Case(field("type", "vector"), .vector([]), true),
    Case(field("type", "array"), .vector([]), false), Case(field("type", "unknown"), .unknown(kind: "", raw: []), true),
    Case(field("type", "bool"), .bool(false), true), Case(field("type", "decimal"), .decimal("1e999"), true),
    Case(["field": "x", "eq": [1], "type": "array"], .array([.int(1)]), true),
    Case(["field": "x", "eq": [1], "type": "vector"], .array([.int(1)]), false),
  ]
  private static let combined = [
    Case(["field": "x", "ge": 1, "lt": 3], .int(2), true), Case(["field": "x", "ge": 1, "lt": 3], .int(3), false),
    Case(["all": [field("ge", 1), field("lt", 3)]], .int(3), false),
    Case(["any": [field("eq", 1), field("eq", "a")]], .string("a"), true),
    Case(["any": [field("eq", 1), field("eq", "a")]], .int(2), false),
    Case(["not": field("eq", 1)], nil, true), Case(["not": field("eq", 1)], .int(1), false),
    Case(["not": ["any": [field("eq", 1), ["not": field("exists", true)]]]], .int(2), true),
    Case(["field": "x", "type": "double", "not": field("le", ".inf")], .double(.nan), true),
    Case(["field": "x", "type": "double", "not": field("le", ".inf")], .double(5), false),
    Case(["field": "x.y.z", "eq": 1], .map([Field("y", .map([Field("z", .int(1))]))]), true),
    Case(["field": "x.y.z", "ne": 1], .map([Field("y", .int(1))]), true),
    Case(["field": "x.y.z", "exists": false], .map([Field("y", .int(1))]), true),
    Case(["field": "`x`", "eq": 1], .int(1), true),
  ]

  @Test(arguments: numbers + texts + otherKinds + presence + combined)
  func holds(_ test: Case) throws {
    let transform = try BuiltinTransform("where", test.condition)
    #expect(transform.problems.isEmpty)
    let outcome =
      try test.value.map { try transform(["w": .int(0), "x": $0, "z": .int(0)]) } ?? transform(["w": .int(0)])
    #expect((outcome.fields != nil) == test.holds)
    #expect(outcome.rejections.isEmpty)
  }

  @Test func whatIsKeptStaysAsItWas() throws {
    let outcome = try BuiltinTransform("where", ["field": "a", "eq": 1])(["a": .int(1), "b": .double(.nan)])
    #expect(outcome.fields == fields(["a": .int(1), "b": .double(.nan)]))
  }

  @Test(
    arguments: [
      (["field": "a"], "2: missing_key: a condition on a field needs an operator"),
      (["eq": 1], "2: missing_key: eq needs the field it is about"),
      ([:], "1: missing_key: the condition is empty"),
      (["field": "a", "eqq": 1], "3: unknown_key: unknown key \"eqq\" in where (eq)"),
      (["fild": "a", "eq": 1], "2: unknown_key: unknown key \"fild\" in where (field)"),
      (["field": "a", "type": "strng"], "3: wrong_type: type: expected one of"),
      (["field": "a", "type": "boolean"], "3: wrong_type: type: expected one of"),
      (["field": "a", "type": []], "3: empty_list: type is empty"),
      (["field": "a", "in": []], "3: empty_list: in is empty"),
      (["field": "a", "in": 5], "3: wrong_type: in: expected a list, found \"5\" ([5])"),
      (["all": []], "2: empty_list: all is empty"), (["any": []], "2: empty_list: any is empty"),
      (["field": "a", "lt": true], "3: wrong_type: lt compares with a value that has no order"),
      (["field": "a", "lt": nil], "3: wrong_type: lt compares with a value that has no order"),
      (["field": "a", "ge": [1]], "3: wrong_type: ge compares with a value that has no order"),
      (["field": "a", "eq": ".nan"], "3: wrong_type: eq compares with NaN, which never holds"),
      (["field": "a", "exists": "yes"], "3: wrong_type: exists: expected true or false"),
      (["field": "a..b", "eq": 1], "2: wrong_type: field: expected a field path, found \"a..b\""),
      (
        ["all": [["field": "a", "eq": 1], ["field": "b"]]], "3: missing_key: a condition on a field needs an operator"
      ),
      (["not": ["field": "b", "lte": 1]], "4: unknown_key: unknown key \"lte\" in not (lt)"),
      ("a", "1: wrong_type: where: expected a mapping of settings"),
    ] as [(SettingsLiteral, String)])
  func conditionsThatCannotWorkAreRefused(condition: SettingsLiteral, problem: String) throws {
    let transform = try BuiltinTransform("where", condition)
    #expect(transform.transform == nil)
    #expect(transform.problems.contains { $0.hasPrefix(problem) }, "\(transform.problems)")
  }

  @Test func theSuggestionKnowsOtherNamesOfKinds() throws {
    let transform = try BuiltinTransform("where", ["field": "a", "type": "boolean"])
    #expect(transform.problems.first?.contains("(bool)") == true)
  }
}
