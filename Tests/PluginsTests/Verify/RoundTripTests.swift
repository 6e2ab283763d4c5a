import SluiceCore
import SluiceEngine
import SluiceMemory
import SluiceTesting
import Testing

@testable import SluiceSQLite

/// Run, plan and verify in turn, for every sink that can be read back.
@Suite("plan and verify of real sinks") struct RoundTripTests {
  /// A value of every kind, and those that plain JSON cannot tell apart.
  private static let everyKind: [Field] = [
    Field("null", .null), Field("bool", .bool(true)), Field("int", .int(.max)), Field("double", .double(1)),
    Field("nan", .double(.nan)), Field("zero", .double(-0.0)), Field("decimal", .decimal("18446744073709551615")),
    Field("time", .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789))),
    Field("bytes", .bytes([0, 255])), Field("place", .geoPoint(latitude: 1.5, longitude: -2)),
    Field("ref", .reference("projects/p/databases/d/documents/a/b")), Field("text", .string("e\u{301} \u{0} \"")),
    Field("list", .array([.int(1), .string("1"), .null])),
    Field("map", .map([Field("b", .int(1)), Field("a", .null)])),
  ]

  @Test("what a run wrote is the same, in every kind of value", arguments: SinkCase.allCases)
  func same(sink: SinkCase) async throws {
    let bench = try SinkBench(sink)
    defer { bench.end() }
    bench.source.upsert(Document(key: Key("kinds"), Self.everyKind))
    bench.source.upsert(Document(key: Key("50%/é"), Self.everyKind))
    bench.source.upsert(Document(key: Key(segments: ["rooms", "r1"]), []))
    #expect(await bench.engine.plan(bench.plan).sinks.first?.adds == 53)
    #expect(await bench.run().exitCode == 0)
    let report = await bench.engine.verify(bench.plan)
    #expect(report.exitCode == 0, "\(report)")
    #expect(report.sinks.first?.equal == 53)
    #expect(await bench.engine.plan(bench.plan).sinks.first?.isCurrent == true)
  }

  @Test("a plan and a verification make nothing that is not there", arguments: SinkCase.allCases)
  func nothingMade(sink: SinkCase) async throws {
    let bench = try SinkBench(sink)
    defer { bench.end() }
    let plan = await bench.engine.plan(bench.plan)
    #expect(plan.exitCode == 0)
    #expect(plan.sinks.first?.adds == 50)
    let report = await bench.engine.verify(bench.plan)
    #expect(report.exitCode == 5)
    #expect(report.sinks.first?.missing.count == 50)
    #expect(try bench.folder.names() == [])
    #expect(MemoryStore.named(bench.sinkName).count == 0)
  }

  @Test("a plan names what changed, a run does it, and nothing is left to do", arguments: SinkCase.allCases)
  func changes(sink: SinkCase) async throws {
    let bench = try SinkBench(sink)
    defer { bench.end() }
    #expect(await bench.run().exitCode == 0)
    bench.source.delete(Key(numberedKey(3)))
    bench.source.upsert(key: numberedKey(4), ["n": .int(-4)])
    bench.source.upsert(key: "new", ["n": .int(0)])
    let plan = try #require(await bench.engine.plan(bench.plan, keys: 5).sinks.first)
    #expect(plan.adds == 1 && plan.updates == 1 && plan.deletes == 1 && plan.unchanged == 48)
    #expect(plan.keys.adds == [Key("new")] && plan.keys.updates == [Key(numberedKey(4))])
    #expect(plan.keys.deletes == [Key(numberedKey(3))])
    let found = try #require(await bench.engine.verify(bench.plan).sinks.first)
    #expect(found.missing == plan.keys.adds && found.different == plan.keys.updates && found.extra == plan.keys.deletes)
    #expect(await bench.run().exitCode == 0)
    #expect(await bench.engine.plan(bench.plan).sinks.first?.isCurrent == true)
    #expect(await bench.engine.verify(bench.plan).exitCode == 0)
  }

  @Test(
    "what was damaged is found and mended",
    arguments: SinkCase.allCases.filter { ![.memoryInPlace, .array, .gzip].contains($0) })
  func damage(sink: SinkCase) async throws {
    let bench = try SinkBench(sink)
    defer { bench.end() }
    #expect(await bench.run().exitCode == 0)
    try bench.damage()
    let found = await bench.engine.verify(bench.plan)
    #expect(found.exitCode == 5)
    #expect(found.sinks.first?.missing == [Key(numberedKey(3))])
    #expect(found.sinks.first?.different == [Key(numberedKey(4))])
    #expect(found.sinks.first?.extra == [Key("foreign")])
    let mended = await bench.engine.verify(bench.plan, options: VerifyOptions(repairs: true))
    #expect(mended.exitCode == 0, "\(mended)")
    #expect(await bench.engine.verify(bench.plan).exitCode == 0)
    let run = await bench.run()
    #expect(run.exitCode == 0 && run.sinks[0].writes == 0 && run.sinks[0].deletes == 0)
  }

  @Test("a sink that keeps a newer version of its own is not said to be mended")
  func newer() async throws {
    let bench = try SinkBench(.memoryInPlace)
    defer { bench.end() }
    #expect(await bench.run().exitCode == 0)
    try bench.damage()
    let report = await bench.engine.verify(bench.plan, options: VerifyOptions(repairs: true))
    #expect(report.exitCode == 5, "\(report)")
    #expect(await bench.engine.verify(bench.plan).sinks.first?.different == [Key(numberedKey(4))])
    MemoryStore.named(bench.sinkName).delete(Key(numberedKey(4)))
    #expect(await bench.engine.verify(bench.plan, options: VerifyOptions(repairs: true)).exitCode == 0)
    #expect(await bench.engine.verify(bench.plan).exitCode == 0)
  }

  @Test("documents that are only marked as deleted are not too much", arguments: [SinkCase.table, .memoryInPlace])
  func soft(sink: SinkCase) async throws {
    let bench = try SinkBench(sink)
    defer { bench.end() }
    var plan = bench.plan
    plan.deletes = .soft
    _ = await bench.engine.run(plan)
    bench.source.delete(Key(numberedKey(3)))
    #expect(await bench.engine.run(plan).sinks[0].deletes == 1)
    let report = await bench.engine.verify(plan)
    #expect(report.exitCode == 0, "\(report)")
  }

  @Test("what is adopted is not written again", arguments: SinkCase.allCases)
  func adopt(sink: SinkCase) async throws {
    let first = try SinkBench(sink)
    defer { first.end() }
    #expect(await first.run().exitCode == 0)
    // The same folder and stores, but nothing is known of them.
    let engine = Engine(
      store: MemoryStateStore(),
      environment: RunEnvironment(baseDirectory: first.folder.path, now: { Timestamp(seconds: 0, nanoseconds: 0) }))
    var plan = first.plan
    plan.name = "other"
    let adopted = await engine.adopt(plan)
    #expect(adopted.exitCode == 0)
    let run = await engine.run(plan)
    #expect(run.exitCode == 0)
    #expect(run.sinks[0].writes == 0)
  }
}

