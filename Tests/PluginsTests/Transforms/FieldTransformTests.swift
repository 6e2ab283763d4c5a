import SluiceBuiltin
import SluiceCore
import Testing

@Suite struct FieldTransformTests {
  private let document: KeyValuePairs<String, Value> = [
    "a": .int(1), "m": .map([Field("x", .int(1)), Field("y", .map([Field("z", .string("deep"))]))]), "s": .string("t"),
    "a.b": .null,
  ]

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var settings: SettingsLiteral
    var expected: KeyValuePairs<String, Value>
    init(_ name: String, _ settings: SettingsLiteral, _ expected: KeyValuePairs<String, Value>) {
      self.name = name
      self.settings = settings
      self.expected = expected
    }
    var testDescription: String { "\(name) \(settings)" }
  }

  private static let m: Value = .map([Field("x", .int(1)), Field("y", .map([Field("z", .string("deep"))]))])
  private static let keepsAndDrops = [
    Case("keep", ["fields": ["s", "none", "a"]], ["a": .int(1), "s": .string("t")]),
    Case("keep", ["fields": ["m.y.z"]], ["m": .map([Field("y", .map([Field("z", .string("deep"))]))])]),
    Case("keep", ["fields": ["`a.b`"]], ["a.b": .null]),
    Case("keep", ["fields": ["a.b"]], [:]),
    Case(
      "drop", ["fields": ["a", "none", "m.y", "s.t"]],
      ["m": .map([Field("x", .int(1))]), "s": .string("t"), "a.b": .null]),
    Case("drop", ["fields": ["m", "m.y"]], ["a": .int(1), "s": .string("t"), "a.b": .null]),
    Case(
      "drop", ["fields": ["m.y.z"]],
      [
        "a": .int(1), "m": .map([Field("x", .int(1)), Field("y", .map([]))]), "s": .string("t"), "a.b": .null,
      ]),
  ]
  private static let renames = [
    Case("rename", ["fields": ["a": "b"]], ["b": .int(1), "m": m, "s": .string("t"), "a.b": .null]),
    Case("rename", ["fields": ["a": "s"]], ["s": .int(1), "m": m, "a.b": .null]),
    Case("rename", ["fields": ["none": "s"]], ["a": .int(1), "m": m, "s": .string("t"), "a.b": .null]),
    Case("rename", ["fields": ["`a.b`": "`c.d`", "a": "a"]], ["a": .int(1), "m": m, "s": .string("t"), "c.d": .null]),
    Case(
      "rename", ["fields": ["m.x": "y"]],
      ["a": .int(1), "m": .map([Field("y", .int(1))]), "s": .string("t"), "a.b": .null]),
  ]
  private static let settings = [
    Case(
      "set", ["fields": ["a": nil, "n": .quoted("no"), "d": 1.5]],
      [
        "a": .null, "m": m, "s": .string("t"), "a.b": .null, "n": .string("no"), "d": .double(1.5),
      ]),
    Case(
      "set", ["fields": ["p.q": [1, "x"], "p.r": .quoted("1")]],
      [
        "a": .int(1), "m": m, "s": .string("t"), "a.b": .null,
        "p": .map([Field("q", .array([.int(1), .string("x")])), Field("r", .string("1"))]),
      ]),
    Case(
      "copy", ["from": "m.y.z", "to": "z"],
      [
        "a": .int(1), "m": m, "s": .string("t"), "a.b": .null, "z": .string("deep"),
      ]),
    Case(
      "copy", ["from": "m.y", "to": "a"],
      [
        "a": .map([Field("z", .string("deep"))]), "m": m, "s": .string("t"), "a.b": .null,
      ]),
    Case("copy", ["from": "none", "to": "a"], ["a": .int(1), "m": m, "s": .string("t"), "a.b": .null]),
    Case(
      "copy", ["from": "s", "to": "m.x"],
      [
        "a": .int(1), "m": .map([Field("x", .string("t")), Field("y", .map([Field("z", .string("deep"))]))]),
        "s": .string("t"), "a.b": .null,
      ]),
  ]

  @Test(arguments: keepsAndDrops + renames + settings)
  func maps(_ test: Case) throws {
    let transform = try BuiltinTransform(test.name, test.settings)
    #expect(transform.problems.isEmpty)
    let outcome = try transform(document)
    #expect(outcome.fields == fields(test.expected))
    #expect(outcome.rejections.isEmpty)
  }

  @Test(
    arguments: [("set", ["fields": ["a.b": 1]]), ("copy", ["from": "s", "to": "a.b"])] as [(String, SettingsLiteral)])
  func aDocumentWithoutRoomForTheValueIsRejected(name: String, settings: SettingsLiteral) throws {
    let outcome = try BuiltinTransform(name, settings)(document)
    #expect(outcome.fields == nil)
    let rejection = try #require(outcome.rejections.first)
    #expect(rejection.key == Key("k"))
    #expect(rejection.error.code == .rejected)
    #expect(rejection.error.place.field == "a.b")
  }

  @Test func oneRejectedDocumentDoesNotTouchTheOthers() throws {
    var builder = BatchBuilder()
    for (key, value) in [("1", Value.map([])), ("2", .int(2)), ("3", .map([]))] { builder.add(key: key, ["m": value]) }
    builder.delete(key: Key("4"))
    var batch = try builder.finish()
    var rejections: [Rejection] = []
    let set = try #require(try BuiltinTransform("set", ["fields": ["m.x": 1]]).transform)
    try set.apply(to: &batch, rejections: &rejections)
    #expect(batch.map(\.key.description) == ["1", "2", "3", "4"])
    #expect(batch.indices.map { batch.kind(at: $0) } == [.upsert, .dropped, .upsert, .delete])
    #expect(batch.fields(at: 2).materialized == [Field("m", .map([Field("x", .int(1))]))])
    #expect(rejections.map(\.key) == [Key("2")])
  }

  @Test func theKindOfACopySurvives() throws {
    let time = Value.timestamp(Timestamp(seconds: 1, nanoseconds: 2))
    let outcome = try BuiltinTransform("copy", ["from": "t", "to": "u"])(["t": time])
    #expect(outcome["u"] == time)
  }

  @Test func aNameWithoutADocumentGetsNoFields() throws {
    var builder = BatchBuilder()
    builder.add(key: Key("k"), header: DocumentHeader(isMissing: true), [])
    let batch = try builder.finish()
    #expect(try BuiltinTransform("set", ["fields": ["a": 1]])(batch).fields == [])
  }

  @Test(
    arguments: [
      ("keep", ["fields": []], "2: empty_list: fields names no field [name at least one]"),
      ("keep", [:], "1: missing_key: fields is required by keep"),
      ("drop", ["fields": ["a."]], "2: wrong_type: an item of fields: expected a field path, found \"a.\""),
      ("drop", ["field": ["a"]], "2: unknown_key: unknown key \"field\" in drop (fields)"),
      ("rename", ["fields": ["a.b": "x.y"]], "3: wrong_type: a.b: expected a name, found \"x.y\""),
      ("rename", ["fields": ["a": "b", "b": "c"]], "3: ambiguous_value: a becomes b, which is renamed too"),
      ("rename", ["fields": ["a": "c", "b": "c"]], "4: ambiguous_value: a and b both become c"),
      ("rename", ["fields": ["a.": "c"]], "3: wrong_type: \"a.\" is not a field path"),
      ("rename", ["fields": [:]], "2: empty_list: fields names no field"),
      ("set", ["fields": ["a": 1, "a.b": 2]], "4: ambiguous_value: a and a.b set the same place"),
      ("set", ["fields": ["a..b": 1]], "3: wrong_type: \"a..b\" is not a field path"),
      ("set", ["fields": ["a": ".5e999"]], "1: invalid_configuration: a: \".5e999\" is not the text of a number"),
      ("copy", ["from": "a"], "1: missing_key: to is required by copy"),
      ("copy", ["from": "a", "to": "a"], "3: ambiguous_value: from and to are the same path"),
    ] as [(String, SettingsLiteral, String)])
  func settingsThatCannotWorkAreRefused(name: String, settings: SettingsLiteral, problem: String) throws {
    let transform = try BuiltinTransform(name, settings)
    #expect(transform.transform == nil)
    #expect(transform.problems.contains { $0.hasPrefix(problem) }, "\(transform.problems)")
  }
}
