import FirestoreServer
import Foundation
import SluiceCore
import SluiceTesting
import Testing

/// A marker in every place of a configuration where a secret can stand, looked for in everything that every command
/// writes: to its outputs, to the state, to stages and published files.
@Suite("a secret in every place") struct SecretPlaceTests {
  static let secret = "m4rker-0123456789abcdef"
  /// The beginning of what a proxy is sent of it.
  static let login = Data("me:\(secret)".utf8).base64EncodedString().prefix(20)

  /// A place: what the source and the job say there. `SERVER` is a hostile server's address, `SECRET` the marker.
  struct Place: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var source = ""
    var job = ""
    /// What a run ends with: 2 where the setting itself is refused.
    var exit: Int32 = 1
    /// Whether it is saved with the state: what says which source it is must be.
    var isIdentity = false
  }

  static let places: [Place] = [
    Place(testDescription: "an API key", source: "api_key: \"SECRET\", endpoint: SERVER"),
    Place(testDescription: "a token", source: "token: \"SECRET\", endpoint: SERVER"),
    Place(testDescription: "a variable", source: "token: \"${env:SLUICE_TEST_SECRET}\", endpoint: SERVER"),
    Place(testDescription: "a variable's default", source: "token: \"${env:SLUICE_NONE:-SECRET}\", endpoint: SERVER"),
    Place(testDescription: "a file", source: "token: \"${file:secret.txt}\", endpoint: SERVER"),
    Place(testDescription: "a part of a text", source: "token: \"x-${env:SLUICE_TEST_SECRET}-y\", endpoint: SERVER"),
    Place(
      testDescription: "a variable where no secret belongs",
      source: "database: \"${env:SLUICE_TEST_SECRET}\", endpoint: SERVER", isIdentity: true),
    Place(
      testDescription: "a proxy's password", source: "endpoint: \"http://sluice.invalid\"",
      job: "http: { proxy: \"http://me:SECRET@SERVER\" }"),
    Place(
      testDescription: "a proxy's password from a variable", source: "endpoint: \"http://sluice.invalid\"",
      job: "http: { proxy: \"http://me:${env:SLUICE_TEST_SECRET}@SERVER\" }"),
    Place(
      testDescription: "a client's key", source: "endpoint: \"https://SERVER\"",
      job: "http: { client_certificate: secret.txt, client_key: secret.txt }", exit: 2),
    Place(
      testDescription: "a file of authorities", source: "endpoint: \"https://SERVER\"",
      job: "http: { ca_file: secret.txt }", exit: 2),
    Place(
      testDescription: "a user in the endpoint", source: "endpoint: \"http://me:SECRET@SERVER\"", exit: 2),
    Place(
      testDescription: "a user in an endpoint from a variable",
      source: "endpoint: \"http://me:${env:SLUICE_TEST_SECRET}@SERVER\"", exit: 2),
    Place(
      testDescription: "a key beside a mistake", source: "api_key: \"SECRET\", colection: x, endpoint: SERVER",
      exit: 2),
  ]

  static let commands: [[String]] = [
    ["check"], ["check", "--output", "json"], ["run"], ["run", "--log", "json"], ["run", "--output", "json"],
    ["run", "--restart"], ["state", "show"], ["state", "show", "--output", "json"], ["components"],
    ["plan"], ["plan", "-v", "--output", "json"], ["plan", "--estimate"], ["verify"], ["verify", "--output", "json"],
    ["preview", "users"], ["preview", "users", "--typed"], ["run", "--only", "a"], ["run", "--limit", "1"],
    ["state", "runs"], ["state", "adopt", "users"], ["state", "reset", "users", "--yes"],
    ["explain"], ["explain", "--output", "json"], ["schema"], ["completion", "bash"], ["init", "new.yaml"],
    ["components", "firestore"], ["components", "--matrix"], ["help"], ["help", "run"], ["version"], ["explode"],
  ]

  /// What a server reads out of Basic credentials.
  private static func login(_ line: String) -> String {
    guard let basic = line.firstRange(of: "Basic ") else { return "" }
    return Data(base64Encoded: String(line[basic.upperBound...])).map { " " + String(decoding: $0, as: UTF8.self) }
      ?? ""
  }

  /// Sends everything that it got back: in an error, in a page, in a redirect, in the head, and cut in the middle.
  private static func echo() throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let got = ([request.target] + request.headerLines).joined(separator: " | ")
        let all = (got + request.headerLines.map(login).joined()).replacing("\"", with: "'")
        switch connection.number % 5 {
        case 0:
          let body = "{\"error\":{\"code\":400,\"message\":\"\(all)\",\"status\":\"INVALID_ARGUMENT\"}}"
          try connection.respond(400, headers: ["Content-Type: application/json"], text: body)
        case 1:
          try connection.respond(200, headers: ["Content-Type: text/html"], text: "<html>\(all)</html>")
        case 2:
          try connection.respond(302, headers: ["Location: http://other.invalid/?\(all)", "X-Echo: \(all)"], text: all)
        case 3: try connection.respond(403, headers: ["WWW-Authenticate: \(all)"], text: String(all.suffix(70)))
        default: try connection.respond(200, text: "{\"documents\": [{\"name\": \"\(all)\"}], \"x\": \(all)")
        }
        return
      }
    }
  }

  private func configure(_ bench: Bench, _ place: Place, server: ScriptedServer) throws {
    func filled(_ text: String) -> String {
      text.replacing("SERVER", with: "127.0.0.1:\(server.port)").replacing(
        "SLUICE_TEST_SECRET", with: "SLUICE_TEST_MARK"
      )
      .replacing("SECRET", with: Self.secret)
    }
    try bench.configure(source: filled(place.source), Job.file + Job.noRetry + "\n" + filled(place.job))
    try bench.folder.write(Self.secret, to: "secret.txt")
  }

  @Test("is in nothing that any command writes, whatever the other side sends back", arguments: places)
  func nowhere(place: Place) async throws {
    let bench = try Bench(users: 0)
    let server = try Self.echo()
    try configure(bench, place, server: server)
    for arguments in Self.commands {
      // One run for each thing that the server may send back.
      for _ in 0..<(arguments == ["run"] ? 5 : 1) {
        let run = try await bench.run(arguments, ["SLUICE_TEST_MARK": Self.secret])
        // Those that ask for single keys, or stop early, may end otherwise.
        if arguments.first == "run", !arguments.contains("--only"), !arguments.contains("--limit") {
          #expect(run.exitCode == place.exit, "\(run.errorText)")
        }
        SecretTests.expectNothing(of: Self.secret, in: run, "\(place.testDescription): \(arguments)")
        #expect(![run.outputText, run.errorText].contains { $0.contains(Self.login) }, "\(arguments)")
      }
    }
    if place.exit == 2 { #expect(server.requests.isEmpty) }
    if !place.isIdentity { try expectNothingInFiles(of: bench) }
  }

  /// The state with its journals, locks, stages and whatever else lies there, but for what the test put there itself.
  private func expectNothingInFiles(of bench: Bench) throws {
    let own = ["config.yaml", "secret.txt"]
    for name in try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path) where !own.contains(name) {
      guard let data = FileManager.default.contents(atPath: bench.folder.file(name)) else { continue }
      #expect(data.range(of: Data(Self.secret.utf8)) == nil, "\(name)")
    }
  }

  @Test("a run that works, and one that breaks off after some pages, leave it in no file", arguments: ["", "bad"])
  func files(fault: String) async throws {
    let bench = try Bench(users: 100) { $0.authorization = .required(tokens: [Self.secret]) }
    if !fault.isEmpty { bench.server.script(try .named(fault, page: 3)) }
    try bench.configure(source: "token: \"${env:SLUICE_TEST_MARK}\"", Job.table + Job.noRetry)
    let run = try await bench.run(["run"], ["SLUICE_TEST_MARK": Self.secret])
    #expect(run.exitCode == (fault.isEmpty ? 0 : 1), "\(run.errorText)")
    let names = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path)
    #expect(names.contains(".sluice/state.db") && names.contains { $0.hasPrefix("out/") })
    try expectNothingInFiles(of: bench)
  }

  @Test("dead letters hold it neither in an error nor in a document that repeats it")
  func deadLetters() async throws {
    let bench = try Bench(users: 3) { $0.authorization = .required(tokens: [Self.secret]) }
    try bench.server.store.seed("{\"_key\":\"\(Self.secret)\",\"n\":\"\(Self.secret)\"}", into: "users")
    try bench.configure(
      source: "token: \"${env:SLUICE_TEST_MARK}\"",
      """
      transforms:
        - compute: { field: x, lua: "return 1 + doc.n" }
      on_reject: dead_letter
      dead_letters: { path: letters.jsonl, documents: true }
      """ + "\n" + Job.file)
    let run = try await bench.run(["run"], ["SLUICE_TEST_MARK": Self.secret])
    #expect(run.exitCode == 6, "\(run.errorText)")
    SecretTests.expectNothing(of: Self.secret, in: run, "dead letters")
    let letters = try bench.folder.text("letters.jsonl")
    #expect(letters.contains("\"key\":\"${env:SLUICE_TEST_MARK}\"") && letters.contains("\"field\":\"x\""))
    #expect(!letters.contains(Self.secret), "\(letters)")
  }

  @Test("the demo looks at no secret of the environment")
  func demo() async throws {
    let bench = try Bench(users: 0)
    let variables = ["FIRESTORE_TOKEN": Self.secret, "FIRESTORE_API_KEY": Self.secret]
    SecretTests.expectNothing(of: Self.secret, in: try await bench.run(["demo"], variables), "demo")
  }
}
