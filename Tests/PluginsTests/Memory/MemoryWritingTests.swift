import SluiceCore
@testable import SluiceMemory
import Testing

@Suite("Memory as a sink")
struct MemoryWritingTests {
  private static func open(_ name: String, publish: MemoryAdapter.Config.Publish = .replace) -> MemoryAdapter {
    var config = MemoryAdapter.Config()
    config.name = name
    config.publish = publish
    return MemoryAdapter(config, context: AdapterContext(role: .sink))
  }

  @Test("in place: upserts and deletes, an older version never over a newer one, twice is as once")
  func inPlace() async throws {
    let name = "MemoryWritingTests.inPlace"
    defer { MemoryStore.forget(named: name) }
    let sink = Self.open(name, publish: .inPlace)
    let store = MemoryStore.named(name)
    #expect(sink.isEmpty())
    func version(_ seconds: Int64) -> DocumentHeader {
      DocumentHeader(version: .time(Timestamp(seconds: seconds, nanoseconds: 0)))
    }
    var builder = BatchBuilder()
    builder.add(key: "a", header: version(10), ["n": .int(10)])
    builder.add(key: "b", header: version(10), ["n": .int(10)])
    builder.add(key: "a", header: version(9), ["n": .int(9)])
    builder.delete(key: Key("b"), version: version(8).version)
    builder.delete(key: Key("c"), version: version(8).version)
    builder.add(key: "none", header: DocumentHeader(isMissing: true), [:])
    let batch = try builder.finish()
    var driver = SinkDriver(sink)
    for _ in 0..<2 {
      let receipt = try await driver.send(batch)
      #expect(receipt.stage == nil)
      #expect(receipt.rejections.isEmpty)
      #expect(store.snapshot.map(\.key.description) == ["a", "b"])
      #expect(store[Key("a")]?.fields["n"] == .int(10))
    }
    var deletes = BatchBuilder()
    deletes.delete(key: Key("b"), version: version(11).version)
    deletes.delete(key: Key("a"))
    try await driver.send(try deletes.finish())
    #expect(store.count == 0)
  }

  @Test("a delete that keeps the document marks it, once; writing it again takes the mark away")
  func marksDeleted() throws {
    let store = MemoryStore()
    store.upsert(key: "a", ["n": .int(1)])
    var builder = BatchBuilder()
    builder.delete(key: Key("a"))
    builder.delete(key: Key("none"))
    let deletes = try builder.finish()
    for seconds in [5, 6] as [Int64] { store.apply(deletes, deletedAt: Timestamp(seconds: seconds, nanoseconds: 0)) }
    #expect(store[Key("a")]?.fields["deleted_at"] == .timestamp(Timestamp(seconds: 5, nanoseconds: 0)))
    #expect(store[Key("a")]?.fields["n"] == .int(1))
    #expect(store.count == 1)
    store.upsert(key: "a", ["n": .int(2)])
    #expect(store[Key("a")]?.fields["deleted_at"] == nil)
  }

  @Test("C145 an observer sees the old set or the new one, and a failed page changes nothing")
  func swap() async throws {
    let name = "MemoryWritingTests.swap"
    defer { MemoryStore.forget(named: name) }
    let store = MemoryStore.named(name)
    for change in try numbered(0..<50) { if case .upsert(let document) = change { store.upsert(document) } }

    // Page 2 fails: the run ends there, and the next one begins anew.
    var failed = SinkDriver(Self.open(name))
    try await failed.openStage()
    try await failed.send(try numbered(100..<150, text: "new"))
    #expect(store.snapshot.allSatisfy { $0.fields["text"] == .string("old") })

    var driver = SinkDriver(Self.open(name), generation: 2)
    try await driver.openStage()
    let observer = Task.detached {
      var sets: [String] = []
      while !Task.isCancelled {
        let snapshot = store.snapshot
        let texts = Set(snapshot.map { "\($0.fields["text"] ?? Value.null)" }).sorted().joined(separator: "+")
        let set = "\(snapshot.count) \(texts)"
        if sets.last != set { sets.append(set) }
        await Task.yield()
        if snapshot.count == 150 { break }
      }
      return sets
    }
    for start in [100, 150, 200] { try await driver.send(try numbered(start..<start + 50, text: "new")) }
    let publication = try await driver.publish()
    let sets = await observer.value
    #expect(sets.last == "150 string(\"new\")")
    #expect(sets.count <= 2)
    #expect(sets.count == 1 || sets.first == "50 string(\"old\")")
    #expect(publication.generation == 2)
    #expect(publication.content.documents == 150)
  }

