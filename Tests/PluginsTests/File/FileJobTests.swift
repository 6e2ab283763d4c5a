import Foundation
import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceMemory
import SluicePaging
import SluiceTesting
import Synchronization
import Testing

/// Whole jobs between memory and files, under the engine.
@Suite("Jobs between memory and files")
struct FileJobTests {
  private let folder: TemporaryFolder
  private let store: MemoryStore
  private let storeName: String
  private let state: MemoryStateStore

  init() throws { try self.init(state: MemoryStateStore()) }

  private init(state: MemoryStateStore) throws {
    self.state = state
    folder = try TemporaryFolder()
    // The folder's name is unique, and so is the store's.
    storeName = folder.path
    store = MemoryStore.named(storeName)
    for change in try numbered(0..<20) { if case .upsert(let document) = change { store.upsert(document) } }
  }

  private func memory(_ name: String, publish: MemoryAdapter.Config.Publish = .replace) -> AdapterPlan {
    var config = MemoryAdapter.Config()
    config.name = name
    config.publish = publish
    return AdapterPlan(MemoryAdapter.self, config)
  }

  private func file(_ name: String) -> AdapterPlan {
    var config = FileAdapter.Config()
    config.path = name
    return AdapterPlan(FileAdapter.self, config)
  }

  private func run(
    _ source: AdapterPlan, into sink: AdapterPlan, mode: Mode = .copy, observe: @escaping @Sendable () -> Void = {}
  ) async -> RunReport {
    var paging = PageToken.Config()
    paging.size = 3
    let plan = JobPlan(
      name: "job", source: source, paging: PagingPlan(PageToken(paging)),
      sinks: [JobPlan.SinkPlan(name: sink.name, adapter: sink)], mode: mode)
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) },
      observe: { if case .progress = $0 { observe() } })
    return await Engine(store: state, environment: environment).run(plan)
  }

  private func expected() -> String {
    store.snapshot.map { "{\"_key\":\"\($0.key)\",\"n\":\(Int($0.key.id.dropFirst()) ?? -1),\"text\":\"old\"}\n" }
      .joined()
  }

  @Test("a second run writes nothing; a file that was edited or deleted is written again")
  func secondRun() async throws {
    let first = await run(memory(storeName), into: file("out/a.jsonl"))
    #expect(first.exitCode == 0)
    #expect(first.sinks.first?.isPublished == true)
    #expect(try folder.text("out/a.jsonl") == expected())
    let inode = try FileManager.default.attributesOfItem(atPath: folder.file("out/a.jsonl"))[.systemFileNumber] as? Int

    let second = await run(memory(storeName), into: file("out/a.jsonl"))
    #expect(second.sinks.first?.wasCurrent == true)
    #expect(second.sinks.first?.writes == 0)
    let after = try FileManager.default.attributesOfItem(atPath: folder.file("out/a.jsonl"))[.systemFileNumber] as? Int
    #expect(after == inode)

    for harm in ["edited", "deleted"] {
      if harm == "edited" {
        try folder.write(expected().replacingOccurrences(of: "old", with: "bad"), to: "out/a.jsonl")
      } else {
        try FileManager.default.removeItem(atPath: folder.file("out/a.jsonl"))
      }
      let again = await run(memory(storeName), into: file("out/a.jsonl"))
      #expect(again.sinks.first?.isPublished == true, "\(harm)")
      #expect(try folder.text("out/a.jsonl") == expected(), "\(harm)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["a.jsonl"])
  }

  @Test("killed at any save, the old file or the new one is there, and the next run ends with the new one")
  func killedAtEverySave() async throws {
    var kills = 0
    for save in 1...30 {
      let state = MemoryStateStore()
      let test = try FileJobTests(state: state)
      try test.folder.write("before\n", to: "a.jsonl")
      state.fail(fromSave: save)
      let killed = await test.run(test.memory(test.storeName), into: test.file("a.jsonl"))
      let shown = try test.folder.text("a.jsonl")
      #expect(shown == "before\n" || shown == test.expected(), "save \(save)")
      state.fail(fromSave: nil)
      let next = await test.run(test.memory(test.storeName), into: test.file("a.jsonl"))
      #expect(next.exitCode == 0, "save \(save): \(next.outcome)")
      #expect(try test.folder.text("a.jsonl") == test.expected(), "save \(save)")
      #expect(try test.folder.names() == ["a.jsonl"], "save \(save)")
      MemoryStore.forget(named: test.storeName)
      if killed.exitCode == 0 { break }
      kills += 1
      if save > 2, save < 8 { #expect(next.resumedPages > 0, "save \(save) goes on where it stopped") }
    }
    #expect(kills > 8)
    #expect(kills < 30, "the loop came to a run that was not killed")
  }

  @Test("C145 page 2 of 3 fails once: one publication, complete; the old set stays until then")
  func failingPage() async throws {
    let target = storeName + ".target"
    defer { MemoryStore.forget(named: target) }
    MemoryStore.named(target).upsert(key: "old", [:])
    let failures = Failures()
    let script = PageScript { request in
      let start = if case .token(let token) = request.position { Int(token) ?? 0 } else { 0 }
      if start == 3, failures.next() { throw SluiceError(.network, "page 2 fails once") }
      return try PageScript.page(
        (start..<start + 3).map { (Key(numberedKey($0)), [Field("n", .int(Int64($0)))]) },
        nextToken: start < 6 ? String(start + 3) : nil)
    }
    let source = AdapterPlan(ScriptedSource.self, ScriptedSource.Config(script))
    for sink in [memory(target), file("a.jsonl")] {
      failures.reset()
      let old = sink.name == "file" ? nil : MemoryStore.named(target).snapshot.map(\.key)
      let failed = await run(source, into: sink) {
        if let old { #expect(MemoryStore.named(target).snapshot.map(\.key) == old) }
      }
      #expect(failed.exitCode == 1)
      if let old { #expect(MemoryStore.named(target).snapshot.map(\.key) == old) }
      #expect(!FileManager.default.fileExists(atPath: folder.file("a.jsonl")))
      let again = await run(source, into: sink)
      #expect(again.exitCode == 0, "\(again.outcome)")
      #expect(again.sinks.first?.isPublished == true)
      #expect(again.counters.documents == 9)
      if sink.name == "file" {
        #expect(try folder.text("a.jsonl").split(separator: "\n").count == 9)
      } else {
        #expect(MemoryStore.named(target).count == 9)
      }
    }
  }

  @Test("a file mirrored into memory in place: what left the file leaves the store, and nothing else is touched")
  func mirror() async throws {
    let target = storeName + ".mirror"
    defer { MemoryStore.forget(named: target) }
    MemoryStore.named(target).upsert(key: "mine", [:])
    let lines = (0..<20).map { "{\"_key\":\"\(numberedKey($0))\",\"n\":\($0)}" }
    try folder.write(lines.joined(separator: "\n"), to: "a.jsonl")
    let first = await run(file("a.jsonl"), into: memory(target, publish: .inPlace), mode: .mirror)
    #expect(first.exitCode == 0, "\(first.outcome)")
    #expect(MemoryStore.named(target).count == 21)
    try folder.write(lines.dropFirst(2).joined(separator: "\n"), to: "a.jsonl")
    let second = await run(file("a.jsonl"), into: memory(target, publish: .inPlace), mode: .mirror)
    #expect(second.exitCode == 0, "\(second.outcome)")
    #expect(second.sinks.first?.deletes == 2)
    #expect(second.sinks.first?.unchanged == 18)
    #expect(second.sinks.first?.writes == 0)
    #expect(MemoryStore.named(target)[Key("mine")] != nil)
    #expect(MemoryStore.named(target).count == 19)
  }

  @Test("a file that changes while it is listed is listed once more, from its beginning")
  func changedWhileListed() async throws {
    let target = storeName + ".changed"
    defer { MemoryStore.forget(named: target) }
    let lines = (0..<20).map { "{\"_key\":\"\(numberedKey($0))\"}" }
    try folder.write(lines.joined(separator: "\n"), to: "a.jsonl")
    let path = folder.file("a.jsonl")
    let failures = Failures()
    let report = await run(file("a.jsonl"), into: memory(target)) {
      guard failures.next(), let handle = FileHandle(forUpdatingAtPath: path) else { return }
      handle.seekToEndOfFile()
      handle.write(Data("\n{\"_key\":\"k999\"}\n".utf8))
      handle.closeFile()
    }
    #expect(report.exitCode == 0, "\(report.outcome)")
    #expect(report.notes.contains { $0.contains("begins anew") && $0.contains(path) })
    #expect(MemoryStore.named(target).count == 21)
  }
}

/// True the first time it is asked, false from then on.
private final class Failures: Sendable {
  private let isUsed = Mutex(false)

  func next() -> Bool {
    isUsed.withLock { isUsed in
      defer { isUsed = true }
      return !isUsed
    }
  }

  func reset() { isUsed.withLock { $0 = false } }
}
