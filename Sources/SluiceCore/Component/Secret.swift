/// Text that is never shown: a password, a token. Printing it, by whatever way, gives its expression or `***`.
public struct Secret: Sendable, Hashable {
  private let value: String
  /// The expression it came from, `${env:TOKEN}`; nil where the file has the value itself.
  public let expression: String?

  /// A secret.
  public init(_ value: String, expression: String? = nil) {
    self.value = value
    self.expression = expression
  }

  /// The text itself, for the one place that sends it.
  public func reveal() -> String { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The expression, or `***`.
  public var description: String { expression ?? "***" }
  /// The same.
  public var debugDescription: String { description }
  /// Shows nothing but the description to `dump` and the like.
  public var customMirror: Mirror { Mirror(self, children: ["": description]) }
}

extension Secret: ConfigValue {
  /// Secret text.
  public static var configType: ConfigType { .secret }

  /// Reads text.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Secret? {
    var context = context
    context.isSecret = true
    guard let text = context.text(of: node, expected: "text", into: &diagnostics) else { return nil }
    guard case .scalar(let scalar) = node.content else { return nil }
    return Secret(text, expression: scalar.expression == nil ? nil : scalar.secretDisplay)
  }

  /// Nothing.
  public var configText: String? { nil }
}
