import SluiceCore

/// The `limits` of a job: guards and budgets.
public struct LimitSettings: Configurable {
  /// The most deletes by absence in one run.
  public var maxDelete = CountOrPercentage.percentage(Percentage(10))
  /// Whether a source without documents is believed.
  public var allowEmpty = false
  /// The most documents that the source ever lists, where it has such a cap.
  public var maxResults: Int?
  /// Empty pages in a row that end a listing.
  public var maxEmptyPages = 100
  /// Reads of one run: a number, or a cap derived from what is known of the source.
  public var readsPerRun = ReadBudget.auto
  /// Reads of one day (UTC). Daily budgets are shared by all jobs of the state store that read one billed database; a
  /// job whose source is not billed has its own.
  public var readsPerDay: Int?
  /// Writes of one run.
  public var writesPerRun: Int?
  /// Deletes of one run.
  public var deletesPerRun: Int?
  /// Requests for pages of one run.
  public var requestsPerRun: Int?
  /// Bytes received in one run.
  public var bytesPerRun: ByteCount?
  /// Writes of one day.
  public var writesPerDay: Int?
  /// Deletes of one day.
  public var deletesPerDay: Int?
  /// Requests for pages of one day.
  public var requestsPerDay: Int?
  /// Bytes received in one day.
  public var bytesPerDay: ByteCount?
  /// Time of one run.
  public var timePerRun: Duration?
  /// How much of the listing may wait in the state store for a sink that lags behind the others.
  public var spool = ByteCount(256_000_000)

  /// The defaults.
  public init() {}

  /// The settings.
  public static let spec = ConfigSpec<LimitSettings>(
    "Guards and budgets. Reaching a budget ends the run with everything saved; the next run goes on.",
    [
      Setting(
        "max_delete", \.maxDelete,
        "The most deletes by absence in one run: a number, or a share of the documents the sink holds. With a share, "
          + "three or fewer pass, unless they are all."),
      Setting("allow_empty", \.allowEmpty, "Believe a source that has no documents at all."),
      Setting(
        "max_results", \.maxResults,
        "The most documents that the source ever lists, where it has such a cap. A listing that reaches it may have been "
          + "cut: nothing is deleted or replaced by it.", range: 1...),
      Setting("max_empty_pages", \.maxEmptyPages, "Empty pages in a row that end a listing.", range: 1...1_000_000),
      Setting(
        "reads_per_run", \.readsPerRun,
        "Reads of one run: a number, `auto` (twice the documents known, and 1,000), or `unlimited`."),
      Setting(
        "reads_per_day", \.readsPerDay,
        "Reads of one day (UTC), over all jobs of the state store that read the same billed database.", range: 1...),
      Setting("writes_per_run", \.writesPerRun, "Writes of one run.", range: 0...),
      Setting("deletes_per_run", \.deletesPerRun, "Deletes of one run.", range: 0...),
      Setting("requests_per_run", \.requestsPerRun, "Page requests of one run.", range: 1...),
      Setting("bytes_per_run", \.bytesPerRun, "Bytes received in one run."),
      Setting("writes_per_day", \.writesPerDay, "Writes of one day.", range: 0...),
      Setting("deletes_per_day", \.deletesPerDay, "Deletes of one day.", range: 0...),
      Setting("requests_per_day", \.requestsPerDay, "Page requests of one day.", range: 1...),
      Setting("bytes_per_day", \.bytesPerDay, "Bytes received in one day."),
      Setting("time_per_run", \.timePerRun, "Time of one run."),
      Setting(
        "spool", \.spool,
        "With several sinks: how much may wait in the state store for a sink that lags behind the others, give or take a "
          + "page. When it is full, the source waits. 0: nothing waits there, the slowest sink holds the others back."),
    ])
}

/// A cap on the reads of a run.
public enum ReadBudget: Sendable, Hashable {
  /// Twice the documents known (counted, or of the last run), and 1,000; no cap where nothing is known.
  case auto
  /// No cap.
  case unlimited
  /// A number.
  case count(Int)
}

extension ReadBudget: ConfigValue {
  /// A number or a word.
  public static var configType: ConfigType { .either([.integer, .oneOf(["auto", "unlimited"])]) }

  /// As it is written.
  public var configText: String? {
    switch self {
    case .auto: "auto"
    case .unlimited: "unlimited"
    case .count(let count): String(count)
    }
  }

  /// Reads `auto`, `unlimited` or a number above 0.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> ReadBudget? {
    let expected = "a number above 0, `auto` or `unlimited`"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    switch text {
    case "auto": return .auto
    case "unlimited": return .unlimited
    default:
      var quiet = Diagnostics()
      if let count = Int.decode(node, in: context, into: &quiet), count > 0 { return .count(count) }
      context.wrongType(node, expected: expected, into: &diagnostics)
      return nil
    }
  }
}
