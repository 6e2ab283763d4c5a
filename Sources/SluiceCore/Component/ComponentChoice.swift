/// A component as a job names it: `listen`, or `page_token: {size: 20}`.
public struct ComponentChoice: Sendable {
  /// The name.
  public var name: String
  /// Where the name stands.
  public var mark: Mark
  /// Its settings, absent where there are none.
  public var settings: ConfigNode

  /// A choice of a component.
  public init(_ name: String, at mark: Mark, settings: ConfigNode) {
    self.name = name
    self.mark = mark
    self.settings = settings
  }
}

extension ComponentChoice: ConfigValue {
  /// A component.
  public static var configType: ConfigType { .component }

  /// Reads a bare name, or a mapping with one key. Whether the name exists is for the catalog to say.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> ComponentChoice? {
    switch node.content {
    case .scalar(let scalar) where !node.isAbsent && !scalar.isUnresolved:
      return ComponentChoice(scalar.text, at: node.mark, settings: ConfigNode(.scalar(.init("")), at: node.mark))
    case .mapping(let entries) where entries.count == 1:
      return ComponentChoice(entries[0].key, at: entries[0].keyMark, settings: entries[0].value)
    case .mapping(let entries) where entries.count > 1:
      diagnostics.error(
        "many_components",
        "\(context.name): expected one component, found \(entries.map(\.key).joined(separator: ", "))",
        at: entries[1].keyMark, hint: "indent the settings of a component under its name",
        notes: [Diagnostic.Note("the first one", at: entries[0].keyMark)])
    default:
      context.wrongType(node, expected: "a component: its name, or its name with settings", into: &diagnostics)
    }
    return nil
  }

  /// Its name.
  public var configText: String? { name }
}
