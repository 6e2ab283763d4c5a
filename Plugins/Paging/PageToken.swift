import SluiceCore

/// Follows the token that each page names for the next one, until a page names none.
///
/// A short or empty page with a token goes on: a missing, null or empty token is the end, and what `stop_when` adds.
public struct PageToken: PagingStrategy, NamedPagePaging {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// What ends the listing beside a missing token.
    public var stopWhen = StopRules<NamedPages>.standard
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Follows the next-page token.", [pageSizeSetting(\.size), stopSetting(\.stopWhen)])
  }

  /// `page_token`.
  public static let name = "page_token"
  /// For `sluice components`.
  public static let summary = "Follows the token that each page names for the next one, until a page names none."
  /// Tokens.
  public static let position = PagePosition.Kind.token
  static let end = EndSign.noToken

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

  /// The page of the token, or the end where there is none. Throws where the page says that more follows, but names no
  /// token.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    try namedStep(after: signals, of: request)
  }

  static func next(in signals: PageSignals) -> String? { signals.nextToken }
  static func position(of next: String) -> PagePosition { .token(next) }
}
