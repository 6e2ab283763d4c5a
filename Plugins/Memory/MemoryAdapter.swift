import SluiceCore
import Synchronization

/// A store of documents in this process: for tests, for programs that use Sluice as a library, and for jobs that read
/// what another job of the same process wrote.
public final class MemoryAdapter: Adapter {
  /// The settings.
  public struct Config: Configurable {
    /// The store's name in this process.
    public var name = ""
    /// Whether every page of a listing is of one and the same moment.
    public var consistent = false
    /// The kinds of positions that a page may begin at. The first page is always among them.
    public var positions = PagePosition.Kind.allCases
    /// How the sink shows its work.
    public var publish = Publish.replace
    /// The defaults.
    public init() {}

    /// How the sink shows its work.
    public enum Publish: String, Sendable, CaseIterable, ConfigValue {
      /// The whole set is staged and swapped in at once.
      case replace
      /// Changes as they come.
      case inPlace = "in_place"
    }

    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Documents in the memory of this process, gone when it ends.",
      [
        Setting("name", \.name, "The store's name in this process.", required: true, examples: ["users"]),
        Setting(
          "consistent", \.consistent, "Read every page of a listing from one frozen snapshot.", role: .source),
        Setting(
          "positions", \.positions,
          "What a page may begin at, and so which paging strategies can be used: fewer, to try a strategy as a poorer "
            + "store would have it.", examples: ["[token]", "[number, offset]"], role: .source),
        Setting(
          "publish", \.publish, "`replace` swaps the whole set in at once; `in_place` applies changes as they come.",
          role: .sink),
      ])
  }

  /// `memory`.
  public static let name = "memory"
  /// For `sluice components`.
  public static let summary = "Documents in the memory of this process, gone when it ends."

  /// Ordered by key, or of one moment where that is asked for.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Self.self)
    capabilities.positions = Set(config.positions).union([.start])
    capabilities.order = config.consistent ? .pinned : .byKey
    capabilities.hasVersions = true
    capabilities.publishMode = config.publish == .replace ? .replace : .inPlace
    capabilities.keepsDeleted = config.publish != .replace
    return capabilities
  }

  /// The settings it was opened with.
  public let settings: Config
  let store: MemoryStore
  /// Tells this instance from others that stage into the same store.
  let owner = UInt64.random(in: .min ... .max)
  /// What a consistent listing reads.
  let pinned = Mutex<MemorySnapshot?>(nil)

  /// Opens the store of the configured name, making it where there is none.
  public init(_ config: Config, context: AdapterContext) {
    settings = config
    store = MemoryStore.named(config.name)
  }
}
