extension FieldPath: ConfigValue {
  /// Text.
  public static var configType: ConfigType { .string }

  /// Reads a path as `init(parsing:)` does.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> FieldPath? {
    let expected = "a field path"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    do {
      return try FieldPath(parsing: text)
    } catch {
      context.wrongType(node, expected: expected, hint: error.hint, into: &diagnostics)
      return nil
    }
  }

  /// The path as Firestore writes it.
  public var configText: String? { description }
}
