import Foundation
import SluiceTesting
import Testing

/// Every configuration in `Golden` against what `sluice check` says of it, letter by letter.
///
/// `SLUICE_RECORD=1` writes what it says now over what is expected; look at the difference before you commit it.
@Suite("sluice check") struct GoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden").path
  private static let isRecording = ProcessInfo.processInfo.environment["SLUICE_RECORD"] == "1"

  static let names: [String] = {
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }()

  private func said(of name: String) async -> String {
    let check = await InProcess.sluice("check", "\(Self.folder)/\(name).yaml")
    return "exit code \(check.exitCode)\n" + check.errors.replacing("\(Self.folder)/", with: "")
      + (check.output.isEmpty ? "" : "stdout\n" + check.output)
  }

  @Test("says of a configuration what is expected", arguments: names)
  func golden(name: String) async throws {
    let path = "\(Self.folder)/\(name).txt"
    let text = await said(of: name)
    if Self.isRecording { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    #expect(text == (try String(contentsOfFile: path, encoding: .utf8)))
  }

  @Test("one run reports all of ten different mistakes, each with its place")
  func tenMistakes() async throws {
    let text = await said(of: "ten-mistakes")
    #expect(text.hasPrefix("exit code 2\n"))
    let heads = text.split(separator: "\n").compactMap {
      $0.wholeMatch(of: /ten-mistakes\.yaml:(\d+):(\d+): (\w+): .*/)
    }
    #expect(heads.count == 10)
    #expect(Set(heads.map { "\($0.output.1):\($0.output.2)" }).count == 10, "ten places")
    #expect(Set(heads.map { "\($0.output.3)" }).count == 10, "ten kinds of mistakes")
  }

  @Test("there is a text for every configuration, and no other")
  func complete() throws {
    let files = FileManager.default.enumerator(atPath: Self.folder)?.compactMap { $0 as? String } ?? []
    #expect(files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted() == Self.names)
    #expect(Self.names.count >= 10)
  }
}
