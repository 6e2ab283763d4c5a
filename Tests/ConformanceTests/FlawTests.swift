import SluiceCore
import SluiceMemory
import SluiceTesting
import Testing

/// The kit finds what is wrong: each flaw breaks a promise, and no adapter without it does.
@Suite("conformance of the flawed") struct FlawTests {
  @Test("a flaw is found", arguments: Flaw.allCases)
  func found(flaw: Flaw) async throws {
    var config = FlawedMemory.Config()
    config.flaw = flaw
    config.memory.publish = flaw.isInPlace ? .inPlace : .replace
    let settings = config
    let fixture = AdapterFixture(FlawedMemory.self, like: settings) { FlawedPlace(settings) }
    let behaviours = Conformance(adapters: [fixture]).behaviours(of: Catalog().adding(FlawedMemory.self))
    let promise = try #require(behaviours.first { $0.name == flaw.breaks })
    #expect(promise.skipReason == nil)
    await #expect(throws: (any Error).self, "\(flaw) breaks: \(promise)") { try await promise.run() }
  }

  @Test("an exception that fits no promise is a failure")
  func exceptions() async throws {
    let settings = FlawedMemory.Config()
    var fixture = AdapterFixture(FlawedMemory.self, like: settings) { FlawedPlace(settings) }
    fixture.exceptions = ["flies": "it has no wings", "counts what a listing brings": "it cannot add"]
    let behaviours = Conformance(adapters: [fixture]).behaviours(of: Catalog().adding(FlawedMemory.self))
    #expect(behaviours.contains { $0.name == "counts what a listing brings" && $0.skipReason == "it cannot add" })
    let unknown = try #require(behaviours.first { $0.name == "is excused from behaviours that there are" })
    await #expect(throws: ConformanceFailure.self) { try await unknown.run() }
  }
}

private struct FlawedPlace: ConformanceStore {
  private var config: FlawedMemory.Config
  private let memory: MemoryPlace

  init(_ config: FlawedMemory.Config) {
    memory = MemoryPlace(config.memory)
    self.config = config
    self.config.memory = memory.config
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try await FlawedMemory(config, context: AdapterContext(role: role))
  }

  func put(_ documents: [Document]) async throws { try await memory.put(documents) }
  func remove(_ keys: [Key]) async throws { try await memory.remove(keys) }
  func contents() async throws -> [Document] { try await memory.contents() }
  func deleted() async throws -> [Key: Timestamp] { try await memory.deleted() }
  func lose() async throws { try await memory.lose() }
  func tearDown() async { await memory.tearDown() }
}
