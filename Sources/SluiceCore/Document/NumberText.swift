/// Numbers as JSON text.
package enum NumberText {
  /// The whole number of 64 bits that the text stands for: digits, perhaps with `-` in front. Nil where it does not fit.
  package static func int(_ utf8: Span<UInt8>) -> Int64? {
    let isNegative = utf8.count > 0 && utf8[0] == 0x2D
    var i = isNegative ? 1 : 0
    let start = i
    var value: UInt64 = 0
    // Eighteen digits fit for sure; only after them the sums are checked.
    let safe = min(utf8.count, start + 18)
    while i < safe {
      let digit = utf8[i] &- 0x30
      if digit > 9 { return nil }
      value = value &* 10 &+ UInt64(digit)
      i += 1
    }
    while i < utf8.count {
      let digit = utf8[i] &- 0x30
      if digit > 9 { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { return nil }
      value = sum
      i += 1
    }
    if i == start { return nil }
    if isNegative { return value <= 1 << 63 ? Int64(bitPattern: 0 &- value) : nil }
    return Int64(exactly: value)
  }

  /// Whether the text is a whole number as this package writes it: no `+`, no zero in front, no `-0`.
  package static func isCanonicalInt(_ utf8: Span<UInt8>) -> Bool {
    guard int(utf8) != nil else { return false }
    let start = utf8[0] == 0x2D ? 1 : 0
    return utf8[start] != 0x30 || utf8.count == 1
  }

  /// Whether the text follows JSON's grammar of numbers.
  package static func isNumber(_ utf8: Span<UInt8>) -> Bool {
    var i = 0
    func digits(_ i: inout Int) -> Bool {
      let start = i
      while i < utf8.count, utf8[i] &- 0x30 < 10 { i += 1 }
      return i > start
    }
    if i < utf8.count, utf8[i] == 0x2D { i += 1 }
    if i < utf8.count, utf8[i] == 0x30 { i += 1 } else if !digits(&i) { return false }
    if i < utf8.count, utf8[i] == 0x2E {
      i += 1
      if !digits(&i) { return false }
    }
    if i < utf8.count, utf8[i] | 0x20 == 0x65 {
      i += 1
      if i < utf8.count, utf8[i] == 0x2B || utf8[i] == 0x2D { i += 1 }
      if !digits(&i) { return false }
    }
    return i == utf8.count
  }

  /// The double nearest to a JSON number. The text must follow the grammar; too large gives an infinity.
  package static func double(_ utf8: Span<UInt8>) -> Double {
    if let parts = parts(utf8), let value = exact(parts) { return value }
    // Long or far from 1: rare, and the standard library rounds it right.
    var text: [UInt8] = []
    text.append(utf8)
    return Double(String(decoding: text, as: UTF8.self)) ?? .nan
  }

  private struct Parts {
    var isNegative: Bool
    var digits: UInt64
    var exponent: Int
  }

  /// The digits as one whole number and the power of ten, nil where there are more digits than 64 bits are sure to hold.
  private static func parts(_ utf8: Span<UInt8>) -> Parts? {
    let isNegative = utf8.count > 0 && utf8[0] == 0x2D
    var i = isNegative ? 1 : 0
    // Zeros in front are no digits.
    while i < utf8.count, utf8[i] == 0x30 { i += 1 }
    var digits: UInt64 = 0
    var start = i
    takeDigits(utf8, &i, &digits)
    var count = i - start
    var exponent = 0
    if i < utf8.count, utf8[i] == 0x2E {
      i += 1
      start = i
      if digits == 0 { while i < utf8.count, utf8[i] == 0x30 { i += 1 } }
      let first = i
      takeDigits(utf8, &i, &digits)
      count += i - first
      exponent = start - i
    }
    if count > 19 { return nil }
    if i < utf8.count {
      guard let written = Self.exponent(utf8, from: i + 1) else { return nil }
      exponent += written
    }
    return Parts(isNegative: isNegative, digits: digits, exponent: exponent)
  }

  @inline(__always) private static func takeDigits(_ utf8: Span<UInt8>, _ i: inout Int, _ digits: inout UInt64) {
    while i < utf8.count {
      let digit = utf8[i] &- 0x30
      if digit > 9 { return }
      digits = digits &* 10 &+ UInt64(digit)
      i += 1
    }
  }

  private static func exponent(_ utf8: Span<UInt8>, from start: Int) -> Int? {
    var i = start
    var isNegative = false
    if utf8[i] == 0x2B || utf8[i] == 0x2D {
      isNegative = utf8[i] == 0x2D
      i += 1
    }
    var value = 0
    while i < utf8.count {
      value = value * 10 + Int(utf8[i] &- 0x30)
      if value > 400 { return nil }
      i += 1
    }
    return isNegative ? -value : value
  }

  /// Exact where digits and power of ten both fit 64 bits: one multiplication or division, rounded once.
  private static func exact(_ parts: Parts) -> Double? {
    if parts.digits == 0 { return parts.isNegative ? -0.0 : 0 }
    guard (-19...19).contains(parts.exponent) else { return nil }
    let power = powersOfTen[Int(parts.exponent.magnitude)]
    var magnitude: Double
    if parts.exponent >= 0 {
      magnitude = product(parts.digits, power)
    } else if parts.digits < 1 << 53 {
      // Both are exact as doubles (10^22 is the last that is), so the division rounds once.
      magnitude = Double(parts.digits) / Double(power)
    } else {
      magnitude = quotient(parts.digits, power)
    }
    if parts.isNegative { magnitude.negate() }
    return magnitude
  }

  private static func product(_ a: UInt64, _ b: UInt64) -> Double {
    let (high, low) = a.multipliedFullWidth(by: b)
    if high == 0 { return Double(low) }
    let shift = high.leadingZeroBitCount
    let top = high << shift | low >> (64 - shift)
    return Double(top | (low << shift == 0 ? 0 : 1)) * twoToThe(64 - shift)
  }

  /// `a / b` to 62 bits or more, the last of which also stands for the remainder: enough to round right to 53.
  private static func quotient(_ a: UInt64, _ b: UInt64) -> Double {
    let aShift = a.leadingZeroBitCount
    let bShift = b.leadingZeroBitCount
    let dividend = a << aShift
    let divisor = b << bShift
    let half = dividend >= divisor ? 1 : 0
    let (quotient, remainder) = divisor.dividingFullWidth((dividend >> half, half == 1 ? dividend << 63 : 0))
    return Double(quotient | (remainder == 0 ? 0 : 1)) * twoToThe(half - 64 + bShift - aShift)
  }

  private static func twoToThe(_ exponent: Int) -> Double { Double(bitPattern: UInt64(1023 + exponent) << 52) }

  private static let powersOfTen: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}
