import SluiceCore

/// Follows the token that each page names for the next one, until a page names none.
///
/// A short or empty page with a token goes on: only the missing (or empty) token is the end.
public struct PageToken: PagingStrategy {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>("Follows the next-page token.", [pageSizeSetting(\.size)])
  }

  /// `page_token`.
  public static let name = "page_token"
  /// For `sluice components`.
  public static let summary = "Follows the token that each page names for the next one, until a page names none."
  /// Tokens.
  public static let position = PagePosition.Kind.token

  /// Documents to ask for in a page.
  public let pageSize: Int

  /// A strategy with these settings.
  public init(_ config: Config) { pageSize = config.size }

  /// The page of the token, or the end where there is none.
  public func step(after signals: PageSignals, of request: PageRequest) -> PagingStep {
    guard let token = signals.nextToken, !token.isEmpty else { return .end(.noToken) }
    return .next(.token(token))
  }
}

/// The setting that every strategy with pages of a chosen size has.
func pageSizeSetting<Root>(_ path: WritableKeyPath<Root, Int> & Sendable) -> Setting<Root> {
  Setting(
    "size", path, "Documents to ask for in a page. Always sent; the other side may send fewer.", range: 1...100_000)
}
