extension Duration: ConfigValue {
  /// A duration.
  public static var configType: ConfigType { .duration }

  /// Reads `10s`, `500ms`, `1.5h`, `1h30m`. A number without a unit is an error that says so.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Duration? {
    let expected = "a duration such as 10s, 500ms, 2m, 1h or 1d"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    switch DurationText.read(text) {
    case .value(let duration):
      return duration
    case .tooLarge:
      diagnostics.error("out_of_range", "\(context.name): \(context.show(node)) is too long", at: node.mark)
    case .noUnit:
      context.wrongType(
        node, expected: expected, suggestion: text + "s",
        hint: "a bare number has no unit: add ns, us, ms, s, m, h or d",
        into: &diagnostics)
    case .other(let meant):
      context.wrongType(node, expected: expected, suggestion: meant, into: &diagnostics)
    }
    return nil
  }

  /// In the largest unit that divides it.
  public var configText: String? { DurationText.write(self) }
}

/// The spelling of durations.
enum DurationText {
  /// What a text is, read as a duration.
  enum Reading: Equatable {
    case value(Duration)
    case tooLarge
    /// A number alone.
    case noUnit
    /// No duration; what was probably meant.
    case other(String?)
  }

  /// The units with their nanoseconds, the largest first.
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
    ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
  ]

  /// Other words for a unit, for what was probably meant.
  private static let words: [String: String] = [
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "msec": "ms", "millis": "ms",
    "milliseconds": "ms", "µs": "us", "μs": "us", "S": "s", "M": "m", "H": "h", "D": "d", "MS": "ms",
  ]

  /// Reads one or more numbers with units, the larger units first.
  static func read(_ text: String) -> Reading {
    guard !text.isEmpty else { return .other(nil) }
    if DecimalNumber.isNumber(text) { return text.hasPrefix("-") || text.hasPrefix("+") ? .other(nil) : .noUnit }
    var rest = text[...]
    var total = Duration.zero
    var nextUnit = 0
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let name = rest.dropFirst(number.count).prefix { !($0.isASCII && $0.isNumber) }
      guard let index = units.firstIndex(where: { $0.name == name }), index >= nextUnit else {
        return .other(meant(number, name, isWhole: number.count + name.count == text.count))
      }
      switch scale(number, by: units[index].nanoseconds) {
      case nil: return .other(nil)
      case .some(nil): return .tooLarge
      case .some(.some(let nanoseconds)): total += .nanoseconds(nanoseconds)
      }
      nextUnit = index + 1
      rest = rest.dropFirst(number.count + name.count)
    }
    return .value(total)
  }

  private static func meant(_ number: Substring, _ name: Substring, isWhole: Bool) -> String? {
    let word = name.filter { $0 != " " }
    guard isWhole, !number.isEmpty else { return nil }
    let unit = units.contains { $0.name == word } ? word : words[word] ?? words[word.lowercased()]
    return unit.map { number + $0 }
  }

  /// Nanoseconds, exactly; nil for no number or a part of a nanosecond, `.some(nil)` for too many.
  private static func scale(_ number: Substring, by unit: Int64) -> Int64?? {
    guard let scaled = ScaledNumber(number) else { return nil }
    return scaled.times(unit)
  }

  static func write(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = attoseconds / 1_000_000_000
    if seconds == 0, nanoseconds == 0 { return "0s" }
    if nanoseconds == 0 {
      let unit = units.prefix(4).first { seconds % ($0.nanoseconds / 1_000_000_000) == 0 } ?? units[3]
      return "\(seconds / (unit.nanoseconds / 1_000_000_000))\(unit.name)"
    }
    let (total, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return "\(seconds)s" }
    let unit = units.first { (total + nanoseconds) % $0.nanoseconds == 0 } ?? units[6]
    return "\((total + nanoseconds) / unit.nanoseconds)\(unit.name)"
  }
}

/// A decimal number with a fraction, kept exactly until it is multiplied by its unit.
struct ScaledNumber {
  private let digits: Int64
  private let power: Int64

  /// Digits with at most one point, and digits on both sides of it; nil for anything else or more than 18 digits.
  init?(_ text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(DecimalNumber.isDigit) }) else {
      return nil
    }
    let fraction = parts.count == 2 ? parts[1] : ""
    guard fraction.utf8.count <= 9, let digits = Int64(parts[0] + fraction) else { return nil }
    self.digits = digits
    power = (0..<fraction.utf8.count).reduce(1) { power, _ in power * 10 }
  }

  /// The product; nil where it is no whole number, `.some(nil)` where it does not fit 64 bits.
  func times(_ unit: Int64) -> Int64?? {
    let product = digits.multipliedFullWidth(by: unit)
    let (quotient, remainder) = Int128(power).quotientAndRemainder(
      dividing: Int128(product.high) << 64 | Int128(product.low))
    guard remainder == 0 else { return nil }
    return .some(Int64(exactly: quotient))
  }
}

extension Int128 {
  fileprivate func quotientAndRemainder(dividing dividend: Int128) -> (quotient: Int128, remainder: Int128) {
    dividend.quotientAndRemainder(dividingBy: self)
  }
}
