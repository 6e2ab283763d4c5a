import SluiceCore
import SluiceTesting
import Testing

/// The adapters of these tests, and the sink of the kit, are held to the contract like any other.
@Suite("conformance of the fitting adapters") struct FittingConformanceTests {
  static let behaviours = Conformance(adapters: [
    DictionaryPlace.fixture(PartitionedSource.self), DictionaryPlace.fixture(WatchedSource.self),
    TransactionalPlace.fixture, RecordingPlace.fixture(.inPlace), RecordingPlace.fixture(.replace),
  ]).behaviours(
    of: Catalog().adding(PartitionedSource.self).adding(WatchedSource.self).adding(TransactionalSink.self)
      .adding(RecordingSink.self))

  @Test("a component keeps its promise", .timeLimit(.minutes(5)), arguments: behaviours.filter { $0.skipReason == nil })
  func conforms(_ behaviour: Behaviour) async throws { try await behaviour.run() }
}

/// A dictionary, and an adapter on it.
private struct DictionaryPlace: ConformanceStore {
  let store = DictionaryStore()
  let make: @Sendable (StoreConfig, AdapterContext) async throws -> any Adapter

  static func fixture<A: Adapter>(_ type: A.Type) -> AdapterFixture where A.Config == StoreConfig {
    var fixture = AdapterFixture(type, like: StoreConfig()) {
      DictionaryPlace(make: { try await A($0, context: $1) })
    }
    fixture.fields = { number, revision in [Field("n", .int(Int64(number + 100 * revision)))] }
    fixture.values = []
    // The store is a Swift dictionary, to which composed and decomposed letters are one.
    fixture.ids = SampleContent.ids.filter { $0 != "e\u{301}" }
    return fixture
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try await make(StoreConfig(store), AdapterContext(role: role))
  }

  func put(_ documents: [Document]) async throws {
    for document in documents { if case .int(let number)? = document.fields["n"] { store[document.key.id] = number } }
  }

  func remove(_ keys: [Key]) async throws { for key in keys { store[key.id] = nil } }
}

private struct TransactionalPlace: ConformanceStore {
  let database = TransactionalSink.Database()

  static var fixture: AdapterFixture {
    var fixture = AdapterFixture(TransactionalSink.self, like: TransactionalSink.Config()) { TransactionalPlace() }
    fixture.comparesVersions = false
    fixture.exceptions = [
      "has another identity, or none, when its data was lost": "the sample's database lives as long as its process"
    ]
    return fixture
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try await TransactionalSink(TransactionalSink.Config(database), context: AdapterContext(role: role))
  }

  func contents() async throws -> [Document] {
    database.contents.withLock { contents in
      contents.rows.map { key, value in
        if case .map(let fields) = value { Document(key: key, fields) } else { Document(key: key, []) }
      }
    }
  }
}

private struct RecordingPlace: ConformanceStore {
  let store = RecordingStore()
  let mode: Capabilities.PublishMode

  static func fixture(_ mode: Capabilities.PublishMode) -> AdapterFixture {
    let config = RecordingSink.Config(RecordingStore(), mode)
    var fixture = AdapterFixture(RecordingSink.self, "publish: \(mode.rawValue)", like: config) {
      let place = RecordingPlace(mode: mode)
      place.store.reject([Key("refused")])
      return place
    }
    fixture.refused = Document(key: Key("refused"), [Field("n", .int(1))])
    fixture.comparesVersions = false
    if mode == .replace {
      fixture.exceptions = [
        "looks at the target: what somebody else changed is not its publication": "nobody else can change it"
      ]
    }
    return fixture
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try await RecordingSink(RecordingSink.Config(store, mode), context: AdapterContext(role: role))
  }

  func contents() async throws -> [Document] { store.documents.map { Document(key: $0, $1) } }
  func deleted() async throws -> [Key: Timestamp] { store.deletedAt }
  func lose() async throws { store.wipe() }
}
