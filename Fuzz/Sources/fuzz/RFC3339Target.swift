import SluiceCore

/// Times as text, against a second reader as simple as can be; and every moment there and back.
enum RFC3339Target {
  static func check(_ bytes: [UInt8]) {
    let time = RFC3339.parse(bytes.span)
    let slow = SlowTime(bytes)
    expect(time == slow?.timestamp, "\(String(decoding: bytes, as: UTF8.self)): \(time as Any), not \(slow as Any)")
    if let time {
      let text = written(time)
      expect(RFC3339.parse(text.span) == time, "\(time.seconds), \(time.nanoseconds): written and read")
      expect(text.last == UInt8(ascii: "Z") && [20, 24, 27, 30].contains(text.count), "canonical: \(time)")
      if slow?.isCanonical == true { expect(text == bytes, "a canonical text is written as it was") }
    }
    if bytes.count >= 12 { checkMoment(bytes) }
  }

  /// Takes the input as a moment.
  private static func checkMoment(_ bytes: [UInt8]) {
    let seconds = bytes[..<8].reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    let nanoseconds = bytes[8..<12].reduce(into: UInt32(0)) { $0 = $0 << 8 | UInt32($1) } % 1_000_000_000
    let any = Timestamp(seconds: Int64(bitPattern: seconds), nanoseconds: nanoseconds)
    _ = written(any)
    // Years 1 to 9999.
    let known = Timestamp(seconds: Int64(seconds % 315_537_897_600) - 62_135_596_800, nanoseconds: nanoseconds)
    expect(RFC3339.parse(written(known).span) == known, "\(known.seconds), \(known.nanoseconds): written and read")
  }

  private static func written(_ time: Timestamp) -> [UInt8] {
    var text: [UInt8] = []
    RFC3339.append(time, to: &text)
    return text
  }
}

/// RFC 3339 by its grammar, and days counted year by year.
private struct SlowTime {
  var timestamp: Timestamp
  var isCanonical: Bool

  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), text.utf8.count == text.count else { return nil }
    let pattern =
      /(\d{4})-(\d\d)-(\d\d)([Tt])(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d\d):(\d\d))/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: pattern)?.output, let year = Int(match.1), let month = Int(match.2),
      let day = Int(match.3), let hour = Int(match.5), let minute = Int(match.6), let second = Int(match.7)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...lengths[month - 1]).contains(day), hour < 24, minute < 60, second < 60 else {
      return nil
    }
    var days = lengths[..<(month - 1)].reduce(0, +) + day - 1
    // Days before the year, from year 1 on; the year 0 counts backwards.
    days += year == 0 ? -366 : (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400
    var seconds = days * 86_400 + hour * 3600 + minute * 60 + second - 62_135_596_800
    if let sign = match.10, let hours = match.11.flatMap({ Int($0) }), let minutes = match.12.flatMap({ Int($0) }) {
      guard hours < 24, minutes < 60 else { return nil }
      seconds += (hours * 3600 + minutes * 60) * (sign == "+" ? -1 : 1)
    }
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    let fraction = match.8.map(String.init) ?? ""
    let nanoseconds = UInt32(fraction + String(repeating: "0", count: 9 - fraction.count)) ?? 0
    timestamp = Timestamp(seconds: Int64(seconds), nanoseconds: nanoseconds)
    let isShortest = fraction.isEmpty || fraction.count % 3 == 0 && !fraction.hasSuffix("000")
    isCanonical = match.4 == "T" && match.9 == "Z" && isShortest
  }
}
