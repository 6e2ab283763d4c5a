import SluiceCore
import SluiceMemory
import SluiceTesting

/// A store in this process, under a name of its own.
struct MemoryPlace: ConformanceStore {
  let config: MemoryAdapter.Config

  static let fixtures = [
    fixture("publish: replace") { $0.publish = .replace },
    fixture("publish: in_place, consistent: true") {
      $0.publish = .inPlace
      $0.consistent = true
    },
    fixture("positions: [number]") { $0.positions = [.number] },
  ]

  private static func fixture(
    _ variant: String, _ configure: @Sendable (inout MemoryAdapter.Config) -> Void
  ) -> AdapterFixture {
    var config = MemoryAdapter.Config()
    configure(&config)
    let settings = config
    var fixture = AdapterFixture(MemoryAdapter.self, variant, like: settings) { MemoryPlace(settings) }
    if variant.hasPrefix("positions") { fixture.roles = [.source] }
    return fixture
  }

  init(_ config: MemoryAdapter.Config) {
    var config = config
    config.name = "conformance-\(UInt64.random(in: 0 ... .max))"
    self.config = config
  }

  private var store: MemoryStore { MemoryStore.named(config.name) }

  func open(as role: ConfigRole) async throws -> any Adapter {
    MemoryAdapter(config, context: AdapterContext(role: role))
  }

  func put(_ documents: [Document]) async throws { for document in documents { store.upsert(document) } }

  func remove(_ keys: [Key]) async throws { for key in keys { store.delete(key) } }

  func contents() async throws -> [Document] {
    store.snapshot.map { document in
      let fields = document.fields.materialized.filter { $0.name != "deleted_at" }
      return Document(key: document.key, header: document.header, fields)
    }
  }

  func deleted() async throws -> [Key: Timestamp] {
    var marks: [Key: Timestamp] = [:]
    for document in store.snapshot {
      if case .timestamp(let time)? = document.fields["deleted_at"] { marks[document.key] = time }
    }
    return marks
  }

  func lose() async throws { MemoryStore.forget(named: config.name) }

  func tearDown() async { MemoryStore.forget(named: config.name) }
}
