import SluiceCore

/// What a listing without an end would have cost, from the rate seen: said when the loop guard stops one.
struct RunawayCost {
  var requests: Int
  var reads: Int
  var elapsed: Duration

  /// One sentence.
  var sentence: String {
    let seconds = max(Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18, 0.001)
    let perHour = Double(reads) / seconds * 3600
    let freeDay = 50_000.0
    let untilFree = freeDay / (Double(max(reads, 1)) / seconds)
    return "this run: \(requests) requests, \(reads) reads; unstopped, at the rate seen, "
      + "\(Self.grouped(perHour)) reads an hour, and Firestore's free 50,000 of a day gone in \(Self.span(untilFree))"
  }

  private static func grouped(_ number: Double) -> String {
    var digits = Array(String(Int64(number.rounded())))
    var index = digits.count - 3
    while index > 0 {
      digits.insert(",", at: index)
      index -= 3
    }
    return String(digits)
  }

  private static func span(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(max(1, Int(seconds.rounded()))) s"
    case ..<7200: "\(Int((seconds / 60).rounded())) min"
    default: "\(Int((seconds / 3600).rounded())) h"
    }
  }
}
