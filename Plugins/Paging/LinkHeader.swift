import SluiceCore

/// Follows the Link header of each page to the next one, until a page has none.
///
/// Only `rel="next"` (RFC 8288). The adapter makes a relative address whole, and asks no other origin with credentials.
public struct LinkHeader: PagingStrategy, NamedPagePaging {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// What ends the listing beside a missing link.
    public var stopWhen = StopRules<NamedPages>.standard
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Follows the Link header with rel=\"next\".", [pageSizeSetting(\.size), stopSetting(\.stopWhen)])
  }

  /// `link_header`.
  public static let name = "link_header"
  /// For `sluice components`.
  public static let summary = "Follows the Link header of each page to the next one, until a page has none."
  /// Addresses.
  public static let position = PagePosition.Kind.url
  static let end = EndSign.noURL

  /// Documents to ask for in a page.
  public let pageSize: Int
  /// As `stop_when` says.
  public var stopsWithoutNewKeys: Bool { stopWhen.stopsWithoutNewKeys }
  let stopWhen: StopRules<NamedPages>

  /// A strategy with these settings.
  public init(_ config: Config) {
    pageSize = config.size
    stopWhen = config.stopWhen
  }

  /// The page of the link, or the end where there is none. Throws where the page says that more follows, but names no
  /// link.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    try namedStep(after: signals, of: request)
  }

  static func next(in signals: PageSignals) -> String? { signals.nextLink }
  static func position(of next: String) -> PagePosition { .url(next) }
}
