import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceMemory
import SluicePaging
import SluiceTesting

@testable import SluiceSQLite

/// A sink that can be read back, in each way that it can be set.
enum SinkCase: String, CaseIterable, Sendable {
  case memory, memoryInPlace, file, fileTyped, fileOtherKey, array, gzip, table, tableTyped, replacedTable

  /// Whether it shows a set as a whole.
  var isReplaced: Bool { [.memory, .file, .fileTyped, .fileOtherKey, .array, .gzip, .replacedTable].contains(self) }

  func plan(_ name: String) -> AdapterPlan {
    switch self {
    case .memory, .memoryInPlace:
      var config = MemoryAdapter.Config()
      config.name = name
      config.publish = self == .memory ? .replace : .inPlace
      return AdapterPlan(MemoryAdapter.self, config)
    case .file, .fileTyped, .fileOtherKey, .array, .gzip:
      var config = FileAdapter.Config()
      config.path = self == .array ? "out/users.json" : self == .gzip ? "out/users.jsonl.gz" : "out/users.jsonl"
      config.encoding = self == .fileTyped ? .typed : .plain
      if self == .fileOtherKey { config.keyField = "id" }
      return AdapterPlan(FileAdapter.self, config)
    case .table, .tableTyped, .replacedTable:
      var config = SQLiteAdapter.Config()
      config.path = "out/users.db"
      config.table = "users"
      config.encoding = self == .tableTyped ? .typed : .plain
      config.publish = self == .replacedTable ? .replace : .inPlace
      return AdapterPlan(SQLiteAdapter.self, config)
    }
  }
}

/// A job from one memory store into one sink, in a folder of its own.
struct SinkBench {
  let folder: TemporaryFolder
  let source: MemoryStore
  let sink: SinkCase
  let sourceName: String
  let sinkName: String
  let state = MemoryStateStore()
  var mode = Mode.mirror

  init(_ sink: SinkCase, documents: Int = 50) throws {
    folder = try TemporaryFolder()
    self.sink = sink
    sourceName = "verify-\(UInt64.random(in: .min ... .max))"
    sinkName = sourceName + "-sink"
    source = MemoryStore.named(sourceName)
    for number in 0..<documents {
      source.upsert(key: numberedKey(number), ["n": .int(Int64(number)), "s": .string("text")])
    }
  }

  var plan: JobPlan {
    var config = MemoryAdapter.Config()
    config.name = sourceName
    var paging = PageToken.Config()
    paging.size = 7
    return JobPlan(
      name: "job", source: AdapterPlan(MemoryAdapter.self, config), paging: PagingPlan(PageToken(paging)),
      sinks: [JobPlan.SinkPlan(name: "sink", adapter: sink.plan(sinkName))], mode: mode)
  }

  var engine: Engine {
    Engine(
      store: state,
      environment: RunEnvironment(
        baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) }))
  }

  func run(_ options: RunOptions = RunOptions()) async -> RunReport { await engine.run(plan, options: options) }

  /// Forgets the memory stores of this process.
  func end() {
    MemoryStore.forget(named: sourceName)
    MemoryStore.forget(named: sinkName)
  }
}
