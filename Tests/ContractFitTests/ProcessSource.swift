import Foundation
import SluiceCore

/// Fits: a source in another process. It says in a handshake what it can do; pages are lines over pipes.
final class ProcessSource: Pageable {
  struct Config: Configurable {
    var command = ""
    /// What the program said in its handshake; `check` asks it once, while the settings are read.
    var capabilities: [String] = []
    static let spec = ConfigSpec<Config>(
      "Another program.",
      [
        Setting("command", \.command, "The program.", required: true),
        Setting("capabilities", \.capabilities, "What it can do."),
      ])
  }

  static let name = "process"
  static let summary = "Another program."
  static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: ProcessSource.self)
    capabilities.positions = Set(config.capabilities.compactMap(PagePosition.Kind.init(rawValue:))).union([.start])
    capabilities.order = .byKey
    return capabilities
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ config: Config, context: AdapterContext) async throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", config.command]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  var sourceIdentity: SourceIdentity { SourceIdentity([.init("program", "test")]) }

  func page(_ request: PageRequest) async throws -> Page {
    let token = if case .token(let token) = request.position { token } else { "0" }
    input.fileHandleForWriting.write(Data("\(token) \(request.size)\n".utf8))
    let words = try readLine().split(separator: " ").map(String.init)
    guard words.first == "page" else { throw SluiceError(.malformedData, "the program does not speak the protocol") }
    var builder = BatchBuilder()
    for id in words.dropFirst(2) { builder.add(key: Key(id), [Field("id", .string(id))]) }
    let next = words[1] == "end" ? nil : words[1]
    return Page(try builder.finish(), signals: PageSignals(count: words.count - 2, nextToken: next))
  }

  private func readLine() throws -> String {
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  func close() async {
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }
}
