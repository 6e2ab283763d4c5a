/// The dates of HTTP headers (RFC 9110, 5.6.7): the fixed form and the two old ones that must still be read.
enum HTTPDate {
  /// Seconds since 1970; nil for what is no date.
  static func parse(_ text: String) -> Int64? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
    // "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
    if words.count == 6, words[5] == "GMT" {
      return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
    }
    if words.count == 5 { return seconds(day: words[2], month: words[1], year: words[4], time: words[3]) }
    return nil
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func seconds(day: Substring, month: Substring, year: Substring, time: Substring) -> Int64? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard let day = number(day), let monthIndex = months.firstIndex(of: String(month)), var fullYear = number(year),
      clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second, fullYear <= 9999
    else { return nil }
    // Two digits: the old form is as old as the twentieth century, or of this one.
    if year.count == 2 { fullYear += fullYear < 70 ? 2000 : 1900 }
    return days(fullYear, monthIndex + 1, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
  }

  private static func number(_ text: Substring) -> Int? {
    !text.isEmpty && text.utf8.allSatisfy { 48...57 ~= $0 } ? Int(text) : nil
  }

  /// Days since 1970-01-01 in the Gregorian calendar. The year is counted from March, so that the leap day is its last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    return Int64(marchYear * 365 + leapDays + dayOfYear - 719_468)
  }
}
