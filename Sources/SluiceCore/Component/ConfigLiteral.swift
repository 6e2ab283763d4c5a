extension Value: ConfigValue {
  /// A document value.
  public static var configType: ConfigType { .value }

  /// `null` is a document value.
  public static var takesNull: Bool { true }

  /// Reads a document value by the core rules of YAML 1.2: plain scalars by how they look, quoted ones as text.
  ///
  /// An interpolated scalar is text: the environment does not decide the type. A number with a leading zero is an error,
  /// because other readers take it for text or for an octal number; `yes` and `no` are text, with a warning.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Value? {
    switch node.content {
    case .scalar(let scalar) where scalar.isPlain && scalar.expression == nil:
      return decodePlain(scalar.text, node, context, &diagnostics)
    case .scalar(let scalar):
      return scalar.isUnresolved ? nil : .string(scalar.text)
    case .sequence(let nodes):
      let items = nodes.map { decode($0, in: context, into: &diagnostics) }
      return items.contains { $0 == nil } ? nil : .array(items.compactMap { $0 })
    case .mapping(let entries):
      var fields: [Field] = []
      for entry in entries {
        guard let value = decode(entry.value, in: context, into: &diagnostics) else { continue }
        fields.append(Field(entry.key, value))
      }
      return fields.count == entries.count ? .map(fields) : nil
    }
  }

  private static func decodePlain(
    _ text: String, _ node: ConfigNode, _ context: ConfigContext, _ diagnostics: inout Diagnostics
  ) -> Value? {
    if let word = core[text] { return word }
    switch DecimalNumber.readInteger(text) {
    case .value(let number): return .int(Int64(number))
    case .tooLarge: return .decimal(text.hasPrefix("+") ? String(text.dropFirst()) : text)
    case .misspelled(let meant):
      if let number = otherBase(text) { return .int(number) }
      guard text.utf8.contains(UInt8(ascii: "_")) == false else { break }
      diagnostics.error(
        "ambiguous_value", "\(context.name): \(context.show(node)) may be text or a number", at: node.mark,
        hint: "write \"\(text)\" for text" + (meant.map { ", \($0) for a number" } ?? ""))
      return nil
    case .other: break
    }
    if DecimalNumber.isNumber(text), let number = Double(text) {
      return number.isFinite ? .double(number) : .decimal(text)
    }
    if yaml11.contains(text.lowercased()) || DecimalNumber.readInteger(text) != .other {
      diagnostics.warning(
        "ambiguous_value", "\(context.name): \(context.show(node)) is text here", at: node.mark,
        hint: "quote it to say so, or write true, false or plain digits")
    }
    return .string(text)
  }

  /// `0x1F` and `0o17`, which the core rules know.
  private static func otherBase(_ text: String) -> Int64? {
    if text.hasPrefix("0x") { return Int64(text.dropFirst(2), radix: 16) }
    if text.hasPrefix("0o") { return Int64(text.dropFirst(2), radix: 8) }
    return nil
  }

  private static let core: [String: Value] = {
    var words: [String: Value] = [:]
    for word in ["", "~", "null", "Null", "NULL"] { words[word] = .null }
    for word in ["true", "True", "TRUE"] { words[word] = .bool(true) }
    for word in ["false", "False", "FALSE"] { words[word] = .bool(false) }
    for word in [".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"] { words[word] = .double(.infinity) }
    for word in ["-.inf", "-.Inf", "-.INF"] { words[word] = .double(-.infinity) }
    for word in [".nan", ".NaN", ".NAN"] { words[word] = .double(.nan) }
    return words
  }()

  /// Words that YAML 1.1 took for booleans.
  private static let yaml11: Set<String> = ["yes", "no", "on", "off", "y", "n"]

  /// Scalars as they would be written; nothing for the rest.
  public var configText: String? {
    switch self {
    case .bool(let value): value.configText
    case .int(let value): String(value)
    case .double(let value): value.description
    case .string(let value): value.configText
    default: nil
    }
  }
}
