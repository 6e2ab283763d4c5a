import Foundation
import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceJSON
import SluiceMemory
import SluicePaging
import SluiceTesting
import Testing

@Suite("File: a log of changes")
struct FileLogTests {
  private let folder: TemporaryFolder
  private let state: MemoryStateStore
  private let store: MemoryStore
  private let storeName: String

  init() throws { try self.init(state: MemoryStateStore()) }

  private init(state: MemoryStateStore) throws {
    self.state = state
    folder = try TemporaryFolder()
    storeName = folder.path
    store = MemoryStore.named(storeName)
    for change in try numbered(0..<20) { if case .upsert(let document) = change { store.upsert(document) } }
  }

  static let names = ["log.jsonl", "log.jsonl.gz"]

  private func settings(_ name: String) -> FileAdapter.Config { fileSettings(name) { $0.publish = .append } }

  private func run(_ name: String, mode: Mode = .mirror) async -> RunReport {
    var paging = PageToken.Config()
    paging.size = 3
    var source = MemoryAdapter.Config()
    source.name = storeName
    let sink = AdapterPlan(FileAdapter.self, settings(name))
    var limits = LimitSettings()
    limits.maxDelete = .percentage(Percentage(50))
    let plan = JobPlan(
      name: "job", source: AdapterPlan(MemoryAdapter.self, source), paging: PagingPlan(PageToken(paging)),
      sinks: [JobPlan.SinkPlan(name: sink.name, adapter: sink)], mode: mode, limits: limits)
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    return await Engine(store: state, environment: environment).run(plan)
  }

  private func lines(_ name: String) async throws -> [String] {
    var text = try folder.text(name)
    if name.hasSuffix(".gz") {
      let unzip = await (try ChildProcess("/bin/gzip", ["-dc", folder.file(name)], environment: [:])).wait()
      #expect(unzip.exitCode == 0, "\(unzip.errorText)")
      text = unzip.outputText
    }
    return text.split(separator: "\n").map(String.init)
  }

  private var firstLines: [String] {
    (0..<20).map { "{\"_key\":\"\(numberedKey($0))\",\"n\":\($0),\"text\":\"old\"}" }
  }

  @Test("upserts and deletes, one line each, and only what is new", arguments: names)
  func changes(name: String) async throws {
    #expect(await run(name).exitCode == 0)
    #expect(try await lines(name) == firstLines)
    let second = await run(name)
    #expect(second.exitCode == 0)
    #expect(second.sinks.first?.writes == 0 && second.sinks.first?.unchanged == 20)
    #expect(try await lines(name) == firstLines)

    store.upsert(key: "k003", ["n": .int(33)])
    store.delete(Key("k007"))
    store.upsert(key: "k100", ["n": .int(100)])
    let third = await run(name)
    #expect(third.exitCode == 0, "\(third.outcome)")
    #expect(
      try await lines(name) == firstLines + [
        "{\"_key\":\"k003\",\"n\":33}", "{\"_key\":\"k100\",\"n\":100}", "{\"_key\":\"k007\",\"_deleted\":true}",
      ])
    MemoryStore.forget(named: storeName)
  }

  @Test("killed at any save, the next run ends with each change in the log once", arguments: names)
  func killedAtEverySave(name: String) async throws {
    var kills = 0
    for save in 1...30 {
      let state = MemoryStateStore()
      let test = try FileLogTests(state: state)
      state.fail(fromSave: save)
      let killed = await test.run(name)
      state.fail(fromSave: nil)
      let next = await test.run(name)
      #expect(next.exitCode == 0, "save \(save): \(next.outcome)")
      // After a lost state of pending writes the page is written again; after a lost save it is not.
      #expect(try await test.lines(name) == firstLines, "save \(save)")
      MemoryStore.forget(named: test.storeName)
      if killed.exitCode == 0 { break }
      kills += 1
    }
    #expect(kills > 8 && kills < 30)
  }

  @Test("a delivery that was cut short is taken back, one that comes again is written once", arguments: names)
  func torn(name: String) async throws {
    let settings = settings(name)
    var driver = SinkDriver(try folder.sink(settings), generation: 4)
    let identity = try await driver.sink.identity(creating: true)
    #expect(identity != nil)
    try await driver.send(try numbered(0..<2))
    try await driver.send(try numbered(2..<4))
    await driver.sink.close()
    let whole = try folder.read(name)
    // As a kill in the middle of the third delivery leaves it: the note says where it began, and half of it is there.
    let note = try #require(try folder.names().first { $0.hasSuffix(".sluice-log") })
    let words = try folder.text(note).split(separator: " ").map(String.init)
    let torn = (words[..<4] + ["3", String(whole.count), "-"]).joined(separator: " ")
    try folder.write(torn + String(repeating: " ", count: 159 - torn.utf8.count) + "\n", to: note)
    try folder.write(whole + whole.prefix(20), to: name)
    let later = try folder.sink(settings)
    #expect(try await later.identity(creating: false) == identity)
    #expect(try folder.read(name) == whole)
    let delivery = Delivery(batch: try numbered(4..<6), sequence: 3, generation: 4)
    _ = try await later.apply(delivery)
    await later.close()
    let after = try folder.read(name)
    let again = try folder.sink(settings)
    _ = try await again.apply(Delivery(batch: try numbered(4..<6), sequence: 3, generation: 4))
    #expect(try folder.read(name) == after)
    #expect(try await lines(name).count == 6)
    await again.close()

    // What others have added is not cut off: then the delivery stands there twice.
    try folder.write(after + whole, to: name)
    let last = try folder.sink(settings)
    _ = try await last.apply(Delivery(batch: try numbered(4..<6), sequence: 3, generation: 4))
    #expect(try await lines(name).count == 12)
    await last.close()
    MemoryStore.forget(named: storeName)
  }

  @Test("a log that is gone or shorter is another one: everything is written again")
  func lost() async throws {
    for harm in ["gone", "shorter", "note gone"] {
      #expect(await run("log.jsonl").exitCode == 0)
      switch harm {
      case "gone": folder.remove("log.jsonl")
      case "shorter": #expect(truncate(folder.file("log.jsonl"), 100) == 0)
      default: folder.remove(try #require(try folder.names().first { $0.hasSuffix(".sluice-log") }))
      }
      let report = await run("log.jsonl")
      #expect(report.sinks.first?.writes == 20, "\(harm)")
      #expect(report.exitCode == 0)
    }
    MemoryStore.forget(named: storeName)
  }

  @Test("a file that is there is added to, after the end of its last line; its mode stays")
  func existing() async throws {
    try folder.write("{\"_key\":\"mine\"}", to: "log.jsonl")
    chmod(folder.file("log.jsonl"), 0o640)
    #expect(await run("log.jsonl", mode: .copy).exitCode == 0)
    #expect(try await lines("log.jsonl") == ["{\"_key\":\"mine\"}"] + firstLines)
    #expect(try folder.rights("log.jsonl") == 0o640)
    MemoryStore.forget(named: storeName)
  }

  @Test("two jobs do not write one log at a time")
  func taken() async throws {
    let first = try folder.sink(settings("log.jsonl"))
    _ = try await first.identity(creating: true)
    let second = try folder.sink(settings("log.jsonl"))
    #expect(await code { _ = try await second.identity(creating: true) } == .alreadyRunning)
    await first.close()
    #expect(try await second.identity(creating: true) != nil)
    await second.close()
  }
}
