import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceFirestore
import SluiceJSON
import SluicePaging
import SluiceTesting
import Synchronization

/// A job from a Firestore into a typed and a plain file, in a folder of its own.
final class ListingJob: Sendable {
  let folder: TemporaryFolder
  let state = MemoryStateStore()
  private let seen = Mutex<[String]>([])

  init() throws { folder = try TemporaryFolder() }

  /// Notices and repetitions of all runs.
  var notices: [String] { seen.withLock { $0 } }

  func run(_ config: FirestoreConfig, size: Int, onPositionLost: OnPositionLost = .resnapshot) async -> RunReport {
    var paging = PageToken.Config()
    paging.size = size
    return await run(config, PagingPlan(PageToken(paging)), onPositionLost: onPositionLost)
  }

  func run(
    _ config: FirestoreConfig, _ paging: PagingPlan, onPositionLost: OnPositionLost = .resnapshot
  ) async -> RunReport {
    let plan = JobPlan(
      name: "job", source: AdapterPlan(Firestore.self, config), paging: paging,
      sinks: [sink("typed", .typed), sink("plain", .plain)], onPositionLost: onPositionLost)
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) },
      observe: { [self] event in
        switch event {
        case .notice(_, let text): seen.withLock { $0.append(text) }
        case .retry(_, _, _, let error): seen.withLock { $0.append("\(error)") }
        default: break
        }
      })
    return await Engine(store: state, environment: environment).run(plan)
  }

  private func sink(_ name: String, _ encoding: JSONLinesEncoding) -> JobPlan.SinkPlan {
    var config = FileAdapter.Config()
    config.path = "\(name).jsonl"
    config.encoding = encoding
    return JobPlan.SinkPlan(name: name, adapter: AdapterPlan(FileAdapter.self, config))
  }

  /// The documents of the typed file.
  func documents() throws -> [Document] { try Self.documents(of: TypedDecoder().lines(folder.read("typed.jsonl"))) }

  /// The documents of the plain file.
  func plainDocuments() throws -> [Document] {
    try Self.documents(of: PlainDecoder().lines(folder.read("plain.jsonl")))
  }

  private static func documents(of batch: Batch) -> [Document] {
    batch.compactMap { change in if case .upsert(let document) = change { document } else { nil } }
  }
}

extension RemoteFirestore {
  /// The adapter's settings for a collection of this database.
  func config(_ collection: String, token: String? = nil) -> FirestoreConfig {
    var config = FirestoreConfig()
    config.project = project
    config.database = database
    config.collection = collection
    config.endpoint = origin
    config.token = token.map { Secret($0) }
    return config
  }

  /// An adapter by itself, for single calls.
  func source(_ config: FirestoreConfig) async throws -> Firestore {
    try await Firestore(config, context: AdapterContext(role: .source))
  }
}

extension RunReport {
  /// The error it failed with.
  var failure: SluiceError? { if case .failed(let error) = outcome { error } else { nil } }
}
