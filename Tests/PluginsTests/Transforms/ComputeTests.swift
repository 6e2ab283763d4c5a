import SluiceCore
import Testing

@Suite struct ComputeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var script: String
    var value: Value?
    /// What `out` is, which was 7 before.
    var expected: Value?
    init(_ script: String, _ value: Value?, _ expected: Value?) {
      self.script = script
      self.value = value
      self.expected = expected
    }
    var testDescription: String { "\(script) of \(value.map { "\($0)" } ?? "missing")" }
  }

  private static let before = Value.int(7)
  private static let big: Int64 = 9_007_199_254_740_993
  private static let time = Value.timestamp(Timestamp(seconds: 1_704_067_200, nanoseconds: 5))
  private static let list = Value.array([.int(1), .null, .string("x"), .array([]), .map([])])
  private static let map = Value.map([
    Field("a", .int(1)), Field("b", .null), Field("c", .map([Field("d", .array([.double(1)]))])), Field("t", time),
  ])

  private static let reading = [
    Case("return doc.x", .int(big), .int(big)), Case("return doc.x + 1", .int(big), .int(big + 1)),
    Case("return doc.x", .int(.min), .int(.min)), Case("return doc.x", .double(1), .double(1)),
    Case("return doc.x", .double(-0.0), .double(-0.0)), Case("return math.type(doc.x)", .double(1), .string("float")),
    Case("return math.type(doc.x)", .int(1), .string("integer")), Case("return doc.x", .bool(false), .bool(false)),
    Case("return doc.x", .string("é\u{0}\u{1F98A}"), .string("é\u{0}\u{1F98A}")), Case("return doc.x", .null, .null),
    Case("return doc.x == null", .null, .bool(true)), Case("return doc.x == nil", nil, .bool(true)),
    Case("return doc.x == null", nil, .bool(false)), Case("return type(doc.x)", nil, .string("nil")),
    Case("return doc.x * 2", .decimal("18446744073709551615"), .double(36_893_488_147_419_103_232)),
    Case("return doc.x", .decimal("18446744073709551616"), .double(18_446_744_073_709_551_616)),
    Case("return #doc.x", .bytes([0, 200, 255]), .int(3)), Case("return doc.x:byte(2)", .bytes([0, 200]), .int(200)),
    Case("return doc.x", .reference("projects/p/x"), .string("projects/p/x")),
    Case("return doc.x", .unknown(kind: "k", raw: Array("{}".utf8)), .string("{}")),
    Case("return doc.x", list, list), Case("return doc.x", map, map), Case("return doc.x", time, time),
    Case("return #doc.x", list, .int(5)), Case("return doc.x[2] == null", list, .bool(true)),
    Case("return type(doc.x)", list, .string("table")), Case("return doc.x.c.d[1]", map, .double(1)),
    Case("return doc.x.seconds * 1000 + doc.x.nanos", time, .int(1_704_067_200_005)),
    Case(
      "local t = doc.x; t.seconds = t.seconds + 1; return t", time,
      .timestamp(Timestamp(seconds: 1_704_067_201, nanoseconds: 5))),
    Case("return doc.x == doc.x and doc.x <= doc.x and not (doc.x < doc.x)", time, .bool(true)),
    Case("local t = doc.x; t.nanos = 6; return doc.x < t and t > doc.x and t ~= doc.x", time, .bool(true)),
    Case("return doc.x", .vector([1, 2.5]), .vector([1, 2.5])), Case("return doc.x", .vector([]), .vector([])),
    Case("local v = doc.x; v[1] = 3; return v", .vector([1]), .vector([3])),
    Case("local v = doc.x; v[1] = 'a'; return v", .vector([1]), .array([.string("a")])),
    Case("return doc.x.latitude", .geoPoint(latitude: 1.5, longitude: 2), .double(1.5)),
    Case("return doc.x", .geoPoint(latitude: 1.5, longitude: 2), .geoPoint(latitude: 1.5, longitude: 2)),
    Case("return doc['x']", .int(1), .int(1)), Case("return doc[1]", .int(1), before),
    Case("return doc[null]", .int(1), before), Case("return doc['\\xff']", .int(1), before),
  ]
  private static let returning = [
    Case("", nil, before), Case("return", nil, before), Case("return nil", nil, before),
    Case("return null", nil, .null), Case("return absent", nil, nil), Case("return 1, 2", nil, .int(1)),
    Case("return 0/0", nil, before), Case("return -(0/0)", nil, before), Case("return 1/0", nil, before),
    Case("return {1, 1/0}", nil, before), Case("return doc.x", .array([.double(.nan)]), before),
    Case("return doc.x", .vector([.infinity]), before), Case("return 7 // 2", nil, .int(3)),
    Case("return 7 / 2", nil, .double(3.5)), Case("return 4 / 2", nil, .double(2)),
    Case("return true", nil, .bool(true)),
    Case("return math.maxinteger + 1", nil, .int(.min)), Case("return 1 == 1.0", nil, .bool(true)),
    Case("return '1' + 1", nil, .int(2)), Case("return {}", nil, .array([])),
    Case("local m = doc.x; m.a = nil; return m", .map([Field("a", .int(1))]), .map([])),
    Case(
      "return {b = 1, a = {2}, [ [[é]] ] = 3}", nil,
      .map([Field("a", .array([.int(2)])), Field("b", .int(1)), Field("é", .int(3))])),
    Case("return {null, {x = null}}", nil, .array([.null, .map([Field("x", .null)])])),
    Case("local t = {}; t[2] = 2; t[1] = 1; return t", nil, .array([.int(1), .int(2)])),
    Case("return ('ab'):upper() .. string.format('%03d', 7) .. ('abc'):sub(-1)", nil, .string("AB007c")),
    Case("return math.floor(-1.5) + math.tointeger(2.0) + math.max(1, 2)", nil, .int(2)),
    Case("local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(150)", nil, .int(150)),
    Case("local n = 0; for i = 1, #doc.x do if doc.x[i] ~= null then n = n + 1 end end return n", list, .int(4)),
  ]

  @Test(arguments: reading + returning)
  func computes(_ test: Case) throws {
    let transform = try computing(test.script)
    #expect(transform.problems.isEmpty)
    let outcome =
      try test.value.map { try transform(["x": $0, "out": Self.before]) } ?? transform(["out": Self.before])
    #expect(outcome.failure == nil)
    #expect(outcome.fields != nil)
    #expect(outcome["out"] == test.expected)
    #expect(outcome["x"] == test.value)
  }

  @Test(
    arguments: [
      ("return function() end", "a script cannot return a function"), ("return doc", "a script cannot return doc"),
      ("return '\\xff'", "returns text that is not UTF-8"), ("return {'\\xff'}", "returns text that is not UTF-8"),
      ("return {['\\xff'] = 1}", "returns text that is not UTF-8"), ("return {absent}", "absent stands inside a table"),
      ("return {1, nil, 3}", "keys"), ("return {1, a = 2}", "keys"), ("return {[0] = 1}", "keys"),
      ("return {[1.5] = 1}", "keys"), ("return {[true] = 1}", "keys"), ("return {[2] = 1, [true] = 1}", "no item 1"),
      ("return {type}", "a script cannot return a function"), ("local t = {}; t[1] = t; return t", "100 levels"),
      ("local x\nreturn x.y", "lua:2: attempt to index a nil value (local 'x')"),
      ("return 1 // 0", "attempt to divide by zero"), ("return doc.x.y.z", "attempt to index a nil value"),
      ("return null.x", "attempt to index a userdata value"), ("return null + 1", "attempt to perform arithmetic"),
      ("return doc.x < 1", "attempt to compare nil with number"), ("return #doc", "attempt to get length"),
      ("local t = doc.t; t.nanos = -1; return t", "a time needs whole numbers"),
      ("local t = doc.t; t.seconds = 0.5; return t", "a time needs whole numbers"),
      ("local g = doc.g; g.latitude = nil; return g", "a geo point needs the number latitude"),
      ("return doc.t < 5", "a time compares with times only"),
      ("return doc.t < doc.g", "a time compares with times only"),
    ])
  func aScriptThatFailsRejectsTheDocument(script: String, message: String) throws {
    let outcome = try computing(script)([
      "t": .timestamp(Timestamp(seconds: 0, nanoseconds: 0)), "g": .geoPoint(latitude: 0, longitude: 0),
    ])
    #expect(outcome.fields == nil)
    let rejection = try #require(outcome.rejections.first)
    #expect(rejection.error.message.contains(message), "\(rejection.error.message)")
    #expect(rejection.error.code == .rejected)
    #expect(rejection.error.place.key == "k")
    #expect(rejection.error.place.field == "out")
    #expect(rejection.error.place.component == "compute")
  }

  @Test func theFieldMayLieInAMap() throws {
    let settings: SettingsLiteral = ["field": "a.b.c", "lua": "return 1"]
    let transform = try BuiltinTransform("compute", settings)
    #expect(try transform(["a": .map([])]).fields == fields(["a": .map([Field("b", .map([Field("c", .int(1))]))])]))
    let inTheWay = try transform(["a": .int(1)])
    #expect(inTheWay.rejections.first?.error.place.field == "a.b.c")
    let removing = try BuiltinTransform("compute", ["field": "a.b", "lua": "return absent"])
    #expect(try removing(["a": .map([Field("b", .int(1))])]).fields == fields(["a": .map([])]))
  }

  @Test func aFailureTouchesNoOtherDocument() throws {
    var builder = BatchBuilder()
    for number in 0..<6 { builder.add(key: "\(number)", ["x": number % 2 == 0 ? .int(Int64(number)) : .string("a")]) }
    builder.delete(key: Key("gone"))
    builder.add(key: Key("missing"), header: DocumentHeader(isMissing: true), [])
    var batch = try builder.finish()
    var rejections: [Rejection] = []
    let transform = try #require(try computing("return doc.x // 1").transform)
    try transform.apply(to: &batch, rejections: &rejections)
    #expect(rejections.map(\.key.description) == ["1", "3", "5"])
    #expect((0..<6).map { batch.fields(at: $0)["out"] } == [.int(0), nil, .int(2), nil, .int(4), nil])
    #expect(batch.kind(at: 6) == .delete)
    #expect(batch.fields(at: 7).isEmpty)
  }

  @Test(
    arguments: [
      (["field": "a", "lua": "local x =\n= 1"], "1: invalid_configuration: the script does not compile: lua:"),
      (["field": "a", "lua": "return )"], "1: invalid_configuration: the script does not compile: lua:1:"),
      (
        ["field": "a", "lua": .quoted("\u{1B}Lua")],
        "1: invalid_configuration: the script does not compile: lua:1: unexpected symbol"
      ),
      (
        ["field": "a", "lua": .quoted(String(repeating: "(", count: 1000))],
        "1: invalid_configuration: the script does not compile: C stack overflow"
      ),
      (["lua": "return 1"], "1: missing_key: field is required by compute"),
      (["field": "a"], "1: missing_key: lua is required by compute"),
      (["field": "a", "lua": "return 1", "max_instructions": 0], "4: out_of_range: max_instructions"),
      (["field": "a", "lua": "return 1", "max_memory": "1KB"], "4: out_of_range: max_memory"),
      (
        ["field": "a", "lua": "return 1", "max_memry": "1MB"],
        "4: unknown_key: unknown key \"max_memry\" in compute (max_memory)"
      ),
      (["field": "a", "lua": "return 1", "file": "x.lua"], "4: unknown_key: unknown key \"file\" in compute"),
    ] as [(SettingsLiteral, String)])
  func settingsThatCannotWorkAreRefused(settings: SettingsLiteral, problem: String) throws {
    let transform = try BuiltinTransform("compute", settings)
    #expect(transform.transform == nil)
    #expect(transform.problems.contains { $0.hasPrefix(problem) }, "\(transform.problems)")
  }
}
