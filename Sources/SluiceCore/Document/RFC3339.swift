/// Times as text (RFC 3339): read and written in whole numbers, to the nanosecond.
public enum RFC3339 {
  /// The moment a text names. Accepts 0 to 9 digits of fraction and any offset, in the years 1…9999 after it is
  /// normalised to UTC. Nil for anything else, among it leap seconds.
  public static func parse(_ utf8: Span<UInt8>) -> Timestamp? { read(utf8)?.timestamp }

  /// The moment a text names; see `parse(_:)` for bytes.
  public static func parse(_ text: String) -> Timestamp? { Array(text.utf8).withSpan { read($0)?.timestamp } }

  /// Appends a moment in UTC with `Z` and 0, 3, 6 or 9 digits of fraction, as few as it needs.
  /// A year outside 1…9999, which RFC 3339 does not know, is written with its sign and all its digits.
  public static func append(_ timestamp: Timestamp, to bytes: inout [UInt8]) {
    var text = InlineArray<40, UInt8>(repeating: 0)
    let count = write(timestamp, to: &text)
    for i in 0..<count { bytes.append(text[i]) }
  }

  /// Whether the text is a moment spelled as `append` spells it.
  package static func isCanonical(_ utf8: Span<UInt8>) -> Bool { read(utf8)?.isCanonical ?? false }

  /// The moment, and whether the text is spelled as `append` spells it.
  package static func read(_ utf8: Span<UInt8>) -> (timestamp: Timestamp, isCanonical: Bool)? {
    guard utf8.count >= 20, let (seconds, hasCapitalT) = secondsOfFixedPart(utf8) else { return nil }
    var position = 19
    var nanoseconds = 0
    var isCanonical = hasCapitalT
    if utf8[19] == 0x2E {
      guard let fraction = fraction(utf8, &position) else { return nil }
      nanoseconds = fraction.nanoseconds
      isCanonical = isCanonical && fraction.isCanonical
    }
    var offset = 0
    if position + 1 != utf8.count || utf8[position] != 0x5A {
      guard position < utf8.count, let other = self.offset(utf8, position) else { return nil }
      offset = other
      isCanonical = false
    }
    let utc = seconds - offset
    if utc < earliest || utc > latest { return nil }
    return (Timestamp(seconds: Int64(utc), nanoseconds: UInt32(truncatingIfNeeded: nanoseconds)), isCanonical)
  }

  /// Reads `2024-06-30T15:03:17`, eight bytes at a time: what is left of a digit without its `0`, and of a separator
  /// without itself, must be at most 9 and 0.
  @inline(__always) private static func secondsOfFixedPart(
    _ utf8: Span<UInt8>
  ) -> (seconds: Int, hasCapitalT: Bool)? {
    let raw = utf8.bytes
    let capital: UInt64 = 0x0000_0000_0020_0000
    // What the text should be, as little-endian words: `0000-00-`, `00t00:00` and `00:00:00` from offset 11 on.
    let date = word(raw, 0) ^ 0x2D30_302D_3030_3030
    let middle = word(raw, 8)
    let time = (middle | capital) ^ 0x3030_3A30_3074_3030
    let end = word(raw, 11) ^ 0x3030_3A30_303A_3030
    guard isDigits(date, separators: 0xFF00_00FF_0000_0000), isDigits(time, separators: 0x0000_FF00_00FF_0000),
      isDigits(end, separators: 0x0000_FF00_00FF_0000)
    else { return nil }
    let year = digit(date, 0) &* 1000 &+ digit(date, 1) &* 100 &+ digit(date, 2) &* 10 &+ digit(date, 3)
    let month = digit(date, 5) &* 10 &+ digit(date, 6)
    let day = digit(time, 0) &* 10 &+ digit(time, 1)
    let hour = digit(end, 0) &* 10 &+ digit(end, 1)
    let minute = digit(end, 3) &* 10 &+ digit(end, 4)
    let second = digit(end, 6) &* 10 &+ digit(end, 7)
    guard month >= 1, month <= 12, day >= 1, day <= 28 || day <= days(inMonth: month, of: year), hour < 24, minute < 60,
      second < 60
    else { return nil }
    return (
      daysSinceEpoch(year, month, day) &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second, middle & capital == 0
    )
  }

  @inline(__always) private static func word(_ raw: RawSpan, _ offset: Int) -> UInt64 {
    // Bounds are checked; "unsafe" is only that any eight bytes make an integer.
    UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always) private static func isDigits(_ word: UInt64, separators: UInt64) -> Bool {
    ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080 | (word & separators) == 0
  }

  @inline(__always) private static func digit(_ word: UInt64, _ place: UInt64) -> Int {
    Int(truncatingIfNeeded: word &>> (8 &* place) & 0xFF)
  }

