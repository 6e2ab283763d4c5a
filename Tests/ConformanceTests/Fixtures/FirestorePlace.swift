import FirestoreServer
import SluiceCore
import SluiceFirestore
import SluiceTesting

/// A collection of an embedded server of its own.
final class FirestorePlace: ConformanceStore {
  private let server: FirestoreServer
  private let gate = FaultGate()
  private let config: FirestoreConfig

  static let fixtures = [fixture("") { _ in }, fixture("order_by") { $0.orderBy = "n" }]

  /// What Firestore has no kind for, or keeps to the microsecond only.
  private static let foreign: Set<String> = ["decimal", "", "timestamp", "timestamp_last"]

  private static func fixture(
    _ variant: String, _ configure: @Sendable (inout FirestoreConfig) -> Void
  ) -> AdapterFixture {
    var config = FirestoreConfig()
    config.project = "demo"
    config.collection = "users"
    configure(&config)
    let settings = config
    var fixture = AdapterFixture(Firestore.self, variant, like: settings) { try FirestorePlace(settings) }
    fixture.ids.removeAll { $0.contains("/") }
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000)
    fixture.values =
      SampleContent.values.filter { !foreign.contains($0.name) }
      + [Field("timestamp", .timestamp(time)), Field("n", .int(1))]
    return fixture
  }

  private init(_ config: FirestoreConfig) throws {
    server = try FirestoreServer()
    var config = config
    config.endpoint = server.origin
    self.config = config
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try await Firestore(config, context: AdapterContext(role: role))
  }

  func put(_ documents: [Document]) async throws {
    for document in documents { _ = try server.store.set("users/\(document.key.id)", document.fields.materialized) }
  }

  func remove(_ keys: [Key]) async throws { for key in keys { try server.store.delete("users/\(key.id)") } }

  func hold() async throws -> (@Sendable () async -> Void)? {
    let gate = gate
    server.script(FaultScript(FaultRule(.any, .hold(gate))))
    return { await gate.arrived() }
  }

  func tearDown() async {
    gate.open()
    server.stop()
  }
}