  @Test("a stage goes on in a later instance at any point that was confirmed, and nowhere else")
  func resume() async throws {
    let name = "MemoryWritingTests.resume"
    defer { MemoryStore.forget(named: name) }
    var first = SinkDriver(Self.open(name), generation: 3)
    let empty = try await first.openStage()
    #expect(empty.length == 0)
    let one = try #require(try await first.send(try numbered(0..<10)).stage)
    try await first.send(try numbered(10..<20))

    var second = SinkDriver(Self.open(name), generation: 3)
    #expect(try await second.openStage(resuming: one) == one)
    let two = try #require(try await second.send(try numbered(10..<15)).stage)
    #expect(two.length == 15)
    #expect(await code { _ = try await first.send(try numbered(20..<30)) } == .io)

    let other = StageMark(length: 10, digest: two.digest, documents: 10)
    var third = SinkDriver(Self.open(name), generation: 3)
    #expect(try await third.openStage(resuming: other) == empty)
    var fourth = SinkDriver(Self.open(name), generation: 4)
    #expect(try await fourth.openStage(resuming: one) == empty)
  }

  @Test("publishing after the last page works in an instance that opened no stage, and only for the stage it knows")
  func publishLate() async throws {
    let name = "MemoryWritingTests.late"
    defer { MemoryStore.forget(named: name) }
    var driver = SinkDriver(Self.open(name))
    try await driver.openStage()
    let mark = try #require(try await driver.send(try numbered(0..<10)).stage)
    let proof = try SinkDriver.proof(generation: 1)
    let late = Self.open(name)
    let unknown = StageMark(length: 9, digest: mark.digest, documents: 9)
    #expect(await code { _ = try late.publish(proof, content: unknown) } == .io)
    #expect(!late.shows(Publication(generation: 1, content: mark)))
    _ = try late.publish(proof, content: mark)
    #expect(MemoryStore.named(name).count == 10)
    #expect(await code { _ = try late.publish(proof, content: mark) } == .io)
  }

  @Test("shows looks at the store: any change since, another store or another set is not it")
  func shows() async throws {
    let name = "MemoryWritingTests.shows"
    defer { MemoryStore.forget(named: name) }
    let sink = Self.open(name)
    var driver = SinkDriver(sink)
    try await driver.openStage()
    let mark = try #require(try await driver.send(try numbered(0..<10)).stage)
    let publication = try await driver.publish()
    let unsaved = Publication(generation: 1, content: mark)
    #expect(sink.shows(publication))
    #expect(sink.shows(unsaved))
    #expect(!sink.shows(Publication(generation: 2, content: mark)))
    sink.discardStage()
    #expect(sink.shows(publication))

    MemoryStore.named(name).upsert(key: "k000", ["edited": .bool(true)])
    #expect(!sink.shows(publication))
    #expect(!sink.shows(unsaved))
    MemoryStore.forget(named: name)
    #expect(!Self.open(name).shows(publication))
  }

  @Test("of equal keys in a set the newest stays, and the last where none is newer")
  func duplicates() async throws {
    let name = "MemoryWritingTests.duplicates"
    defer { MemoryStore.forget(named: name) }
    var driver = SinkDriver(Self.open(name))
    try await driver.openStage()
    var builder = BatchBuilder()
    builder.add(key: "a", header: DocumentHeader(version: .sequence(2)), ["n": .int(2)])
    builder.add(key: "a", header: DocumentHeader(version: .sequence(1)), ["n": .int(1)])
    builder.add(key: "b", ["n": .int(1)])
    builder.add(key: "b", ["n": .int(2)])
    builder.add(key: "c", ["n": .int(1)])
    builder.delete(key: Key("c"))
    builder.add(key: "m", header: DocumentHeader(isMissing: true), [:])
    try await driver.send(try builder.finish())
    try await driver.publish()
    let snapshot = MemoryStore.named(name).snapshot
    #expect(snapshot.map(\.key.description) == ["a", "b"])
    #expect(snapshot.allSatisfy { $0.fields["n"] == .int(2) })
    #expect(snapshot.allSatisfy { $0.version != .none })
  }

  @Test("the identity is that of the store, and ends with it")
  func identity() {
    let name = "MemoryWritingTests.identity"
    let first = Self.open(name).identity(creating: true)
    #expect(Self.open(name).identity(creating: false) == first)
    MemoryStore.forget(named: name)
    #expect(Self.open(name).identity(creating: false) != first)
    MemoryStore.forget(named: name)
  }

  @Test("the configuration is read, and decides what the sink can do")
  func configuration() throws {
    let mark = Mark(file: "job.yaml", line: 1, column: 1)
    let node = ConfigNode(
      .mapping([
        .init("name", at: mark, ConfigNode(.scalar(.init("users")), at: mark)),
        .init("publish", at: mark, ConfigNode(.scalar(.init("in_place")), at: mark)),
      ]), at: mark)
    var diagnostics = Diagnostics()
    let context = ConfigContext("memory", at: mark, role: .sink)
    let config = try #require(MemoryAdapter.Config.spec.decode(node, in: context, into: &diagnostics))
    #expect(MemoryAdapter.capabilities(of: config).publishMode == .inPlace)
    #expect(MemoryAdapter.capabilities(of: MemoryAdapter.Config()).publishMode == .replace)
    let empty = ConfigNode(.mapping([]), at: mark)
    #expect(MemoryAdapter.Config.spec.decode(empty, in: context, into: &diagnostics) == nil)
    #expect(diagnostics.all.map(\.code) == ["missing_key"])
  }
}
