/// Dates as HTTP headers have them.
enum HTTPDate {
  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7) of seconds since 1970.
  static func text(_ seconds: Int64) -> String {
    let day = seconds / 86_400
    // Civil date from days, counted in years that begin in March.
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    let time = [seconds % 86_400 / 3600, seconds % 3600 / 60, seconds % 60].map(twoDigits).joined(separator: ":")
    return "\(days[Int(day % 7)]), \(twoDigits(dayOfMonth)) \(months[Int(month)]) \(year) \(time) GMT"
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// From 1970-01-01 on.
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  /// From March on.
  private static let months = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
}
