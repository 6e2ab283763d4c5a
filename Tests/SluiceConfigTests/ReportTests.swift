import SluiceConfig
import SluiceCore
import Testing

/// Reports, letter by letter.
@Suite struct ReportTests {
  private func report(_ text: String, color: Bool = false) -> String {
    let loaded = Loaded(text)
    var diagnostics = loaded.load.diagnostics
    let place = Mark(file: "job.yaml", line: 1, column: 1)
    for job in loaded.load.file?.jobs ?? [] {
      let source = Job.decode(job.node, in: ConfigContext("job", at: place), into: &diagnostics)?.source
      guard let source else { continue }
      _ = Store.decode(source.settings, in: ConfigContext(source.name, at: source.mark), into: &diagnostics)
    }
    return DiagnosticRenderer(loaded.load.source, color: color).render(diagnostics)
  }

  @Test("C114 the place, the line, and what was probably meant")
  func mistypedKeys() {
    #expect(
      report(
        "version: 1\njobs:\n  a:\n    limits: { max_delet: 10 }\n    source:\n      store:\n        page_szie: 50\n")
          == """
          job.yaml:4:15: unknown_key: unknown key "max_delet" in limits
            4 |     limits: { max_delet: …
              |               ^ did you mean max_delete?

          """)
    #expect(
      report("version: 1\njobs:\n  a:\n    source:\n      store:\n        page_szie: 50\n        names: a\n") == """
        job.yaml:5:7: missing_key: path is required by store
          5 |       store:
            |       ^
          hint: for example path: out.jsonl
        job.yaml:6:9: unknown_key: unknown key "page_szie" in store
          6 |         page_szie: …
            |         ^ did you mean page_size?
        job.yaml:7:16: wrong_type: names: expected a list, found "a"
          7 |         names: a
            |                ^ did you mean [a]?

        """)
  }

  @Test("C111 both places of a key that is there twice")
  func duplicates() {
    #expect(
      report("version: 1\njobs: {a: {}}\njobs: {b: {}}\n") == """
        job.yaml:3:1: duplicate_key: key "jobs" is here twice: on line 2 and on line 3
          3 | jobs: …
            | ^
          note: job.yaml:2:1: the first "jobs"

        """)
  }

  @Test("C117 a tab, seen")
  func tabs() {
    #expect(
      report("v:\n\tx: 1\n") == """
        job.yaml:2:1: syntax: tab used for indentation at 2:1
          2 | \tx: …
            | ^
          hint: indent with spaces

        """)
  }

  @Test func theCaretStandsUnderWideCharactersAndTabs() {
    let loaded = Loaded("x: \"日本\"\n")
    var diagnostics = Diagnostics()
    diagnostics.error("c", "m", at: Mark(file: "job.yaml", line: 1, column: 7))
    #expect(
      DiagnosticRenderer(loaded.load.source).render(diagnostics)
        == "job.yaml:1:7: c: m\n  1 | x: \"日本\"\n    |         ^\n")
  }

  @Test func longLinesAreCutAroundTheCaret() {
    let text = "x: [" + String(repeating: "abc, ", count: 100) + "]\n"
    var diagnostics = Diagnostics()
    diagnostics.error("c", "m", at: Mark(file: "job.yaml", line: 1, column: 300))
    let lines = DiagnosticRenderer(Loaded(text).load.source).render(diagnostics).split(separator: "\n")
    #expect(lines[1].count < 120 && lines[1].hasPrefix("  1 | …") && lines[1].hasSuffix("…"))
    #expect(lines[2].count == "  1 | …".count + 40 + 1)
  }

  @Test func valuesBehindMistypedKeysAndInSecretsAreNotShown() {
    let mistyped = report(jobFile("path: a\npasword: hunter2"))
    #expect(mistyped.contains("did you mean password?") && !mistyped.contains("hunter2"))
    let wrong = report(jobFile("path: a\npassword: [hunter2]"))
    #expect(wrong == "job.yaml:7:19: wrong_type: password: expected text, found a list\n")
  }

  @Test func colorsAndControlCharacters() {
    let colored = report("version: 1\njobs:\n  \"\\e[2J\": {}\n", color: true)
    #expect(colored.hasPrefix("\u{1b}[1mjob.yaml:3:3\u{1b}[0m: \u{1b}[1;31mjob_name\u{1b}[0m: \"\\u{1b}[2J\" cannot"))
    #expect(!report("version: 1\njobs:\n  \"\\e[2J\": {}\n").contains("\u{1b}"))
    let raw = report("a: \u{1b}[2J\n")
    #expect(!raw.contains("\u{1b}") && raw.contains("U+001B"))
  }

  @Test func warningsSayThatTheyAre() {
    var diagnostics = Diagnostics()
    diagnostics.warning("ambiguous_value", "x: \"no\" is text here", at: nil)
    let text = DiagnosticRenderer(Loaded("a: 1").load.source).render(diagnostics)
    #expect(text == "job.yaml: warning: ambiguous_value: x: \"no\" is text here\n")
  }
}
