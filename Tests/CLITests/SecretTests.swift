import FirestoreServer
import Foundation
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

/// A secret leaves the process only as the expression it came from, whatever fails.
@Suite("secrets") struct SecretTests {
  /// How a configuration names a secret.
  enum Origin: String, CaseIterable {
    case variable = "${env:SLUICE_TEST_SECRET}"
    case fallback = "${env:SLUICE_TEST_UNSET:-SECRET}"
    case file = "${file:secret.txt}"
    case written = "SECRET"
  }

  /// With everything that is written otherwise in a URL, in JSON and in a shell.
  static let secrets = ["m4rker-0123456789abcdef", "m4rker/+=&% \"é\\0123456789"]

  private func bench(_ key: String, _ origin: Origin, _ secret: String) throws -> Bench {
    let bench = try Bench(users: 50) { $0.authorization = .required(tokens: [secret], apiKeys: [secret]) }
    let quoted = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let text = origin.rawValue.replacing("SECRET", with: origin == .variable ? "SECRET" : quoted)
    let value = origin == .variable || origin == .file ? origin.rawValue : text
    try bench.configure(source: "\(key): \"\(value)\"", Job.file + "\nretry: { attempts: 2, initial_delay: 1ms }")
    if origin == .file { try bench.folder.write(secret + "\n", to: "secret.txt") }
    return bench
  }

  private func expectNothing(of secret: String, in run: ChildProcess.Result, _ what: String) {
    Self.expectNothing(of: secret, in: run, what)
  }

  /// Whether a secret, or a part of it, is in what a command wrote.
  static func expectNothing(of secret: String, in run: ChildProcess.Result, _ what: String) {
    for text in [run.outputText, run.errorText] {
      // No part of it either: a message may be cut in its middle.
      for form in [secret, String(secret.prefix(9)), String(secret.suffix(9))] {
        #expect(!text.contains(form), "\(what): \(text)")
      }
      let escaped = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
      #expect(!text.contains(escaped) && !text.contains(escaped.lowercased()), "\(what): \(text)")
    }
  }

