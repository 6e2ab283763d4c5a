import SluiceCore

/// What a listing without an end would have cost, from the rate seen: said when the loop guard stops one.
struct RunawayCost {
  var requests: Int
  var reads: Int
  var elapsed: Duration
  /// The source's component.
  var source: String
  /// What the source gives away a day; nil where it says nothing of it.
  var freeReadsPerDay: Int?

  /// One sentence.
  var sentence: String {
    let seconds = max(Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18, 0.001)
    let perSecond = Double(max(reads, 1)) / seconds
    let rate =
      "this run: \(requests) requests, \(reads) reads; unstopped, at the rate seen, "
      + "\(Self.grouped(Double(reads) / seconds * 3600)) reads an hour"
    guard let freeReadsPerDay else { return rate }
    return rate + ", and \(source)'s free \(Self.grouped(Double(freeReadsPerDay))) of a day gone in "
      + Self.span(Double(freeReadsPerDay) / perSecond)
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
