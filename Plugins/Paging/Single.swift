import SluiceCore

/// Takes one page for the whole listing.
///
/// For sources that answer with everything at once. A page that says in any way that more follows is an error, and so is
/// one of just the size that was asked for, with no word of more or of a total: it may have been cut there.
public struct Single: PagingStrategy {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for.
    public var size = 300
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "One page is the whole listing. A page that says that more follows is an error, and so is a full one without a "
        + "word: set size to more than there can be.", [pageSizeSetting(\.size)])
  }

  /// `single`.
  public static let name = "single"
  /// For `sluice components`.
  public static let summary = "Takes one page for the whole listing, unless it says that more follows."
  /// The start.
  public static let position = PagePosition.Kind.start

  /// Documents to ask for.
  public let pageSize: Int

  /// A strategy with these settings.
  public init(_ config: Config) { pageSize = config.size }

  /// The end, unless the page says that more follows, or may have been cut.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    let way = signals.waysOn.first
    let isCut = (signals.total ?? 0) > signals.count
    guard way != nil || isCut || signals.hasMore == true else {
      guard signals.count == request.size, signals.hasMore == nil, signals.total == nil else { return .end(.single) }
      throw SluiceError.contradiction(
        "one page of \(signals.count) documents, as many as were asked for, need not be all",
        hint: "raise size above the number of documents, or use another paging strategy")
    }
    throw SluiceError.contradiction(
      "one page of \(signals.count) documents is not all: the source says that more follows",
      hint: "use \(way.map { "paging: \($0.strategy)" } ?? "another paging strategy"), or raise size")
  }
}
