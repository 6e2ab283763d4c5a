/// One setting of a `Configurable`: its key, the property it is read into, and its documentation.
///
/// The type comes from the property, and the default from the property's initialiser.
public struct Setting<Root: Configurable>: Sendable {
  /// The setting without its Swift type.
  public let info: SettingInfo
  /// Reads a node into the property; false, with an error added, where it cannot.
  let apply: @Sendable (ConfigNode, ConfigContext, inout Root, inout Diagnostics) -> Bool
  private let takesNull: Bool

  /// A setting.
  /// - Parameters:
  ///   - key: The key, in `snake_case`.
  ///   - path: The property.
  ///   - doc: What it is, in a sentence or two.
  ///   - required: Whether it must be given.
  ///   - secret: Whether its value is never shown. Always so for a `Secret`.
  ///   - examples: Values as they would be written.
  ///   - renamedFrom: Former keys; writing one is an error that names the new key.
  ///   - role: The one role it belongs to, nil for both.
  public init<V: ConfigValue>(
    _ key: String, _ path: WritableKeyPath<Root, V> & Sendable, _ doc: String, required: Bool = false,
    secret: Bool = false, examples: [String] = [], renamedFrom: [String] = [], role: ConfigRole? = nil
  ) {
    let info = SettingInfo(
      key: key, doc: doc, required, secret, Root()[keyPath: path].configText, examples, renamedFrom, role,
      V.self, low: nil, high: nil)
    self.init(info, path, refusing: { _ in nil })
  }

  /// A setting with a lowest and a highest value.
  public init<V: ConfigValue & Comparable>(
    _ key: String, _ path: WritableKeyPath<Root, V> & Sendable, _ doc: String, required: Bool = false,
    range: ClosedRange<V>, examples: [String] = [], renamedFrom: [String] = [], role: ConfigRole? = nil
  ) {
    let info = SettingInfo(
      key: key, doc: doc, required, false, Root()[keyPath: path].configText, examples, renamedFrom, role,
      V.self, low: range.lowerBound.configText, high: range.upperBound.configText)
    self.init(info, path, refusing: { range.contains($0) ? nil : $0.configText })
  }

  /// A setting with a lowest value.
  public init<V: ConfigValue & Comparable>(
    _ key: String, _ path: WritableKeyPath<Root, V> & Sendable, _ doc: String, required: Bool = false,
    range: PartialRangeFrom<V>, examples: [String] = [], renamedFrom: [String] = [], role: ConfigRole? = nil
  ) {
    let info = SettingInfo(
      key: key, doc: doc, required, false, Root()[keyPath: path].configText, examples, renamedFrom, role,
      V.self, low: range.lowerBound.configText, high: nil)
    let low = range.lowerBound
    self.init(info, path, refusing: { $0 >= low ? nil : $0.configText })
  }

  /// An optional setting with a lowest and a highest value.
  public init<V: ConfigValue & Comparable>(
    _ key: String, _ path: WritableKeyPath<Root, V?> & Sendable, _ doc: String, required: Bool = false,
    range: ClosedRange<V>, examples: [String] = [], renamedFrom: [String] = [], role: ConfigRole? = nil
  ) {
    let info = SettingInfo(
      key: key, doc: doc, required, false, Root()[keyPath: path].configText, examples, renamedFrom, role,
      V.self, low: range.lowerBound.configText, high: range.upperBound.configText)
    self.init(info, path, refusing: { $0.flatMap { range.contains($0) ? nil : $0.configText } })
  }

  /// An optional setting with a lowest value.
  public init<V: ConfigValue & Comparable>(
    _ key: String, _ path: WritableKeyPath<Root, V?> & Sendable, _ doc: String, required: Bool = false,
    range: PartialRangeFrom<V>, examples: [String] = [], renamedFrom: [String] = [], role: ConfigRole? = nil
  ) {
    let info = SettingInfo(
      key: key, doc: doc, required, false, Root()[keyPath: path].configText, examples, renamedFrom, role,
      V.self, low: range.lowerBound.configText, high: nil)
    let low = range.lowerBound
    self.init(info, path, refusing: { $0.flatMap { $0 >= low ? nil : $0.configText } })
  }

  /// `refusing` gives the text of a value that is out of range, nil for one that is not.
  private init<V: ConfigValue>(
    _ info: SettingInfo, _ path: WritableKeyPath<Root, V> & Sendable, refusing: @escaping @Sendable (V) -> String?
  ) {
    self.info = info
    takesNull = V.takesNull
    apply = { node, context, root, diagnostics in
      guard let value = V.decode(node, in: context, into: &diagnostics) else { return false }
      if let text = refusing(value) {
        let shown = node.isInterpolated || context.isSecret ? context.show(node) : text
        diagnostics.error(
          "out_of_range", "\(context.name): \(shown) is out of range, expected \(info.range ?? "another value")",
          at: node.mark)
        return false
      }
      root[keyPath: path] = value
      return true
    }
  }

  /// Whether a node is the same as a key that is not there.
  func isAbsent(_ node: ConfigNode) -> Bool { node.isAbsent && !(takesNull && node.isWrittenNull) }
}

extension SettingInfo {
  fileprivate init<V: ConfigValue>(
    key: String, doc: String, _ isRequired: Bool, _ isSecret: Bool, _ defaultText: String?, _ examples: [String],
    _ renamedFrom: [String], _ role: ConfigRole?, _: V.Type, low: String?, high: String?
  ) {
    let isSecret = isSecret || V.self == Secret.self || V.self == Secret?.self
    self.init(
      key: key, doc: doc, isRequired: isRequired, isSecret: isSecret, defaultText: isSecret ? nil : defaultText,
      minimum: low, maximum: high, examples: examples, renamedFrom: renamedFrom, role: role,
      makeType: { V.configType })
  }
}
