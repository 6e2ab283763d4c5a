import SluiceCore
import SluiceEngine
import SluiceFile
import SluicePaging
import SluiceTesting
import Testing

@testable import SluiceSQLite

@Suite("Kinds in every sink") struct KindsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(into sinks: [AdapterPlan]) async -> RunReport {
    let plan = JobPlan(
      name: "job", source: AdapterPlan(FileAdapter.self, fileSettings("in.jsonl")),
      paging: PagingPlan(PageToken(PageToken.Config())),
      sinks: sinks.enumerated().map { JobPlan.SinkPlan(name: "\($0.offset)", adapter: $0.element) })
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    return await Engine(store: MemoryStateStore(), environment: environment).run(plan)
  }

  @Test("C133 bool, int and double are kept apart by file and SQLite, in every format, encoding and way of publishing")
  func apart() async throws {
    try folder.write("{\"_key\":\"a\",\"t\":true,\"n\":1,\"z\":0,\"d\":1.0}\n", to: "in.jsonl")
    let plain = #""t":true,"n":1,"z":0,"d":1.0"#
    let typed =
      #""t":{"booleanValue":true},"n":{"integerValue":"1"},"z":{"integerValue":"0"},"d":{"doubleValue":1.0}"#
    var sinks: [AdapterPlan] = []
    for (index, name) in ["a.jsonl", "a.json"].enumerated() {
      sinks.append(AdapterPlan(FileAdapter.self, fileSettings("plain-\(name)")))
      sinks.append(AdapterPlan(FileAdapter.self, fileSettings("typed-\(name)") { $0.encoding = .typed }))
      if index == 0 { sinks.append(AdapterPlan(FileAdapter.self, fileSettings("log.jsonl") { $0.publish = .append })) }
    }
    for publish in SQLiteAdapter.Publish.allCases {
      for encoding in [DocumentEncoding.plain, .typed] {
        var config = SQLiteAdapter.Config()
        config.path = "out.db"
        config.table = "\(publish)_\(encoding)"
        config.publish = publish
        config.encoding = encoding
        sinks.append(AdapterPlan(SQLiteAdapter.self, config))
      }
    }
    let report = await run(into: sinks)
    #expect(report.exitCode == 0, "\(report.outcome)")
    for name in ["plain-a.jsonl", "plain-a.json", "log.jsonl"] {
      #expect(try folder.text(name).contains(plain), "\(name)")
    }
    for name in ["typed-a.jsonl", "typed-a.json"] { #expect(try folder.text(name).contains(typed), "\(name)") }
    for publish in SQLiteAdapter.Publish.allCases {
      for (encoding, text) in [("plain", plain), ("typed", typed)] {
        let table = TableName("\(publish)_\(encoding)").quoted
        let documents = try folder.connection("out.db").all("SELECT document FROM \(table)") { $0.text(0) }
        #expect(documents == ["{\(text)}"], "\(publish) \(encoding)")
      }
    }
    let pages = try await allPages(
      { try folder.source(fileSettings("typed-a.json") { $0.encoding = .typed }) }, size: 1)
    #expect(pages[0].batch.fields(at: 0)["d"] == .double(1) && pages[0].batch.fields(at: 0)["n"] == .int(1))
  }
}
