import SluiceCore

/// A strategy that goes on by what a page names: a token or an address.
protocol NamedPagePaging: PagingStrategy {
  /// The signs that end the listing beside a missing name.
  var stopWhen: StopRules<NamedPages> { get }
  /// What a page names; nil or empty where it names nothing.
  static func next(in signals: PageSignals) -> String?
  /// The position of what was named.
  static func position(of next: String) -> PagePosition
  /// The sign that nothing was named.
  static var end: EndSign { get }
}

extension NamedPagePaging {
  /// The named page, or the end where there is none. A page that names its successor in another way, or says that more
  /// follows, is no end but an error: the wrong strategy would cut the listing short without a word.
  func namedStep(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    guard let next = Self.next(in: signals), !next.isEmpty else {
      if let other = signals.waysOn.first {
        throw SluiceError.contradiction(
          "the page names its successor by \(other.what), which \(Self.name) does not follow",
          hint: "use paging: \(other.strategy)")
      }
      if stopWhen.hasMore(signals) == true { throw SluiceError.nothingToGoOnBy("names no next one") }
      return .end(Self.end)
    }
    if let sign = stopWhen.sign(in: signals, of: request) { return .end(sign) }
    return .next(Self.position(of: next))
  }
}

extension PageSignals {
  /// The ways in which the page names its successor, with the strategy that follows each.
  var waysOn: [(what: String, strategy: String)] {
    let ways = [
      (nextToken, "token", PageToken.name), (nextURL, "address", NextURL.name),
      (nextLink, "Link header", LinkHeader.name),
    ]
    return ways.compactMap { ($0.0 ?? "").isEmpty ? nil : ($0.1, $0.2) }
  }
}
