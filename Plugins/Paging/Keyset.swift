import SluiceCore

/// Asks for the documents after the last key, until a page is empty.
///
/// Documents that are added or deleted meanwhile do not disturb it.
public struct Keyset: PagingStrategy {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// What ends the listing beside an empty page.
    public var stopWhen = StopRules<PagesAfterKeys>.standard
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Begins each page after the last key.", [pageSizeSetting(\.size), stopSetting(\.stopWhen)])
  }

  /// `keyset`.
  public static let name = "keyset"
  /// For `sluice components`.
  public static let summary = "Asks for the documents after the last key, until a page is empty."
  /// Places in the order.
  public static let position = PagePosition.Kind.after
  /// Pages in the order of their keys.
  public var needs: PagingNeeds { .orderedKeys }

  /// Documents to ask for in a page.
  public let pageSize: Int
  /// As `stop_when` says.
  public var stopsWithoutNewKeys: Bool { stopWhen.stopsWithoutNewKeys }
  private let stopWhen: StopRules<PagesAfterKeys>

  /// A strategy with these settings.
  public init(_ config: Config) {
    pageSize = config.size
    stopWhen = config.stopWhen
  }

  /// The page after the last document. A short page goes on, since the other side may cap the size; where it says
  /// itself that nothing more follows, that is the end.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    if signals.count == 0, stopWhen.hasMore(signals) == true { throw SluiceError.nothingToGoOnBy("is empty") }
    if signals.count == 0 { return .end(.emptyPage) }
    if let sign = stopWhen.sign(in: signals, of: request) { return .end(sign) }
    guard let last = signals.last else {
      throw SluiceError(
        .malformedData, "the page holds \(signals.count) documents but no place to go on from",
        hint: "the source must tell the last key of each page; use another paging strategy")
    }
    return .next(.after(last))
  }
}
