import Foundation
import SluiceCore
import SluiceHTTP
import SluiceJSON
import SluiceTesting
import Testing

/// The shared bench's 10,000 documents as 34 pages of 300, made once for the whole run of a suite, and its fault server
/// over them.
final class BenchData: Sendable {
  static let collection = "users01"
  static let count = 10_000
  static let pageSize = 300
  static let pages = 34

  /// The folder of the bench, where the tests were given one.
  static let bench: String? = {
    guard let shared = ProcessInfo.processInfo.environment["SLUICE_SHARED"], !shared.isEmpty else { return nil }
    let folder = "\(shared)/bench"
    return FileManager.default.isReadableFile(atPath: "\(folder)/fault.py") ? folder : nil
  }()

  static let hasPython: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
  }()

  let folder: TemporaryFolder
  private let bench: String

  /// Makes the pages.
  init() async throws {
    folder = try TemporaryFolder()
    bench = try #require(Self.bench)
    let made = try await Self.python(
      ["\(bench)/gen.py", folder.path, "--docs", "\(Self.count)", "--name", Self.collection]
        + ["--sizes", "\(Self.pageSize)", "--variants", "fs"]
    ).wait()
    try #require(made.exitCode == 0, "gen.py: \(made.errorText)")
  }

  /// Starts a script, its file first.
  private static func python(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      "/usr/bin/env", ["python3"] + arguments, environment: ProcessInfo.processInfo.environment)
  }

  /// The ids of all documents, in order.
  static let ids = (0..<count).map { String(format: "u%07d", $0) }

  /// The documents as typed lines.
  func typedLines() throws -> [UInt8] {
    var writer = TypedJSONLinesWriter()
    let decoder = FirestoreDecoder(root: "projects/demo/databases/(default)/documents/\(Self.collection)")
    for page in 0..<Self.pages {
      let bytes = try folder.read("fs/\(Self.collection)/\(Self.pageSize)/t\(page).json")
      writer.write(try decoder.listPage(bytes).batch)
    }
    return writer.output.bytes
  }

  /// Starts the fault server, waits until it answers. Its log is `fault.log` in the folder.
  func startFaultServer() async throws -> (script: ChildProcess, origin: String) {
    let transport = try HTTPTransport()
    defer { transport.close() }
    // Somebody else may take the free port meanwhile.
    var said = ""
    for _ in 0..<5 {
      let port = try Self.freePort()
      let script = try Self.python(["\(bench)/fault.py", "\(port)", folder.path, folder.file("fault.log")])
      let origin = "http://127.0.0.1:\(port)"
      if try await Self.answers(origin, transport) { return (script, origin) }
      script.signal(SIGKILL)
      said = await script.wait().errorText
    }
    throw SluiceError(.io, "fault.py does not answer: \(said)")
  }

  private static func answers(_ origin: String, _ transport: HTTPTransport) async throws -> Bool {
    var policy = RetryPolicy()
    policy.maxAttempts = 200
    policy.initialDelay = .milliseconds(50)
    policy.multiplier = 1
    policy.totalTime = .seconds(20)
    do {
      let request = HTTPRequest(.get, try HTTPURL("\(origin)/reset"))
      return try await Retrying(policy).run { _ in try await transport.send(request).status == 200 }
    } catch is SluiceError {
      return false
    }
  }

  private static func freePort() throws -> UInt16 {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound, "no free port")
    return UInt16(bigEndian: address.sin_port)
  }
}
