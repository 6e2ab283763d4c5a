/// A type that can be a setting. The node's text is read by this type alone: nothing is guessed from how it looks.
public protocol ConfigValue: Sendable {
  /// What it takes, for documentation and JSON Schema.
  static var configType: ConfigType { get }

  /// Whether a written `null` or `~` is a value of this type. Where it is not, they mean that the key is not there.
  static var takesNull: Bool { get }

  /// Reads a node. Called at load time, for one node at a time.
  ///
  /// Returns nil exactly where there is an error: added here, or before, of a scalar that is unresolved. Messages must not contain the value of a secret or of an
  /// interpolated scalar: use `context.show(_:)`.
  static func decode(_ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics) -> Self?

  /// The value as it would be written, for the default shown in the documentation; nil where nothing is shown.
  var configText: String? { get }
}

extension ConfigValue {
  /// Null is no value of most types.
  public static var takesNull: Bool { false }
}

/// What a node is being read as: the words for a message.
public struct ConfigContext: Sendable {
  /// The key, as written.
  public var name: String
  /// Where the key stands.
  public var mark: Mark
  /// The role of the component, nil where it makes no difference.
  public var role: ConfigRole?
  /// Whether the value must not be shown.
  public var isSecret: Bool

  /// What a node is being read as.
  public init(_ name: String, at mark: Mark, role: ConfigRole? = nil, isSecret: Bool = false) {
    self.name = name
    self.mark = mark
    self.role = role
    self.isSecret = isSecret
  }

  /// What may be said of a node in a message: the expression of an interpolated scalar, nothing of a secret, and
  /// long text cut.
  public func show(_ node: ConfigNode) -> String {
    guard case .scalar(let scalar) = node.content, !node.isAbsent else { return node.summary }
    if let expression = scalar.expression { return "\"\(isSecret ? scalar.secretDisplay : expression)\"" }
    if isSecret { return "another value" }
    let text = scalar.text.count > 60 ? scalar.text.prefix(57) + "..." : scalar.text[...]
    return "\"\(text)\""
  }

  /// The scalar's text; nil, with an error that says what was expected, for anything else and for nothing.
  public func text(of node: ConfigNode, expected: String, into diagnostics: inout Diagnostics) -> String? {
    if case .scalar(let scalar) = node.content {
      if scalar.isUnresolved { return nil }
      if !node.isAbsent { return scalar.text }
    }
    wrongType(node, expected: expected, into: &diagnostics)
    return nil
  }

  /// Adds the error that a node is not what was expected.
  public func wrongType(
    _ node: ConfigNode, expected: String, suggestion: String? = nil, hint: String? = nil,
    into diagnostics: inout Diagnostics
  ) {
    if node.isUnresolved { return }
    // What to write instead is made of the value, so it is as secret as the value.
    let mayShow = !isSecret && !node.isInterpolated
    var diagnostic = Diagnostic(
      .error, "wrong_type", "\(name): expected \(expected), found \(show(node))", at: node.mark,
      suggestion: mayShow ? suggestion : nil, hint: hint)
    diagnostic.hidesSource = isSecret
    diagnostics.add(diagnostic)
  }
}

extension ConfigNode {
  /// Whether it is a scalar that came from `${env:}` or `${file:}`, wholly or in part.
  var isInterpolated: Bool {
    guard case .scalar(let scalar) = content else { return false }
    return scalar.expression != nil
  }

  /// Whether it is a scalar whose interpolation failed.
  var isUnresolved: Bool {
    guard case .scalar(let scalar) = content else { return false }
    return scalar.isUnresolved
  }
}