  @Test("are not shown by any command, nor by a run that works", arguments: Origin.allCases, secrets)
  func working(origin: Origin, secret: String) async throws {
    for key in ["api_key", "token"] {
      let bench = try bench(key, origin, secret)
      let variables = ["SLUICE_TEST_SECRET": secret]
      for arguments in [
        ["check"], ["check", "--output", "json"], ["run"], ["run", "--log", "json"], ["run", "--output", "json"],
        ["plan"], ["plan", "-v", "--output", "json"], ["plan", "--estimate"], ["verify"], ["preview"],
        ["state", "runs"], ["state", "show"], ["state", "show", "--output", "json"], ["components", "firestore"],
        ["explain"], ["explain", "users", "--output", "json"], ["completion", "jobs"], ["schema"],
      ] {
        let run = try await bench.run(arguments, variables)
        #expect(run.exitCode == 0, "\(arguments): \(run.errorText)")
        expectNothing(of: secret, in: run, "\(arguments)")
      }
      let files = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path)
      for name in files where name.hasPrefix(".sluice/") || name.hasPrefix("out/") {
        guard let data = FileManager.default.contents(atPath: bench.folder.file(name)) else { continue }
        #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
      }
    }
  }

  /// What the other side may answer.
  static func echoes(_ secret: String) -> [(String, FaultAction)] {
    let escaped = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
    func error(_ text: String) -> FaultAction {
      let body = Value.map([
        Field(
          "error",
          .map([Field("code", .int(400)), Field("message", .string(text)), Field("status", .string("INTERNAL"))]))
      ])
      return .answer(
        status: 500, contentType: "application/json", body: String(decoding: JSON.encode(body), as: UTF8.self))
    }
    return [
      ("an error that repeats it", error("the key \(secret) is not known")),
      ("an error that repeats the address", error("GET /v1/x?key=\(escaped)&b=1")),
      ("an error that repeats the address in small letters", error("GET /v1/x?key=\(escaped.lowercased())&b=1")),
      ("a page that repeats it", .answer(status: 502, contentType: "text/html", body: "<p>\(secret)</p>")),
      (
        "a page that repeats it where the message is cut",
        .answer(status: 502, contentType: "text/plain", body: String(repeating: ".", count: 68) + secret)
      ),
      (
        "a success that is none",
        .answer(status: 200, contentType: "text/plain", body: String(repeating: ".", count: 65) + secret)
      ),
      ("nothing but a refusal", .status(401)),
    ]
  }

  @Test("are not shown by a run that fails, whatever the other side sends back", arguments: secrets)
  func failing(secret: String) async throws {
    for (key, origin) in [("api_key", Origin.variable), ("token", .variable), ("token", .fallback)] {
      let bench = try bench(key, origin, secret)
      for (what, action) in Self.echoes(secret) {
        bench.server.script(FaultScript(FaultRule(.any, action)))
        for arguments in [
          ["run"], ["run", "--log", "json"], ["run", "--output", "json"], ["plan"], ["plan", "--output", "json"],
          ["verify"], ["preview"],
        ] {
          let run = try await bench.run(arguments, ["SLUICE_TEST_SECRET": secret])
          #expect(run.exitCode == 1, "\(what)")
          expectNothing(of: secret, in: run, what)
        }
        expectNothing(of: secret, in: try await bench.run(["state", "show", "--output", "json"], [:]), what)
      }
    }
  }

  @Test("are not shown where nobody answers, or the secret is wrong")
  func unreachable() async throws {
    let secret = Self.secrets[0]
    for key in ["api_key", "token"] {
      let bench = try Bench(users: 1) { $0.authorization = .required(tokens: ["another"]) }
      try bench.write(jobs: [
        "a": ("\(key): \"${env:SLUICE_TEST_SECRET}\", endpoint: \"127.0.0.1:1\"", Job.file + Job.noRetry),
        "b": ("\(key): \"${env:SLUICE_TEST_SECRET}\"", Job.file + Job.noRetry),
        "c": ("\(key): \"${env:SLUICE_TEST_SECRET}\", endpoint: \"http://sluice.invalid\"", Job.file + Job.noRetry),
        "d": (
          "\(key): \"${env:SLUICE_TEST_SECRET}\", endpoint: \"https://127.0.0.1:\(bench.server.port)\"",
          Job.file + Job.noRetry
        ),
      ])
      let text = try bench.folder.text("config.yaml")
      let proxy = "    http: { proxy: \"http://me:\(secret)@127.0.0.1:1\" }\n"
      try bench.folder.write(text.replacing("  d:\n", with: proxy + "  d:\n"), to: "config.yaml")
      for job in ["a", "b", "c", "d"] {
        let run = try await bench.run(["run", job], ["SLUICE_TEST_SECRET": secret])
        #expect(run.exitCode == 1 || run.exitCode == 2, "\(job): \(run.errorText)")
        expectNothing(of: secret, in: run, job)
      }
    }
  }

  @Test(
    "are not shown beside a mistake in the same line",
    arguments: [
      "source: { firestore: { project: demo, api_key: SECRET, colection: users } }",
      "source: { firestore: { project: demo, api_key: SECRET, api_key: SECRET, collection: users } }",
      "source: { firestore: { project: demo, api_kye: SECRET, collection: users } }",
      "source: { firestore: { api_key: SECRET, project: [], collection: users } }",
      "source: { firestroe: { api_key: SECRET, project: demo, collection: users } }",
      "source: { firestore: { project: demo, collection: users, api_key: [SECRET] } }",
      "source: { firestore: { project: demo, collection: users, api_key: { value: SECRET } } }",
      "source: { firestore: { project: demo, collection: users, api_key: SECRET }",
      "source: { firestore: { project: demo, collection: users, endpoint: \"ftp://x/?key=SECRET\", api_key: SECRET } }",
    ])
  func besideMistakes(job: String) async throws {
    let secret = Self.secrets[0]
    let bench = try Bench(users: 0)
    let text = "version: 1\njobs:\n  users:\n    \(job)\n    sink: stdout\n"
    try bench.folder.write(text.replacing("SECRET", with: secret), to: "config.yaml")
    for arguments in [["check"], ["check", "--output", "json"], ["run"], ["state", "show"]] {
      let run = try await bench.run(arguments)
      #expect(run.exitCode == 2, "\(run.errorText)")
      expectNothing(of: secret, in: run, "\(arguments)")
    }
  }
}
