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

  /// The cases that are about a whole file, and the golden file that shows each.
  @Test(
    "C106 C107 C109 C110 C111 C113 C114 C115 C117 what check says of each case",
    arguments: [
      ("C106 no, on, y and off are text where text is wanted", "good-words", "no errors"),
      ("C107 0510 and 08 stay text", "good-words", "exit code 0"),
      ("C109 a path of nothing", "types", "missing_key: path is required by file"),
      ("C110 two merge keys", "yaml-merge-twice", "did you mean <<: [*a, *b]?"),
      ("C111 two blocks of jobs", "yaml-jobs-twice", "is here twice: on line 2 and on line 4"),
      ("C113 an alias bomb", "yaml-alias-bomb", "too many alias nodes"),
      ("C114 a mistyped key of an adapter", "ten-mistakes", "did you mean collection?"),
      ("C114 a mistyped key of a group", "defaults", "did you mean max_delete?"),
      ("C115 a dollar is a dollar, and ${ has its escape", "good-words", "no errors"),
      ("C115 what is no expression", "env-spelling", "did you mean ${env:USERS}?"),
      ("C117 a tab", "yaml-tab", "tab used for indentation at 3:1"),
      ("C117 a second document", "two-documents", "a second document begins on line 3"),
    ])
  func cases(name: String, file: String, text: String) async throws {
    #expect(await said(of: file).contains(text))
  }

  @Test("there is a text for every configuration, and no other")
  func complete() throws {
    let files = FileManager.default.enumerator(atPath: Self.folder)?.compactMap { $0 as? String } ?? []
    #expect(files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted() == Self.names)
  }

  @Test("there are 40 broken configurations and more, of every kind of mistake")
  func broken() throws {
    let texts = try Self.names.map { try String(contentsOfFile: "\(Self.folder)/\($0).txt", encoding: .utf8) }
    #expect(texts.count { $0.hasPrefix("exit code 2") } >= 40)
    let codes = Set(
      texts.flatMap { $0.matches(of: #/\.yaml(:\d+:\d+)?: (warning: )?(\w+): /#).map { String($0.output.3) } })
    let expected: Set = [
      "alias", "ambiguous_value", "budget_too_small", "duplicate_key", "empty_key_field", "empty_list", "empty_secret",
      "encoding", "interpolation", "invalid_collection", "invalid_configuration", "invalid_endpoint", "job_name", "key",
      "many_components", "many_documents", "merge", "missing_key", "mode_without_effect", "not_a_sink", "not_a_source",
      "out_of_range", "paging_not_possible", "path_into_list", "path_to_key", "syntax", "tag", "too_many_aliases",
      "two_ways", "unknown_component", "unknown_key", "unknown_version", "without_effect", "wrong_role", "wrong_type",
    ]
    #expect(expected.subtracting(codes).isEmpty, "no file shows \(expected.subtracting(codes).sorted())")
  }
}