  // 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
  private static let earliest = -62_135_596_800
  private static let latest = 253_402_300_799

  private static func number(_ utf8: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
    var result = 0
    for i in start..<start + count {
      let digit = utf8[i] &- 0x30
      guard digit < 10 else { return nil }
      result = result * 10 + Int(digit)
    }
    return result
  }

  /// Reads `.123`, and leaves `position` after the last digit.
  @inline(__always) private static func fraction(
    _ utf8: Span<UInt8>, _ position: inout Int
  ) -> (nanoseconds: Int, isCanonical: Bool)? {
    let start = position + 1
    var end = start
    var value = 0
    while end < utf8.count {
      let digit = utf8[end] &- 0x30
      if digit > 9 { break }
      value = value &* 10 &+ Int(digit)
      end += 1
      if end - start > 9 { return nil }
    }
    position = end
    // Canonical: three, six or nine digits, and no group of three fewer would do.
    switch end - start {
    case 9: return (value, value % 1000 != 0)
    case 6: return (value &* 1000, value % 1000 != 0)
    case 3: return (value &* 1_000_000, value != 0)
    case 0: return nil
    default:
      for _ in end - start..<9 { value *= 10 }
      return (value, false)
    }
  }

  /// Reads `Z` or `+01:30` up to the end of the text: seconds east of UTC.
  private static func offset(_ utf8: Span<UInt8>, _ position: Int) -> Int? {
    if utf8[position] == 0x5A || utf8[position] == 0x7A { return position + 1 == utf8.count ? 0 : nil }
    let sign = utf8[position]
    guard sign == 0x2B || sign == 0x2D, position + 6 == utf8.count, let hours = number(utf8, position + 1, 2),
      utf8[position + 3] == 0x3A, let minutes = number(utf8, position + 4, 2), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == 0x2B ? seconds : -seconds
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 in the Gregorian calendar. The year is taken to begin in March, so that the leap day is last.
  private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - 719_468
  }
}

extension RFC3339 {
  /// Writes the text to a buffer of 40 bytes and returns its length.
  package static func write(_ timestamp: Timestamp, to text: inout InlineArray<40, UInt8>) -> Int {
    let secondOfDay = Int(floorModulo(timestamp.seconds, 86_400))
    let date = date(timestamp.seconds / 86_400 - (timestamp.seconds % 86_400 < 0 ? 1 : 0))
    var count = 0
    if date.year < 0 || date.year > 9999 {
      text[0] = date.year < 0 ? 0x2D : 0x2B
      let magnitude = date.year.magnitude
      count = 1 + digits(magnitude, max(4, decimalDigits(magnitude)), &text, 1)
    } else {
      count = digits(UInt64(date.year), 4, &text, 0)
    }
    func put(_ separator: UInt8, _ value: Int) {
      text[count] = separator
      count += 1 + digits(UInt64(value), 2, &text, count + 1)
    }
    put(0x2D, date.month)
    put(0x2D, date.day)
    put(0x54, secondOfDay / 3600)
    put(0x3A, secondOfDay / 60 % 60)
    put(0x3A, secondOfDay % 60)
    if timestamp.nanoseconds != 0 {
      text[count] = 0x2E
      count += 1
      var fraction = UInt64(timestamp.nanoseconds)
      var width = 9
      while width > 3, fraction % 1000 == 0 {
        fraction /= 1000
        width -= 3
      }
      count += digits(fraction, width, &text, count)
    }
    text[count] = 0x5A
    return count + 1
  }

  private static func digits(_ value: UInt64, _ width: Int, _ text: inout InlineArray<40, UInt8>, _ start: Int) -> Int {
    var rest = value
    var i = start + width
    while i > start {
      i -= 1
      text[i] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return width
  }

  private static func decimalDigits(_ value: UInt64) -> Int {
    var rest = value
    var count = 1
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }

  private static func floorModulo(_ a: Int64, _ b: Int64) -> Int64 {
    let rest = a % b
    return rest < 0 ? rest + b : rest
  }

  /// The Gregorian date of a day counted from 1970-01-01. Eras of 400 years, years from March.
  private static func date(_ day: Int64) -> (year: Int64, month: Int, day: Int) {
    let shifted = day + 719_468
    let dayOfEra = floorModulo(shifted, 146_097)
    let era = (shifted - dayOfEra) / 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = Int(dayOfYear - (153 * month + 2) / 5 + 1)
    return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), Int(month < 10 ? month + 3 : month - 9), dayOfMonth)
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC.
  public var description: String {
    var bytes: [UInt8] = []
    RFC3339.append(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The moment an RFC 3339 text names; nil where it names none.
  public init?(_ text: String) {
    guard let timestamp = RFC3339.parse(text) else { return nil }
    self = timestamp
  }
}
