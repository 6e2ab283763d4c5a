import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceFirestore
import SluiceJSON
import SluiceMemory
import SluiceTesting
import Testing

/// A real store that a test fills and lists.
final class PagedStore: Sendable {
  /// The stores there are: one for each adapter and way of asking it.
  static let kinds: [Kind] = [.file, .firestore] + PagePosition.Kind.allCases.map(Kind.memory)

  enum Kind: Sendable, CustomTestStringConvertible {
    case file
    case firestore
    /// That takes positions of one kind beside the start, from a frozen snapshot.
    case memory(PagePosition.Kind)

    var testDescription: String {
      switch self {
      case .file: "file"
      case .firestore: "firestore"
      case .memory(let kind): "memory by \(kind.rawValue)"
      }
    }

    /// The adapter's name in a configuration.
    var adapter: String {
      switch self {
      case .file: FileAdapter.name
      case .firestore: Firestore.name
      case .memory: MemoryAdapter.name
      }
    }
  }

  /// What a job lists.
  let source: AdapterPlan
  private let server: FirestoreServer?
  private let folder: TemporaryFolder?
  private let name: String?

  /// A store with documents of these ids.
  init(_ kind: Kind, ids: [String]) throws {
    switch kind {
    case .file:
      let folder = try TemporaryFolder()
      try folder.write(ids.map { "{\"_key\":\"\($0)\",\"n\":1}\n" }.joined(), to: "a.jsonl")
      var config = FileAdapter.Config()
      config.path = folder.file("a.jsonl")
      source = AdapterPlan(FileAdapter.self, config)
      (self.folder, server, name) = (folder, nil, nil)
    case .firestore:
      let server = try FirestoreServer(configuration: Configuration())
      for id in ids { _ = try server.store.set("users/\(id)", [Field("n", .int(1))]) }
      var config = FirestoreConfig()
      config.project = "demo"
      config.collection = "users"
      config.endpoint = server.origin
      source = AdapterPlan(Firestore.self, config)
      (folder, self.server, name) = (nil, server, nil)
    case .memory(let position):
      let folder = try TemporaryFolder()
      let store = MemoryStore.named(folder.path)
      for id in ids { store.upsert(key: id, ["n": .int(1)]) }
      var config = MemoryAdapter.Config()
      config.name = folder.path
      config.consistent = true
      config.positions = [position]
      source = AdapterPlan(MemoryAdapter.self, config)
      (self.folder, server, name) = (folder, nil, folder.path)
    }
  }

  deinit {
    server?.stop()
    if let name { MemoryStore.forget(named: name) }
  }

  /// Runs a listing of the store into a sink.
  func run(
    _ paging: PagingPlan, into store: RecordingStore, publish: Capabilities.PublishMode = .inPlace,
    state: MemoryStateStore = MemoryStateStore()
  ) async -> RunReport {
    var limits = LimitSettings()
    limits.allowEmpty = true
    let plan = JobPlan(
      name: "job", source: source, paging: paging,
      sinks: [.init(name: "sink", adapter: AdapterPlan(RecordingSink.self, .init(store, publish)))], limits: limits)
    let environment = RunEnvironment(now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    return await Engine(store: state, environment: environment).run(plan)
  }
}
