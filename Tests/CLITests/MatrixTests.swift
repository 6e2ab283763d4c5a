import SluiceBuiltin
import SluiceConfig
import SluiceCore
import SluiceEngine
import SluiceJSON
import Testing

@testable import SluiceCLI

@Suite("components --matrix") struct MatrixTests {
  private func answer(_ adapter: String, _ paging: String, _ matrix: PagingMatrix) throws -> PagingMatrix.Answer {
    let row = try #require(matrix.rows.first { $0.adapter == adapter })
    return row.answers[try #require(matrix.strategies.firstIndex(of: paging))]
  }

  @Test("each strategy with each adapter that can be listed: yes, no, or with which setting")
  func answers() throws {
    let matrix = PagingMatrix(.builtin)
    #expect(matrix.strategies == Catalog.builtin.pagingStrategies.map(\.name))
    #expect(try answer("firestore", "page_token", matrix) == .yes)
    #expect(try answer("memory", "next_url", matrix) == .yes)
    #expect(try answer("file", "single", matrix) == .yes)
    guard case .no(let reason) = try answer("firestore", "keyset", matrix) else {
      Issue.record("firestore has no positions by key")
      return
    }
    #expect(reason.contains("after"))
    #expect(
      try answer("memory", "offset", matrix)
        == .with([
          .init(component: "memory", setting: "consistent: true"),
          .init(component: "offset", setting: "allow_gaps: true"),
        ]))
    #expect(!matrix.rows.contains { $0.adapter == "stdout" }, "it cannot be listed")
  }

  @Test("an adapter of somebody else's is in it, and what check says is what it says")
  func strangers() async throws {
    let matrix = PagingMatrix(Catalog.builtin.adding(Numbered.self))
    #expect(
      try answer("numbered", "page_number", matrix)
        == .with([
          .init(component: "numbered", setting: "order: frozen"),
          .init(component: "page_number", setting: "allow_gaps: true"),
        ]))
    #expect(try answer("numbered", "single", matrix) == .yes)
    #expect(matrix.markdown.contains("| `numbered` |"))
    #expect(matrix.markdown.contains("with `order: frozen` or `allow_gaps: true`"))
  }

  @Test("a source that can only be asked once is paged by single, one that can be counted through only if that is safe")
  func naturalPaging() throws {
    func natural(_ settings: String) -> (paging: String?, complaint: String?) {
      var diagnostics = Diagnostics()
      let text = "version: 1\njobs: { a: { source: { numbered: { path: p\(settings) } }, sink: stdout } }\n"
      let file = ConfigFile.read(Array(text.utf8), path: "a.yaml", job: JobPlan.schema).file
      let catalog = Catalog.builtin.adding(Numbered.self)
      guard let job = file?.jobs.first else { return (nil, nil) }
      let plan = JobPlan(name: job.name, at: job.mark, job.node, catalog: catalog, into: &diagnostics)
      return (plan?.paging.name, diagnostics.all.first?.message)
    }
    #expect(natural(", order: frozen").paging == "page_number")
    #expect(natural(", once: true").paging == "single")
    #expect(natural("").paging == nil)
    #expect(natural("").complaint?.contains("no natural paging") == true)
  }

  @Test("as text, as JSON, and not together with a name")
  func outputs() async throws {
    let text = await InProcess.sluice("components", "--matrix")
    #expect(text.exitCode == 0)
    #expect(text.errors.isEmpty)
    #expect(text.output.contains("firestore  yes"))
    #expect(text.output.contains("(1) memory with consistent: true, or page_number with allow_gaps: true"))
    let json = await InProcess.sluice("components", "--matrix", "--output", "json")
    let items = try JSON.parse(Array(json.output.utf8)).items
    #expect(items.count == PagingMatrix(.builtin).rows.count * Catalog.builtin.pagingStrategies.count)
    let offset = try #require(items.first { $0["adapter"]?.string == "memory" && $0["paging"]?.string == "offset" })
    #expect(offset["with_one_of"]?.items.first?["setting"]?.string == "consistent: true")
    let named = await InProcess.sluice("components", "memory", "--matrix")
    #expect(named.exitCode == 2)
    #expect(named.errors.contains("--matrix"))
  }
}

/// An adapter with a required setting and one that decides what it can do.
private final class Numbered: Pageable {
  struct Config: Configurable {
    enum Order: String, CaseIterable, ConfigValue {
      case live
      case frozen
    }
    var path = ""
    var order = Order.live
    var once = false
    static let spec = ConfigSpec<Config>(
      "Pages by number.",
      [
        Setting("path", \.path, "Where.", required: true, examples: ["\"a: b\""]),
        Setting("order", \.order, "How."), Setting("once", \.once, "Whether there is only one page."),
      ])
  }

  static let name = "numbered"
  static let summary = "Pages by number."
  static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Numbered.self)
    capabilities.positions = config.once ? [.start] : [.start, .number]
    capabilities.order = config.order == .frozen ? .pinned : .unstable
    return capabilities
  }

  let sourceIdentity = SourceIdentity()
  init(_ config: Config, context: AdapterContext) async throws {}
  func page(_ request: PageRequest) async throws -> Page { Page(Batch(), signals: PageSignals(count: 0)) }
}
