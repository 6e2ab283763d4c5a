import SluiceCore

extension Parser {
  /// A number as it stands in the page.
  struct Number {
    var text: Text
    /// Neither fraction nor exponent.
    var isInteger: Bool
    var hasExponent: Bool
  }

  /// Takes a number by JSON's grammar.
  @inline(__always) mutating func number() throws(Fault) -> Number {
    let start = i
    var isInteger = true
    var hasExponent = false
    _ = take(0x2D)
    if base[i] == 0x30 {
      i += 1
      if base[i] &- 0x30 < 10 { throw fault("a number must not begin with 0", at: start) }
    } else {
      try digits()
    }
    if base[i] == 0x2E {
      isInteger = false
      i += 1
      try digits()
    }
    if base[i] | 0x20 == 0x65 {
      isInteger = false
      hasExponent = true
      i += 1
      if base[i] == 0x2B || base[i] == 0x2D { i += 1 }
      try digits()
    }
    return Number(
      text: Text(start: start, length: i - start, isPlain: true), isInteger: isInteger, hasExponent: hasExponent)
  }

  @inline(__always) private mutating func digits() throws(Fault) {
    if base[i] &- 0x30 >= 10 { throw fault("expected a digit") }
    repeat { i += 1 } while base[i] &- 0x30 < 10
  }

  /// Whether `-0` is spelled: a double, since no whole number has a sign on its zero.
  @inline(__always) func isNegativeZero(_ number: Number) -> Bool {
    number.text.length == 2 && base[number.text.start] == 0x2D && base[number.text.start + 1] == 0x30
  }

  /// Whether a whole number by JSON's grammar fits 64 bits.
  @inline(__always) func fitsInt64(_ text: Text) -> Bool {
    text.length <= 18 || withBytes(text) { NumberText.int($0) != nil }
  }

  /// Whether a double holds the number's size: neither beyond its range nor vanishing to zero.
  @inline(__always) func fitsDouble(_ number: Number) -> Bool {
    if !number.hasExponent, number.text.length < 300 { return true }
    return withBytes(number.text) { text in
      let value = NumberText.double(text)
      if value != 0 { return value.isFinite }
      // Zero: fine unless a digit before the exponent is not.
      var index = 0
      while index < text.count, text[index] | 0x20 != 0x65 {
        if text[index] > 0x30, text[index] <= 0x39 { return false }
        index += 1
      }
      return true
    }
  }
}
