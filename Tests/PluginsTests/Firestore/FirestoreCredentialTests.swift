import FirestoreServer
import SluiceCore
import SluiceEngine
import SluiceFirestore
import SluiceTesting
import Synchronization
import Testing

@Suite struct FirestoreCredentialTests {
  @Test func aBearerTokenOrAnApiKeyOpensTheDoor() async throws {
    let bench = try FirestoreBench { $0.authorization = .required(tokens: ["token-1"], apiKeys: ["key-1"]) }
    try bench.seed(3)
    var config = bench.config()
    config.token = Secret("token-1")
    #expect(await bench.run(config).exitCode == 0)
    config.token = nil
    config.apiKey = Secret("key-1")
    #expect(await bench.run(config).exitCode == 0)
    config.apiKey = Secret("marker-0815")
    let refused = await bench.run(config)
    #expect(refused.exitCode == 1)
    #expect(!"\(refused)".contains("marker-0815"))
    config.apiKey = nil
    config.token = Secret("marker-0815")
    let unauthenticated = await bench.run(config)
    #expect(unauthenticated.failure?.code == .unauthenticated)
    #expect(!"\(unauthenticated)".contains("marker-0815"))
  }

  @Test func theEmulatorsVariableCountsOnlyWithoutCredentials() async throws {
    let bench = try FirestoreBench()
    let host = ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(bench.server.port)"]
    var config = bench.config()
    config.endpoint = nil
    let reported = Mutex<[String]>([])
    func open(_ config: FirestoreConfig) async throws {
      let context = AdapterContext(
        role: .source, environment: { host[$0] },
        report: { event in
          if case .endpoint(let endpoint, let origin) = event {
            reported.withLock { $0.append("\(endpoint) \(origin)") }
          }
        })
      let source = try await Firestore(config, context: context)
      await source.close()
    }
    try await open(config)
    config.token = Secret("t")
    try await open(config)
    #expect(
      reported.withLock { $0 } == [
        "http://127.0.0.1:\(bench.server.port) FIRESTORE_EMULATOR_HOST", "https://firestore.googleapis.com default",
      ])
  }

  @Test(arguments: [
    ("127.0.0.1:8080", "http://127.0.0.1:8080"), ("localhost:1", "http://localhost:1"),
    ("firestore.example", "https://firestore.example"), ("https://h.example:8443/a/b/", "https://h.example:8443"),
    ("[::1]:8080", "http://[::1]:8080"),
  ])
  func endpointsAsUsersWriteThem(text: String, origin: String) async throws {
    let bench = try FirestoreBench()
    var config = bench.config()
    config.endpoint = text
    let reported = Mutex("")
    let context = AdapterContext(
      role: .source,
      report: { event in
        if case .endpoint(let endpoint, _) = event { reported.withLock { $0 = endpoint } }
      })
    let source = try await Firestore(config, context: context)
    await source.close()
    #expect(reported.withLock { $0 }.hasPrefix(origin))
  }

  @Test func credentialsNeverGoOverPlainHTTPOffLoopback() async throws {
    let bench = try FirestoreBench()
    var config = bench.config()
    config.endpoint = "http://firestore.example"
    config.token = Secret("t")
    let report = await bench.run(config)
    #expect(report.failure?.message.contains("plain http") == true)
  }
}
