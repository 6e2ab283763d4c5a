import SluiceCore

/// Asks for the documents after so many, until a page is empty.
///
/// On a source that changes meanwhile documents are missed or come twice: `check` refuses it there, unless the source
/// is pinned or `allow_gaps` is set.
public struct Offset: PagingStrategy {
  /// The settings.
  public struct Config: Configurable {
    /// Documents to ask for in a page.
    public var size = 300
    /// Whether a source that changes while it is listed is accepted, with what that misses or doubles.
    public var allowGaps = false
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Counts the documents read so far.",
      [
        pageSizeSetting(\.size),
        Setting(
          "allow_gaps", \.allowGaps,
          "Accept a source that changes while it is listed: documents may then be missed or come twice."),
      ])
  }

  /// `offset`.
  public static let name = "offset"
  /// For `sluice components`.
  public static let summary = "Asks for the documents after so many, until a page is empty."
  /// Offsets.
  public static let position = PagePosition.Kind.offset

  /// Documents to ask for in a page.
  public let pageSize: Int
  /// A source that stands still, unless gaps are allowed.
  public let needs: PagingNeeds

  /// A strategy with these settings.
  public init(_ config: Config) {
    pageSize = config.size
    needs = config.allowGaps ? [] : .stillness
  }

  /// The page after the documents of this one. A short page goes on, since the other side may cap the size.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    if signals.count == 0 { return .end(.emptyPage) }
    let before: Int
    switch request.position {
    case .start: before = 0
    case .offset(let offset): before = offset
    default: throw SluiceError(.internal, "offset paging was given a position of another strategy")
    }
    if let total = signals.total, before + signals.count >= total { return .end(.totalReached) }
    return .next(.offset(before + signals.count))
  }
}
