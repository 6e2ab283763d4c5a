import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

/// `openssl` of the system; nil where there is none.
private let openssl: String? = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl", "/usr/local/bin/openssl"]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite(
  "TLS with a private authority", .enabled(if: openssl != nil, "openssl is not installed"), .timeLimit(.minutes(5)))
struct TLSTests {
  /// A folder with an authority, a server's certificate for 127.0.0.1 and a client's.
  private final class Authority {
    let folder: URL
    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "sluice-tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: folder.appending(path: "san"))
      let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
      let name = "/CN=Test CA/O=Sluice"
      try run(["req", "-x509"] + key + ["-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", name])
      for name in ["server", "client"] {
        try run(["req"] + key + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"])
        try run(
          ["x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"]
            + ["-out", "\(name).pem", "-extfile", "san"])
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func process(_ arguments: [String]) throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: try #require(openssl))
      process.arguments = arguments
      process.currentDirectoryURL = folder
      process.standardError = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      return process
    }

    private func run(_ arguments: [String]) throws {
      let process = try process(arguments)
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0, "openssl \(arguments)")
    }
  }

  /// `openssl s_server -www`: answers every GET with a page about the connection.
  private final class Server {
    let process: Process
    let port: Int

    init(_ authority: Authority, _ more: [String] = []) throws {
      process = try authority.process(
        ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key"] + more)
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      var text = ""
      while !text.contains("ACCEPT"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        text += String(decoding: data, as: UTF8.self)
      }
      let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("ACCEPT") })
      port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
    }

    deinit {
      // A child inherits the signal mask of the pool's threads, which blocks SIGTERM.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    func request() throws -> HTTPRequest { HTTPRequest(.get, try HTTPURL("https://127.0.0.1:\(port)/")) }
  }

  @Test("C139 a server of a private authority is trusted with its CA file, and only then")
  func privateAuthority() async throws {
    let authority = try Authority()
    let server = try Server(authority)
    var configuration = HTTPConfiguration()
    configuration.caFile = authority.path("ca.pem")
    let response = try await HTTPTransport(configuration).send(server.request())
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self).contains("TLSv1."))

    let error = try await #require(throws: SluiceError.self) { try await HTTPTransport().send(server.request()) }
    #expect(error.code == .network)
    #expect(error.retry == .never)
    #expect(error.message.contains("not trusted: SSL certificate problem"), "\(error.message)")
    #expect(error.message.hasSuffix("; it was issued by CN=Test CA, O=Sluice"), "\(error.message)")
    #expect(error.hint?.contains("CA file") == true)
    #expect(error.place.origin == "https://127.0.0.1:\(server.port)")
  }

  @Test("C139 the issuer is read from the handshakes of TLS 1.2 and 1.3; a damaged one names none, and does no harm")
  func issuer() throws {
    let authority = try Authority()
    let pem = try withExtendedLifetime(authority) {
      try String(contentsOfFile: authority.path("server.pem"), encoding: .utf8)
    }
    let text = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    let certificate = [UInt8](try #require(Data(base64Encoded: text)))
    func length(_ count: Int) -> [UInt8] { [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)] }
    func message(_ body: [UInt8]) -> [UInt8] { [11] + length(body.count) + body }
    func name(_ message: [UInt8]) -> String? { message.withUnsafeBytes { CertificateIssuer.name(inHandshake: $0) } }
    let entry = length(certificate.count) + certificate
    let old = message(length(entry.count) + entry)
    let new = message([0] + length(entry.count + 2) + entry + [0, 0])
    #expect(name(old) == "CN=Test CA, O=Sluice" && name(new) == "CN=Test CA, O=Sluice")
    #expect(name([1] + old.dropFirst()) == nil)
    for count in 0..<old.count { #expect(name(Array(old.prefix(count))) == nil) }
    // Any byte may be any other: what comes of it does not matter, as long as it comes back.
    for index in old.indices {
      var damaged = old
      for byte: UInt8 in [0, 0x30, 0x7F, 0x80, 0x84, 0xFF] {
        damaged[index] = byte
        _ = name(damaged)
      }
    }
  }

  @Test("the name in the certificate must be the host's")
  func name() async throws {
    let authority = try Authority()
    let server = try Server(authority)
    var configuration = HTTPConfiguration()
    configuration.caFile = authority.path("ca.pem")
    let request = try HTTPRequest(.get, HTTPURL("https://localhost:\(server.port)/"))
    let error = try await #require(throws: SluiceError.self) { try await HTTPTransport(configuration).send(request) }
    #expect(error.retry == .never)
    #expect(error.message.contains("not trusted"), "\(error.message)")
  }

  @Test("a client certificate is shown to a server that asks for one")
  func clientCertificate() async throws {
    let authority = try Authority()
    let server = try Server(authority, ["-CAfile", "ca.pem", "-Verify", "1", "-verify_return_error"])
    var configuration = HTTPConfiguration()
    configuration.caFile = authority.path("ca.pem")
    let without = try HTTPTransport(configuration)
    let error = try await #require(throws: SluiceError.self) { try await without.send(server.request()) }
    #expect(error.code == .network)

    configuration.clientCertificate = .init(
      certificateFile: authority.path("client.pem"), keyFile: authority.path("client.key"))
    let response = try await HTTPTransport(configuration).send(server.request())
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self).contains("Client certificate"))
  }

  @Test("C139 a file that cannot be read is a configuration error before the first request")
  func missingFile() throws {
    var configuration = HTTPConfiguration()
    configuration.caFile = "/nonexistent/ca.pem"
    let error = try #require(throws: SluiceError.self) { try HTTPTransport(configuration) }
    #expect(error.code == .invalidConfiguration)
    #expect(error.place.file == "/nonexistent/ca.pem")
  }
}
