import SluiceCore

/// A number by all its decimal digits, for the rare comparison that neither `Int64` nor `Double` can decide.
struct ExactNumber: Sendable {
  private var isNegative = false
  /// Digits 0…9 without zeros at either end; none is zero.
  private var digits: [UInt8] = []
  /// The number is 0.DIGITS × 10^exponent.
  private var exponent = 0
  private var isInfinite = false

  /// A number's JSON text.
  init(_ utf8: Span<UInt8>) {
    var isFraction = false
    var i = 0
    scan: while i < utf8.count {
      switch utf8[i] {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent += Self.exponent(utf8, from: i + 1)
        break scan
      default:
        digits.append(utf8[i] &- UInt8(ascii: "0"))
        if !isFraction { exponent += 1 }
      }
      i += 1
    }
    trim()
  }

  /// A whole number.
  init(_ int: Int64) { self.init(String(int).utf8.span) }

  /// A double, to its last digit. Nil for NaN.
  init?(_ double: Double) {
    if double.isNaN { return nil }
    isNegative = double < 0
    if double.isInfinite {
      isInfinite = true
      return
    }
    if double == 0 { return }
    // double = whole × 2^power with a whole number of 53 bits; dividing by 2 is multiplying by 5 and shifting a digit.
    let power = Int(double.exponent) - 52
    let whole = (double.magnitude.significand * 0x1p52).rounded()
    digits = String(UInt64(whole)).utf8.map { $0 - UInt8(ascii: "0") }
    exponent = digits.count
    let factor: UInt8 = power < 0 ? 5 : 2
    for _ in 0..<power.magnitude { multiply(by: factor) }
    if power < 0 { exponent += power }
    trim()
  }

  /// A scalar that is a number other than NaN.
  init?(_ scalar: Scalar) {
    switch scalar {
    case .int(let value): self.init(value)
    case .double(let value): self.init(value)
    case .decimal(let text): self.init(text)
    default: return nil
    }
  }

  /// Where this number stands in relation to another.
  func order(to other: ExactNumber) -> Order? {
    let isZero = digits.isEmpty && !isInfinite
    let isOtherZero = other.digits.isEmpty && !other.isInfinite
    if isZero || isOtherZero {
      if isZero && isOtherZero { return .same }
      return (isZero ? !other.isNegative : isNegative) ? .before : .after
    }
    if isNegative != other.isNegative { return isNegative ? .before : .after }
    let order = magnitudeOrder(to: other)
    return isNegative ? order.reversed : order
  }

  private func magnitudeOrder(to other: ExactNumber) -> Order {
    if isInfinite || other.isInfinite { return Order(isInfinite ? 1 : 0, other.isInfinite ? 1 : 0) }
    if exponent != other.exponent { return Order(exponent, other.exponent) }
    for (a, b) in zip(digits, other.digits) where a != b { return Order(a, b) }
    return Order(digits.count, other.digits.count)
  }

  private mutating func multiply(by factor: UInt8) {
    var carry: UInt8 = 0
    for i in digits.indices.reversed() {
      let product = digits[i] * factor + carry
      digits[i] = product % 10
      carry = product / 10
    }
    if carry > 0 {
      digits.insert(carry, at: 0)
      exponent += 1
    }
  }

  private mutating func trim() {
    let leading = digits.prefix { $0 == 0 }.count
    digits.removeFirst(leading)
    exponent -= leading
    while digits.last == 0 { digits.removeLast() }
  }

  /// The exponent after `e`. One that is absurdly large stops growing: it decides the order anyway.
  private static func exponent(_ utf8: Span<UInt8>, from start: Int) -> Int {
    var value = 0
    var isNegative = false
    for i in start..<utf8.count {
      if utf8[i] == UInt8(ascii: "-") { isNegative = true }
      let digit = utf8[i] &- UInt8(ascii: "0")
      if digit < 10, value < 1 << 40 { value = value * 10 + Int(digit) }
    }
    return isNegative ? -value : value
  }
}
