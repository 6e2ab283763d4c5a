import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceFirestore
import SluicePaging
import SluiceTesting
import Synchronization

/// A job from an embedded Firestore into a recording sink.
final class FirestoreBench: Sendable {
  let server: FirestoreServer
  let sink = RecordingStore()
  let state = MemoryStateStore()
  let retries = Mutex<[(delay: Duration, error: SluiceError)]>([])

  init(_ configure: (inout Configuration) -> Void = { _ in }) throws {
    var configuration = Configuration()
    configure(&configuration)
    server = try FirestoreServer(configuration: configuration)
  }

  deinit { server.stop() }

  /// Puts `count` documents with a number into a collection.
  func seed(_ count: Int, into collection: String = "users") throws {
    for number in 0..<count {
      let id = "d" + String(repeating: "0", count: 4 - String(number).count) + String(number)
      _ = try server.store.set("\(collection)/\(id)", [Field("n", .int(Int64(number)))])
    }
  }

  func config(_ collection: String = "users") -> FirestoreConfig {
    var config = FirestoreConfig()
    config.project = "demo"
    config.collection = collection
    config.endpoint = server.origin
    return config
  }

  /// A source of its own, for single calls.
  func source(_ config: FirestoreConfig? = nil, environment: [String: String] = [:]) async throws -> Firestore {
    let context = AdapterContext(role: .source, environment: { environment[$0] }, retry: Self.quick)
    return try await Firestore(config ?? self.config(), context: context)
  }

  /// Tries as often as the default, but without its patience.
  static var quick: RetrySettings {
    var settings = RetrySettings()
    settings.initialDelay = .milliseconds(1)
    settings.maxDelay = .milliseconds(20)
    return settings
  }

  func run(
    _ config: FirestoreConfig? = nil, size: Int? = nil, publish: Capabilities.PublishMode = .replace,
    retry: RetrySettings = FirestoreBench.quick, limits: LimitSettings = LimitSettings(),
    http: HTTPSettings = HTTPSettings(), mode: Mode = .copy
  ) async -> RunReport {
    var paging = PageToken.Config()
    if let size { paging.size = size }
    let plan = JobPlan(
      name: "job", source: AdapterPlan(Firestore.self, config ?? self.config()), paging: PagingPlan(PageToken(paging)),
      sinks: [.init(name: "sink", adapter: AdapterPlan(RecordingSink.self, .init(sink, publish)))],
      mode: mode, limits: limits, http: http, retry: retry)
    let environment = RunEnvironment(
      now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) },
      observe: { [self] event in
        if case .retry(_, _, let delay, let error) = event { retries.withLock { $0.append((delay, error)) } }
      })
    return await Engine(store: state, environment: environment).run(plan)
  }

  /// The list requests the server got.
  var lists: [RequestRecord] { server.log.requests.filter { $0.method == .list } }
}
