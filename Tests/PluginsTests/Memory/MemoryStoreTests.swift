import SluiceCore
import SluiceMemory
import SluiceTesting
import Testing

@Suite("Memory store")
struct MemoryStoreTests {
  @Test("documents come in the order of their keys, whatever order they were put in")
  func order() {
    let store = MemoryStore()
    for id in ["b", "a/b", "a", "é", "e\u{301}", "", "B"] { store.upsert(key: id, ["id": .string(id)]) }
    let keys = store.snapshot.map(\.key)
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == 7)
    #expect(store.count == 7)
    #expect(store[Key("e\u{301}")]?.fields["id"] == .string("e\u{301}"))
  }

  @Test("writes between reads keep order, count and content equal to a plain dictionary")
  func model() {
    let store = MemoryStore()
    var model: [Key: Int64] = [:]
    var random = SeededGenerator(seed: 7)
    for step in 0..<2_000 {
      let key = Key("k\(random.next() % 60)")
      if random.next() % 3 == 0 {
        #expect(store.delete(key) == (model.removeValue(forKey: key) != nil))
      } else {
        store.upsert(Document(key: key, [Field("n", .int(Int64(step)))]))
        model[key] = Int64(step)
      }
      guard step % 17 == 0 else { continue }
      let snapshot = store.snapshot
      #expect(snapshot.map(\.key) == model.keys.sorted())
      #expect(snapshot.allSatisfy { $0.fields["n"] == model[$0.key].map { .int($0) } })
      #expect(store.count == model.count)
    }
  }

  @Test("a document without a version gets a growing one, and one with a version keeps it")
  func versions() {
    let store = MemoryStore()
    let first = store.upsert(key: "a", ["n": .int(1)])
    let second = store.upsert(key: "b", ["n": .int(1)])
    let third = store.update(Key("a")) { $0.append(Field("more", .bool(true))) }
    #expect(first.isOlder(than: second))
    #expect(third.map { second.isOlder(than: $0) } == true)
    #expect(store[Key("a")]?.fields["more"] == .bool(true))
    let time = Version.time(Timestamp(seconds: 5, nanoseconds: 6))
    store.upsert(Document(key: Key("c"), header: DocumentHeader(version: time), []))
    #expect(store[Key("c")]?.version == time)
    #expect(store.update(Key("none")) { _ in } == nil)
  }

  @Test("a snapshot stays as it was")
  func snapshots() {
    let store = MemoryStore()
    store.upsert(key: "a", ["n": .int(1)])
    let before = store.snapshot
    store.upsert(key: "a", ["n": .int(2)])
    store.upsert(key: "b", ["n": .int(2)])
    store.deleteAll()
    #expect(before.map(\.key) == [Key("a")])
    #expect(before[Key("a")]?.fields["n"] == .int(1))
    #expect(before[Key("b")] == nil)
    #expect(store.snapshot.isEmpty)
    #expect(store.snapshot.revision > before.revision)
  }

  @Test("a name gives one store until it is forgotten")
  func names() {
    let first = MemoryStore.named("MemoryStoreTests.names")
    #expect(MemoryStore.named("MemoryStoreTests.names") === first)
    #expect(MemoryStore.named("MemoryStoreTests.other") !== first)
    #expect(MemoryStore.named("MemoryStoreTests.\u{E9}") !== MemoryStore.named("MemoryStoreTests.e\u{301}"))
    MemoryStore.forget(named: "MemoryStoreTests.names")
    for name in ["other", "\u{E9}", "e\u{301}"] { MemoryStore.forget(named: "MemoryStoreTests." + name) }
    let second = MemoryStore.named("MemoryStoreTests.names")
    #expect(second !== first)
    #expect(second.identity != first.identity)
    MemoryStore.forget(named: "MemoryStoreTests.names")
  }

  @Test("many tasks at once lose nothing")
  func concurrency() async {
    let store = MemoryStore()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<200 {
            store.upsert(key: "\(task)-\(number)", ["n": .int(Int64(number))])
            if number % 50 == 0 {
              let keys = store.snapshot.map(\.key)
              #expect(keys == keys.sorted(), "while others write")
            }
          }
        }
      }
    }
    #expect(store.count == 1_600)
    #expect(store.snapshot.revision == 1_600)
  }
}
