import SluiceBuiltin
import SluiceCore
import SluiceTesting

extension TransformFixture {
  /// One or more of each transform.
  static let builtin: [TransformFixture] = [
    make(
      "where", .map([Field("field", .string("n")), Field("ge", .int(2))]),
      [(numbered(1), nil), (numbered(2), numbered(2)), ([Field("n", .string("2"))], nil), ([], nil)]),
    make(
      "keep", fields(.array([.string("n"), .string("a.b")])),
      [
        (numbered(1) + [Field("x", .bool(true))], numbered(1)), ([Field("x", .null)], []),
        ([Field("a", .map([Field("b", .int(1)), Field("c", .int(2))]))], [Field("a", .map([Field("b", .int(1))]))]),
      ]),
    make(
      "drop", fields(.array([.string("n")])), [(numbered(1) + SampleContent.values, SampleContent.values), ([], [])]),
    make(
      "rename", fields(.map([Field("n", .string("number"))])),
      [(numbered(1) + SampleContent.values, [Field("number", .int(1))] + SampleContent.values), ([], [])]),
    make(
      "set", fields(.map([Field("origin", .string("import")), Field("flags.checked", .bool(true))])),
      [
        (
          numbered(1),
          numbered(1) + [Field("origin", .string("import")), Field("flags", .map([Field("checked", .bool(true))]))]
        )
      ], refused: ([Field("flags", .int(1))], "flags.checked")),
    make(
      "copy", .map([Field("from", .string("n")), Field("to", .string("m.n"))]),
      [
        (numbered(1), numbered(1) + [Field("m", .map([Field("n", .int(1))]))]),
        ([Field("x", .null)], [Field("x", .null)]),
      ],
      refused: (numbered(1) + [Field("m", .int(1))], "m.n")),
    make(
      "compute", .map([Field("field", .string("twice")), Field("lua", .string("return doc.n and doc.n * 2"))]),
      [(numbered(2) + SampleContent.values, numbered(2) + SampleContent.values + [Field("twice", .int(4))]), ([], [])],
      refused: ([Field("n", .map([]))], "twice")),
  ].compactMap(\.self)

  private static func numbered(_ number: Int64) -> [Field] { [Field("n", .int(number))] }

  private static func fields(_ value: Value) -> Value { .map([Field("fields", value)]) }

  /// Nil, and so missing among the fixtures, where the catalog does not take the settings.
  private static func make(
    _ name: String, _ settings: Value, _ examples: [(input: [Field], output: [Field]?)],
    refused: (input: [Field], field: String)? = nil
  ) -> TransformFixture? {
    let plan = Catalog.builtin.transforms.first { $0.name == name }?.plan(settings)
    return plan.map { TransformFixture($0, examples: examples, refused: refused) }
  }
}
