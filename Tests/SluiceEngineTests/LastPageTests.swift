import SluiceCore
import SluiceEngine
import SluicePaging
import SluiceTesting
import Testing

/// A full last page without a token: the end by the protocol, and what a server that cut its answer would send.
@Suite struct LastPageTests {
  @Test(arguments: [(6, true), (7, false), (3, true), (0, false)])
  func theReportSaysWhatCannotBeKnown(count: Int, isNoted: Bool) async {
    let report = await Bench(Source(0..<count).script, into: RecordingStore()).run()
    #expect(report.exitCode == 0)
    #expect(report.notes.contains { $0.contains("named no next one") } == isNoted)
  }

  @Test(arguments: [6, 7]) func theCountDecidesWhereItIsKnown(counted: Int) async {
    let store = RecordingStore()
    var config = CountedSource.Config()
    config.counted = counted
    var paging = PageToken.Config()
    paging.size = 3
    let plan = JobPlan(
      name: "job", source: AdapterPlan(CountedSource.self, config), paging: PagingPlan(PageToken(paging)),
      sinks: [.init(name: "sink", adapter: AdapterPlan(RecordingSink.self, .init(store, .replace)))])
    let environment = RunEnvironment(now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    let report = await Engine(store: MemoryStateStore(), environment: environment).run(plan)
    if counted == 6 {
      #expect(report.exitCode == 0)
      #expect(store.documents.count == 6)
    } else {
      #expect(report.exitCode == 1)
      #expect(report.error?.message.contains("6 documents were listed, but the source counts 7") == true)
      #expect(store.publications == 0)
    }
  }
}

/// Lists six documents, whatever it counts.
private final class CountedSource: Countable {
  struct Config: Configurable {
    var counted = 0
    static let spec = ConfigSpec<Config>("Counts.", [Setting("counted", \.counted, "What it counts.")])
  }

  static let name = "counted"
  static let summary = "Counts."
  static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: CountedSource.self)
    capabilities.positions = [.start, .token]
    capabilities.order = .byKey
    return capabilities
  }

  private let counted: Int
  private let listed = ScriptedSource.Config(Source(0..<6).script)
  init(_ config: Config, context: AdapterContext) async throws { counted = config.counted }

  var sourceIdentity: SourceIdentity { SourceIdentity([.init("counted", "six")]) }
  func count(frozen: FrozenRequest) async throws -> DocumentCount { DocumentCount(counted) }
  func page(_ request: PageRequest) async throws -> Page {
    try await ScriptedSource(listed, context: AdapterContext(role: .source)).page(request)
  }
}