extension SinkBench {
  /// Takes a document out, changes another, puts a foreign one in, behind everybody's back.
  func damage() throws {
    let (gone, other) = (numberedKey(3), numberedKey(4))
    switch sink {
    case .memory, .memoryInPlace:
      let store = MemoryStore.named(sinkName)
      store.delete(Key(gone))
      store.upsert(key: other, ["n": .int(0)])
      store.upsert(key: "foreign", ["n": .int(0)])
    case .file, .fileTyped, .fileOtherKey, .array, .gzip:
      var lines = try folder.text("out/users.jsonl").split(separator: "\n").map(String.init)
      let model = try #require(lines.first { $0.contains(other) })
      lines.removeAll { $0.contains(gone) || $0.contains(other) }
      lines.append(model.replacing(":4,", with: ":44,").replacing("\"4\"", with: "\"44\""))
      lines.append(model.replacing(other, with: "foreign"))
      try folder.write(lines.joined(separator: "\n") + "\n", to: "out/users.jsonl")
    case .table, .tableTyped, .replacedTable:
      let connection = try folder.connection("out/users.db")
      let document = sink == .tableTyped ? #"{"n":{"integerValue":"44"}}"# : #"{"n":44}"#
      try connection.run("UPDATE users SET document = ? WHERE key = ?", .text(document), .text(other))
      try connection.run("UPDATE users SET key = 'foreign' WHERE key = ?", .text(gone))
    }
  }
}
