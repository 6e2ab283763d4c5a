extension String: ConfigValue {
  /// Text.
  public static var configType: ConfigType { .string }

  /// Any scalar's text as it stands: `no`, `0510` and `12:30` are text.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> String? {
    context.text(of: node, expected: "text", into: &diagnostics)
  }

  /// The text, nil where it is empty.
  public var configText: String? { isEmpty ? nil : self }
}

extension Bool: ConfigValue {
  /// True or false.
  public static var configType: ConfigType { .boolean }

  /// Reads `true` and `false`. The other words of YAML 1.1 are errors that say what to write.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Bool? {
    guard let text = context.text(of: node, expected: "true or false", into: &diagnostics) else { return nil }
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: break
    }
    let meant: String? =
      switch text.lowercased() {
      case "yes", "y", "on", "1", "t": "true"
      case "no", "n", "off", "0", "f": "false"
      default: nil
      }
    context.wrongType(
      node, expected: "true or false", suggestion: meant, hint: "write true or false", into: &diagnostics)
    return nil
  }

  /// `true` or `false`.
  public var configText: String? { self ? "true" : "false" }
}

extension Int: ConfigValue {
  /// A whole number.
  public static var configType: ConfigType { .integer }

  /// Reads a decimal number of 64 bits. Underscores, leading zeros and other bases are errors that say what to write.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Int? {
    guard let text = context.text(of: node, expected: "a whole number", into: &diagnostics) else { return nil }
    switch DecimalNumber.readInteger(text) {
    case .value(let number):
      return number
    case .tooLarge:
      diagnostics.error(
        "out_of_range", "\(context.name): \(context.show(node)) does not fit 64 bits", at: node.mark)
    case .misspelled(let meant):
      context.wrongType(
        node, expected: "a whole number", suggestion: meant, hint: "write decimal digits only", into: &diagnostics)
    case .other:
      context.wrongType(node, expected: "a whole number", into: &diagnostics)
    }
    return nil
  }

  /// The digits.
  public var configText: String? { String(self) }
}

extension Double: ConfigValue {
  /// A number.
  public static var configType: ConfigType { .number }

  /// Reads a finite decimal number, with or without a fraction and an exponent.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Double? {
    guard let text = context.text(of: node, expected: "a number", into: &diagnostics) else { return nil }
    if DecimalNumber.isNumber(text), let number = Double(text) {
      if number.isFinite { return number }
      diagnostics.error("out_of_range", "\(context.name): \(context.show(node)) is too large", at: node.mark)
      return nil
    }
    var meant: String?
    if case .misspelled(let integer) = DecimalNumber.readInteger(text) { meant = integer }
    context.wrongType(node, expected: "a number", suggestion: meant, into: &diagnostics)
    return nil
  }

  /// The shortest digits that give the same number.
  public var configText: String? {
    description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }
}

/// The spelling of numbers that a setting accepts.
enum DecimalNumber {
  /// What a text is, read as a whole number.
  enum Reading: Equatable {
    /// A whole number.
    case value(Int)
    /// A whole number of more than 64 bits.
    case tooLarge
    /// A whole number in a spelling that other readers take for another number or for text; what to write, if known.
    case misspelled(String?)
    /// No whole number.
    case other
  }

  /// Reads a whole number.
  static func readInteger(_ text: String) -> Reading {
    let sign = text.hasPrefix("-") ? "-" : ""
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, isDigit(first) else { return .other }
    if digits.utf8.allSatisfy(isDigit) {
      if first != UInt8(ascii: "0") || digits.utf8.count == 1 {
        return Int(sign + digits).map(Reading.value) ?? .tooLarge
      }
      let trimmed = digits.drop { $0 == "0" }
      return .misspelled(sign + (trimmed.isEmpty ? "0" : trimmed))
    }
    let plain = digits.filter { $0 != "_" }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where plain.lowercased().hasPrefix(prefix) {
      guard let number = Int(sign + plain.dropFirst(2), radix: radix) else { return .other }
      return .misspelled(String(number))
    }
    return plain.utf8.allSatisfy(isDigit) ? .misspelled(sign + plain) : .other
  }

  /// Whether it is a decimal number: digits, a fraction, an exponent, and no needless zero in front.
  static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func takeDigits() -> Int {
      let count = rest.prefix(while: isDigit).count
      rest = rest.dropFirst(count)
      return count
    }
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let hasLeadingZero = rest.first == UInt8(ascii: "0")
    let whole = takeDigits()
    if whole > 1, hasLeadingZero { return false }
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      fraction = takeDigits()
    }
    guard whole + fraction > 0 else { return false }
    if let e = rest.first, e | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
      if takeDigits() == 0 { return false }
    }
    return rest.isEmpty
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
