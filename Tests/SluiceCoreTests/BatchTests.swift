import SluiceCore
import Testing

@Suite struct BatchTests {
  @Test func visitsInOrderWhatAnAuthorBuilt() throws {
    var builder = BatchBuilder()
    builder.add(key: "a", ["n": .int(1), "s": .string("x")])
    builder.delete(key: Key("b"), version: .sequence(7))
    builder.add(key: "c", ["m": .bool(true)] as [String: Value])
    builder.add(key: Key("d"), header: DocumentHeader(isMissing: true), [])
    let batch = try builder.finish()
    #expect(batch.text == "a(n:1 s:'x') -b c(m:true) d?()")
    #expect(batch.count == 4)
    #expect(batch.count(of: .upsert) == 3)
    #expect(batch.count(of: .delete) == 1)
    #expect(batch[1] == .delete(key: Key("b"), version: .sequence(7)))
    #expect(batch.key(at: 2) == Key("c"))
    #expect(batch.withKeyBytes(at: 0) { string($0) } == "a")
    #expect(batch.header(at: 3).isMissing)
  }

  @Test func everyKindComesBackAsItWas() throws {
    let batch = try batch(everyKind)
    guard case .upsert(let document) = batch[0] else { throw Unexpected() }
    #expect(document.fields.materialized == everyKind.map { Field($0.key, $0.value) })
    for (name, value) in everyKind { #expect(document.fields[name] == value, "\(name)") }
    #expect(document.fields["other"] == nil)
    #expect(document.fields.count == everyKind.count)
  }

  @Test func documentsSurviveVisitingIntoABuilder() throws {
    let original = try batch(everyKind)
    var builder = BatchBuilder()
    original.visit(&builder)
    let copy = try builder.finish()
    #expect(copy.text == original.text)
    #expect(copy[0] == original[0])
    #expect(copy.fingerprint(at: 0) == original.fingerprint(at: 0))
  }

  @Test func compactingKeepsContentAndIndices() throws {
    var builder = BatchBuilder()
    builder.add(key: "keep", everyKind)
    builder.add(key: "gone", everyKind)
    builder.delete(key: Key("deleted"))
    builder.add(key: "edited", ["a": .int(1), "b": .map([Field("c", .int(2))]), "d": .string("x")])
    var batch = try builder.finish()
    try batch.edit { document in
      if document.key == Key("edited") {
        document["a"] = nil
        document["d"] = .array([.int(1)])
        document["e"] = .string("new")
        try document.set(FieldPath(parsing: "b.f"), to: .bool(true))
      }
      return document.key != Key("gone")
    }
    let compact = batch.compacted()
    #expect(compact.text == batch.text)
    #expect(compact.text.hasSuffix("-deleted edited(b:map[c:2 f:true] d:array[1] e:'new')"))
    #expect(compact.count == 4)
    #expect(compact[1] == .dropped(key: Key("gone"), version: .none))
    #expect(compact.byteCount < batch.byteCount)
    for index in batch.indices { #expect(compact[index] == batch[index]) }
  }

  @Test func resolvingSharesMemoryAndChangesKindsOnly() throws {
    var builder = BatchBuilder()
    for key in ["a", "b", "c"] { builder.add(key: key, header: DocumentHeader(version: .sequence(3)), ["x": .int(1)]) }
    var batch = try builder.finish()
    try batch.edit { $0.key != Key("b") }
    #expect(batch.kind(at: 1) == .dropped)
    let resolved = batch.resolving { index, kind in
      switch (index, kind) {
      case (0, .upsert): .dropped
      case (1, .dropped): .delete
      default: kind
      }
    }
    #expect(resolved.text == "-b c(x:1)")
    #expect(resolved[1] == .delete(key: Key("b"), version: .sequence(3)))
    #expect(resolved[0] == .dropped(key: Key("a"), version: .sequence(3)))
    #expect(batch.text == "a(x:1) c(x:1)")
  }

  @Test func editsDoNotReachOtherHolders() throws {
    let original = try batch(["a": .int(1), "b": .int(2)])
    guard case .upsert(let held) = original[0] else { throw Unexpected() }
    var edited = original
    try edited.edit {
      $0["a"] = .string("changed")
      $0["b"] = nil
      return true
    }
    #expect(edited.text == "k(a:'changed')")
    #expect(original.text == "k(a:1 b:2)")
    #expect(held.fields["a"] == .int(1))
  }

  @Test func documentsByThemselves() {
    let a = Document(key: Key("k"), [Field("x", .int(1)), Field("y", .null)])
    let b = Document(key: Key("k"), [Field("y", .null), Field("x", .int(1))])
    #expect(a == b)
    #expect(a.fingerprint == b.fingerprint)
    #expect(a != Document(key: Key("k2"), a.fields))
    #expect(a != Document(key: Key("k"), [Field("x", .double(1)), Field("y", .null)]))
    #expect(a.compacted() == a)
    let missing = Document(key: Key("k"), header: DocumentHeader(isMissing: true), [])
    #expect(missing.fingerprint != Document(key: Key("k"), []).fingerprint)
  }
}

struct Unexpected: Error {}
