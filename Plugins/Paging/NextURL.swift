import SluiceCore

/// Follows the address that each page names in its body for the next one, until a page names none.
///
/// The adapter makes a relative address whole, and asks no other origin with credentials.
public struct NextURL: PagingStrategy, NamedPagePaging {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// What ends the listing beside a missing address.
    public var stopWhen = StopRules<NamedPages>.standard
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Follows the address of the next page in the body.", [pageSizeSetting(\.size), stopSetting(\.stopWhen)])
  }

  /// `next_url`.
  public static let name = "next_url"
  /// For `sluice components`.
  public static let summary =
    "Follows the address that each page names in its body for the next one, until a page names none."
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

  /// The page of the address, or the end where there is none. Throws where the page says that more follows, but names no
  /// address.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    try namedStep(after: signals, of: request)
  }

  static func next(in signals: PageSignals) -> String? { signals.nextURL }
  static func position(of next: String) -> PagePosition { .url(next) }
}
