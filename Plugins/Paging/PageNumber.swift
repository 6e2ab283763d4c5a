import SluiceCore

/// Asks for page after page by number, until a page is empty.
///
/// The next number is always one more than the one asked for: a source that answers with a number of its own may count
/// from another one, and a number that jumps ahead would skip pages. On a source that changes meanwhile documents are
/// missed or come twice: `check` refuses it there, unless the source is pinned or `allow_gaps` is set.
public struct PageNumber: PagingStrategy {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// The number of the first page.
    public var firstPage = 1
    /// What ends the listing beside an empty page.
    public var stopWhen = StopRules<CountedPages>.standard
    /// Whether a source that changes while it is listed is accepted, with what that misses or doubles.
    public var allowGaps = false
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Counts the pages.",
      [
        pageSizeSetting(\.size),
        Setting("first_page", \.firstPage, "The number of the first page, as the source counts.", range: 0...1_000_000),
        stopSetting(\.stopWhen), gapsSetting(\.allowGaps),
      ])
  }

  /// `page_number`.
  public static let name = "page_number"
  /// For `sluice components`.
  public static let summary = "Asks for page after page by number, until a page is empty."
  /// Numbers.
  public static let position = PagePosition.Kind.number
  /// A source that stands still.
  public var needs: PagingNeeds { .stillness }

  /// Documents to ask for in a page.
  public let pageSize: Int
  /// As `allow_gaps` says.
  public let allowsGaps: Bool
  /// As `stop_when` says.
  public var stopsWithoutNewKeys: Bool { stopWhen.stopsWithoutNewKeys }
  /// The first page, asked for by its number, so that it is the page that the second one follows.
  public var first: PagePosition { .number(firstPage) }
  private let firstPage: Int
  private let stopWhen: StopRules<CountedPages>

  /// A strategy with these settings.
  public init(_ config: Config) {
    pageSize = config.size
    firstPage = config.firstPage
    allowsGaps = config.allowGaps
    stopWhen = config.stopWhen
  }

  /// The page of the next number. A short page goes on, since the other side may cap the size; an empty page goes on
  /// only where the other side says that more follows.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    guard case .number(let number) = request.position else {
      throw SluiceError(.internal, "paging by number was given a position of another strategy")
    }
    let next = PagingStep.next(.number(number + 1))
    let hasMore = stopWhen.hasMore(signals)
    if signals.count == 0 { return hasMore == true ? next : .end(.emptyPage) }
    if let sign = stopWhen.sign(in: signals, of: request) { return .end(sign) }
    // How much the pages before held is not known: each at least as much as this one, if the last is the shortest. The
    // engine compares the number of documents with the total when the listing ends by it.
    let (listed, isTooLarge) = (number - firstPage + 1).multipliedReportingOverflow(by: signals.count)
    if hasMore != true, !isTooLarge, stopWhen.total(signals) == listed { return .end(.totalReached) }
    return next
  }
}
