/// A share of a whole, 0 % to 100 %.
public struct Percentage: Sendable, Hashable, Comparable {
  /// The number before the `%` sign, 0…100.
  public var percent: Double

  /// A share; `percent` must be within 0…100.
  public init(_ percent: Double) { self.percent = percent }

  /// The largest whole number that is no more than this share of `count`.
  public func of(_ count: Int) -> Int { Int(Double(count) * percent / 100) }

  /// By size.
  public static func < (a: Percentage, b: Percentage) -> Bool { a.percent < b.percent }
}

extension Percentage: CustomStringConvertible {
  /// `10%`.
  public var description: String { (percent.configText ?? "") + "%" }
}

extension Percentage: ConfigValue {
  /// A percentage.
  public static var configType: ConfigType { .percentage }

  /// Reads `10%`, from 0 to 100.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Percentage? {
    let expected = "a percentage such as 10%"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    guard text.hasSuffix("%"), DecimalNumber.isNumber(String(text.dropLast())), let percent = Double(text.dropLast())
    else {
      let meant = DecimalNumber.isNumber(text) ? text + "%" : nil
      context.wrongType(node, expected: expected, suggestion: meant, into: &diagnostics)
      return nil
    }
    guard (0...100).contains(percent) else {
      diagnostics.error(
        "out_of_range", "\(context.name): \(context.show(node)) is out of range, expected 0% to 100%", at: node.mark)
      return nil
    }
    return Percentage(percent)
  }

  /// The description.
  public var configText: String? { description }
}

/// A limit as a number, or as a share of what there is.
public enum CountOrPercentage: Sendable, Hashable {
  /// A number of things.
  case count(Int)
  /// A share.
  case percentage(Percentage)

  /// The limit for a whole of `count`.
  public func limit(of count: Int) -> Int {
    switch self {
    case .count(let limit): limit
    case .percentage(let share): share.of(count)
    }
  }
}

extension CountOrPercentage: ConfigValue {
  /// A whole number or a percentage.
  public static var configType: ConfigType { .either([.integer, .percentage]) }

  /// Reads `500` or `10%`.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> CountOrPercentage? {
    let expected = "a whole number or a percentage such as 10%"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    if text.hasSuffix("%") {
      return Percentage.decode(node, in: context, into: &diagnostics).map(CountOrPercentage.percentage)
    }
    var ofNumber = Diagnostics()
    guard let count = Int.decode(node, in: context, into: &ofNumber) else {
      // What begins like a number gets the reader of numbers to say what is wrong with it.
      if text.utf8.first.map({ DecimalNumber.isDigit($0) || $0 == UInt8(ascii: "-") }) == true {
        diagnostics.add(contentsOf: ofNumber)
      } else {
        context.wrongType(node, expected: expected, into: &diagnostics)
      }
      return nil
    }
    if count >= 0 { return .count(count) }
    diagnostics.error(
      "out_of_range", "\(context.name): \(context.show(node)) is out of range, expected at least 0", at: node.mark)
    return nil
  }

  /// `500` or `10%`.
  public var configText: String? {
    switch self {
    case .count(let count): count.configText
    case .percentage(let share): share.configText
    }
  }
}
