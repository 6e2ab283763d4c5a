extension Optional: ConfigValue where Wrapped: ConfigValue {
  /// That of the wrapped type.
  public static var configType: ConfigType { Wrapped.configType }

  /// That of the wrapped type.
  public static var takesNull: Bool { Wrapped.takesNull }

  /// Reads a wrapped value; an absent node is nil.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Wrapped?? {
    if node.isAbsent, !(Wrapped.takesNull && node.isWrittenNull) { return .some(nil) }
    return Wrapped.decode(node, in: context, into: &diagnostics).map { .some($0) }
  }

  /// The wrapped value's text.
  public var configText: String? { flatMap(\.configText) }
}

extension Array: ConfigValue where Element: ConfigValue {
  /// A list.
  public static var configType: ConfigType { .list(Element.configType) }

  /// Reads every item, and reports each that cannot be read.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> [Element]? {
    guard case .sequence(let nodes) = node.content else {
      var meant: String?
      if case .scalar(let scalar) = node.content, !node.isAbsent { meant = "[\(scalar.text)]" }
      context.wrongType(node, expected: "a list", suggestion: meant, into: &diagnostics)
      return nil
    }
    let items = nodes.map { item in
      let itemContext = ConfigContext(
        "an item of \(context.name)", at: context.mark, role: context.role, isSecret: context.isSecret)
      return Element.decode(item, in: itemContext, into: &diagnostics)
    }
    return items.allSatisfy({ $0 != nil }) ? items.compactMap { $0 } : nil
  }

  /// The items in brackets.
  public var configText: String? { "[\(compactMap(\.configText).joined(separator: ", "))]" }
}

/// Names of the user's choice with values, in the order of the file. Names differ by their UTF-8 bytes.
public struct ConfigMap<Element: ConfigValue>: Sendable {
  /// A name with its value.
  public struct Entry: Sendable {
    /// The name.
    public var key: String
    /// Where the name stands.
    public var mark: Mark
    /// The value.
    public var value: Element
  }

  /// The entries, in the order of the file.
  public var entries: [Entry]

  /// No entries.
  public init() { entries = [] }

  /// The value of a name.
  public subscript(key: String) -> Element? { entries.first { $0.key.hasSameBytes(as: key) }?.value }
}

extension ConfigMap: ConfigValue {
  /// A mapping.
  public static var configType: ConfigType { .map(Element.configType) }

  /// Reads every value, and reports each that cannot be read.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> ConfigMap<Element>? {
    guard case .mapping(let nodes) = node.content else {
      context.wrongType(node, expected: "a mapping", into: &diagnostics)
      return nil
    }
    var map = ConfigMap()
    for entry in nodes {
      let entryContext = ConfigContext(
        entry.key, at: entry.keyMark, role: context.role, isSecret: context.isSecret)
      if let value = Element.decode(entry.value, in: entryContext, into: &diagnostics) {
        map.entries.append(Entry(key: entry.key, mark: entry.keyMark, value: value))
      }
    }
    return map.entries.count == nodes.count ? map : nil
  }

  /// The entries in braces.
  public var configText: String? {
    "{\(entries.map { "\($0.key): \($0.value.configText ?? "")" }.joined(separator: ", "))}"
  }
}

extension Dictionary: ConfigValue where Key == String, Value: ConfigValue {
  /// A mapping.
  public static var configType: ConfigType { .map(Value.configType) }

  /// Reads every value. Use `ConfigMap` where the order or the bytes of the names matter.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> [String: Value]? {
    guard let map = ConfigMap<Value>.decode(node, in: context, into: &diagnostics) else { return nil }
    return [String: Value](map.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entries in braces, in the order of their names.
  public var configText: String? {
    let entries = sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.configText ?? "")" }
    return "{\(entries.joined(separator: ", "))}"
  }
}

extension ConfigValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// One of the cases.
  public static var configType: ConfigType { .oneOf(allCases.map(\.rawValue)) }

  /// Reads one of the cases' raw values.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Self? {
    let words = allCases.map(\.rawValue)
    let expected = "one of \(words.joined(separator: ", "))"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    if let value = Self(rawValue: text) { return value }
    context.wrongType(
      node, expected: expected, suggestion: NearestName.find(text, among: words), into: &diagnostics)
    return nil
  }

  /// The raw value.
  public var configText: String? { rawValue }
}

extension ConfigNode: ConfigValue {
  /// Whatever the component makes of it.
  public static var configType: ConfigType { .any }

  /// The component sees a written `null`.
  public static var takesNull: Bool { true }

  /// Takes the node as it is.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> ConfigNode? { node }

  /// Nothing.
  public var configText: String? { nil }
}
