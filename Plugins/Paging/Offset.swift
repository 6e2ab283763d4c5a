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
    /// What ends the listing beside an empty page.
    public var stopWhen = StopRules<CountedPages>.standard
    /// Whether a source that changes while it is listed is accepted, with what that misses or doubles.
    public var allowGaps = false
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Counts the documents read so far.",
      [pageSizeSetting(\.size), stopSetting(\.stopWhen), gapsSetting(\.allowGaps)])
  }

  /// `offset`.
  public static let name = "offset"
  /// For `sluice components`.
  public static let summary = "Asks for the documents after so many, until a page is empty."
  /// Offsets.
  public static let position = PagePosition.Kind.offset
  /// A source that stands still.
  public var needs: PagingNeeds { .stillness }

  /// Documents to ask for in a page.
  public let pageSize: Int
  /// As `allow_gaps` says.
  public let allowsGaps: Bool
  /// As `stop_when` says.
  public var stopsWithoutNewKeys: Bool { stopWhen.stopsWithoutNewKeys }
  private let stopWhen: StopRules<CountedPages>

  /// A strategy with these settings.
  public init(_ config: Config) {
    pageSize = config.size
    allowsGaps = config.allowGaps
    stopWhen = config.stopWhen
  }

  /// The page after the documents of this one. A short page goes on, since the other side may cap the size. Throws
  /// where an empty page comes before the total that the other side names, or with the word that more follows.
  public func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep {
    let before: Int
    switch request.position {
    case .start: before = 0
    case .offset(let offset): before = offset
    default: throw SluiceError(.internal, "offset paging was given a position of another strategy")
    }
    let total = stopWhen.total(signals)
    if signals.count == 0 {
      if stopWhen.hasMore(signals) == true { throw SluiceError.nothingToGoOnBy("is empty") }
      if let total, before < total { throw SluiceError.emptyBeforeTotal(total, listed: "\(before) documents") }
      return .end(.emptyPage)
    }
    if let sign = stopWhen.sign(in: signals, of: request) { return .end(sign) }
    // A total below what was read is none: some write 0 for "not known".
    if stopWhen.hasMore(signals) != true, total == before + signals.count { return .end(.totalReached) }
    return .next(.offset(before + signals.count))
  }
}

extension SluiceError {
  /// An empty page where the other side still counts documents.
  static func emptyBeforeTotal(_ total: Int, listed: String) -> SluiceError {
    contradiction(
      "the page is empty after \(listed), but the source counts \(total)",
      hint: "the source may end its offsets early; use another strategy, or set stop_when without total_reached if the "
        + "number means something else")
  }
}
