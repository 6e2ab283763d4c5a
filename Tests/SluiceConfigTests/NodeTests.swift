import Foundation
import SluiceConfig
import SluiceCore
import Testing

@Suite struct NodeTests {
  @Test("C106 words that YAML 1.1 took for booleans are text where text is wanted")
  func wordsAreText() throws {
    let read = Loaded(jobFile("path: no\nnames: [no, on, y, off, yes]")).decode("source", as: Store.self)
    #expect(read.problems == [])
    #expect(read.value?.path == "no" && read.value?.names == ["no", "on", "y", "off", "yes"])
  }

  @Test("C107 leading zeros stay", arguments: ["0510", "08", "12:30", "1_000", "1.0"])
  func leadingZerosStay(text: String) {
    #expect(Loaded(jobFile("path: \(text)")).decode("source", as: Store.self).value?.path == text)
  }

  @Test("C109 null, ~ and nothing are no path", arguments: ["path: null", "path: ~", "path:"])
  func nullIsNoPath(line: String) {
    let read = Loaded(jobFile(line)).decode("source", as: Store.self)
    #expect(read.problems == ["6:9: missing_key: path is required by store"])
    #expect(Loaded(jobFile("path: 'null'")).decode("source", as: Store.self).value?.path == "null")
    #expect(Loaded(jobFile("path: \"~\"")).decode("source", as: Store.self).value?.path == "~")
  }

  @Test("C110 two merge keys are told how to be one")
  func twoMergeKeys() {
    let anchors = "x-a: &one {size: 1}\nx-b: &two {path: p}\n"
    let text = anchors + jobFile("<<: *one\n<<: *two")
    #expect(
      Loaded(text).problems == [
        "9:9: duplicate_key: key \"<<\" is here twice: on line 8 and on line 9 (<<: [*one, *two])"
      ])
    let flow = "x-a: &a {size: 1}\nx-b: &b {path: p}\n" + jobFile("c: {<<: *a, <<: *b}")
    #expect(Loaded(flow).problems.first?.hasSuffix("(<<: [*a, *b])") == true)
  }

  @Test func mergeKeysAddWhatIsNotThere() {
    let text = """
      x-a: &a {path: a, page_size: 1}
      x-b: &b {path: b, names: [n]}
      """ + "\n" + jobFile("<<: [*a, *b]\npage_size: 7")
    let loaded = Loaded(text)
    #expect(loaded.problems == [])
    #expect(loaded.job?["source"]?["store"]?.sketch == "{page_size: 7, path: a, names: [n]}")
    #expect(Loaded(jobFile("<<: {path: c}")).job?["source"]?["store"]?.sketch == "{path: c}")
    #expect(Loaded(jobFile("'<<': x")).job?["source"]?["store"]?.sketch == "{<<: x}")
    #expect(
      Loaded(jobFile("<<: [1]")).problems == ["6:14: merge: << takes a mapping or a list of mappings, found \"1\""])
  }

  @Test("C111 a key that is there twice is an error with both lines")
  func duplicateKeys() throws {
    let loaded = Loaded("version: 1\njobs: {a: {mode: copy}}\nstate: {}\njobs:\n  b: {mode: copy, mode: mirror}\n")
    #expect(
      loaded.problems == [
        "4:1: duplicate_key: key \"jobs\" is here twice: on line 2 and on line 4",
        "5:19: duplicate_key: key \"mode\" is here twice: on line 5 and on line 5",
      ])
    let note = try #require(loaded.load.diagnostics.all.last?.notes.first)
    #expect(note.mark.line == 2 && note.mark.column == 1)
    // Composed and decomposed letters are two keys.
    #expect(Loaded("version: 1\nx-\u{e9}: 1\nx-e\u{301}: 2\njobs: {a: {}}\n").problems == [])
  }

  @Test("C113 alias bombs are refused at once", .timeLimit(.minutes(5)))
  func aliasBombs() {
    var levels = "x-0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...7 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      levels += "x-\(level): &a\(level) [\(aliases)]\n"
    }
    let list = "x-list: &l [\(Array(repeating: "1", count: 1000).joined(separator: ", "))]\n"
    let many = list + "x-many: [\(Array(repeating: "*l", count: 5000).joined(separator: ", "))]\n"
    for text in [levels, many] {
      let start = ContinuousClock.now
      let loaded = Loaded(text)
      #expect(ContinuousClock.now - start < .seconds(1))
      #expect(loaded.problems.count == 1)
      #expect(loaded.problems.first?.hasSuffix("too_many_aliases: too many alias nodes") == true)
      #expect(loaded.load.file == nil)
    }
    // What people write passes.
    #expect(Loaded(list + "x-few: [*l, *l, *l]\n" + jobFile("path: a")).problems == [])
  }

  @Test func depthIsBounded() {
    let flow = String(repeating: "[", count: 100_000)
    #expect(Loaded("x-a: " + flow).problems == ["1:69: too_deep: nested deeper than 64 levels"])
    var chain = "x-0: &a0 [x]\n"
    for level in 1...100 { chain += "x-\(level): &a\(level) [[[[*a\(level - 1)]]]]\n" }
    #expect(Loaded(chain).problems.first?.hasSuffix("too_deep: nested deeper than 64 levels") == true)
  }

  @Test func anchorsMustBeThere() {
    #expect(
      Loaded("x-a: &limits 1\nx-b: *limit\n" + jobFile("path: a")).problems == [
        "2:6: alias: unknown anchor *limit (limits)"
      ])
    #expect(Loaded("x-a: &a [*a]\n").problems == ["1:10: alias: *a contains itself"])
    // What the alias should have been is not asked for again.
    #expect(Loaded(jobFile("path: *p")).decode("source", as: Store.self).problems == ["6:15: alias: unknown anchor *p"])
  }

  @Test("C117 a tab is called a tab, and a second document is refused with its line")
  func tabsAndDocuments() {
    #expect(Loaded("v:\n\tx: 1").problems == ["2:1: syntax: tab used for indentation at 2:1"])
    #expect(Loaded("a:\n  b: 1\n  \tc: 2\n").problems == ["3:3: syntax: tab used for indentation at 3:3"])
    let second = jobFile("path: a") + "---\nversion: 1\n"
    #expect(Loaded(second).problems == ["7:1: many_documents: a second document begins on line 7"])
    #expect(Loaded("---\n" + jobFile("path: a") + "...\n").problems == [])
    #expect(Loaded("%YAML 1.2\n---\n" + jobFile("path: a")).problems == [])
  }

  @Test(arguments: [
    ("a: b: c\n", "1:5: syntax: \":\" is not expected here"),
    ("a: 'x\n", "2:1: syntax: the file ends inside of quoted text"),
    ("a: [1, 2\nb: 1\n", "2:2: syntax: expected \",\" or \"]\""),
    ("a: {b: ${env:X}}\n", "1:9: syntax: expected \",\" or \"}\""),
    ("a: \"\\q\"\n", "1:5: syntax: unknown escape in double quotes"),
    ("a: @x\n", "1:4: syntax: text cannot begin with this character"),
    ("a: 1\n b\n c: 1\n", "3:3: syntax: \":\" is not expected here"),
    ("a:\n  b: 1\n c: 2\n", "3:2: syntax: expected a key"),
    ("a: 'it's'\n", "1:8: syntax: text behind a closing quote"), ("a: - b\n", "1:4: syntax: a list cannot begin here"),
    ("a: x\u{7}y\n", "1:5: syntax: a control character (U+0007) is not allowed here"),
    ("a: !x 1\n", "1:4: tag: tag !x is not supported"), ("a: !!int 1\n", "1:4: tag: tag !!int is not supported"),
    ("? [a]\n: 1\n", "1:3: key: a key must be text"), ("*x : 1\n", "1:1: alias: unknown anchor *x"),
    ("{: 1}\n", "1:2: syntax: expected a value"), ("? \n: 1\n", "1:2: key: there is no key before the \":\""),
    ("&k a: 1\n", "1:1: key: a key takes no anchor and no tag"),
    ("${env:X}: 1\n", "1:1: interpolation: a key cannot be interpolated"),
  ])
  func syntaxErrorsAreToldInPlainWords(text: String, problem: String) {
    #expect(Loaded(text).problems.contains(problem), "\(Loaded(text).problems)")
  }

  @Test func tagsOfText() {
    let text = "version: 1\njobs: !!map\n  a: {source: {store: {names: !!seq [!!str 1, ! 2, 3], path: !!str null}}}\n"
    let loaded = Loaded(text)
    #expect(loaded.problems == [])
    #expect(loaded.job?["source"]?["store"]?.sketch == "{names: ['1', '2', 3], path: 'null'}")
  }

  @Test func encodings() {
    let good = Array(jobFile("path: é").utf8)
    #expect(Loaded(bytes: [0xEF, 0xBB, 0xBF] + good).problems == [])
    #expect(Loaded(bytes: [0xFF, 0xFE, 0x61, 0x00]).problems == ["-: encoding: the file is UTF-16"])
    #expect(Loaded(bytes: [0xFE, 0xFF, 0x00, 0x61]).problems == ["-: encoding: the file is UTF-16"])
    let bad = Array("a: é\nbé: ".utf8) + [0xC3, 0x28]
    #expect(Loaded(bytes: bad).problems == ["2:5: encoding: this byte is not UTF-8"])
    #expect(
      Loaded(bytes: [0x61, 0x3A, 0x20, 0x00]).problems == [
        "1:4: syntax: a control character (U+0000) is not allowed here"
      ])
    let large = Array(repeating: UInt8(ascii: "#"), count: 5_000_000)
    #expect(Loaded(bytes: large).problems == ["-: too_large: the file is larger than 4194304 bytes"])
  }

  @Test func columnsCountCharacters() {
    #expect(Loaded(jobFile("path: é, page_szie: 1")).problems.isEmpty == false)
    let read = Loaded(jobFile("{path: \"éé\", page_szie: 1}")).decode("source", as: Store.self)
    #expect(read.problems == ["6:22: unknown_key: unknown key \"page_szie\" in store (page_size)"])
  }

  @Test func blocksAndFolds() {
    let loaded = Loaded(jobFile("path: |\n  a\n  b\nnames:\n- >-\n  c\n  d\n- 'it''s'\n- \"\\u00e9\\n\""))
    #expect(loaded.problems == [])
    #expect(loaded.job?["source"]?["store"]?.sketch == "{path: 'a\nb\n', names: ['c d', 'it's', '\u{e9}\n']}")
  }

  @Test("C114, C117 every prefix of a good file is a tree or a report")
  func prefixesNeverCrash() throws {
    let text = """
      # comment
      version: 1
      x-a: &a {size: 1, t: "q\\"é"}
      defaults: { limits: { max_delete: 10% } }
      jobs:
        users:
          source: { firestore: { <<: *a, endpoint: "${env:X:-}" } }
          transforms:
            - where: { field: 'it''s', in: [1, ~] }
            - compute: { lua: |
                local r = 1
                return r
              }
          sinks: [ { sqlite: !!map { path: users.db } }, memory ]
      """
    let bytes = Array(text.utf8)
    for count in 0...bytes.count {
      let loaded = Loaded(bytes: Array(bytes[..<count]))
      #expect(loaded.load.file != nil || loaded.load.diagnostics.hasErrors)
      _ = DiagnosticRenderer(loaded.load.source, color: true).render(loaded.load.diagnostics)
    }
    // And every file with one byte wrong.
    for index in bytes.indices {
      for byte in [UInt8](["\0", "\t", "\n", ":", "{", "$", "*"].flatMap(\.utf8)) + [0xFF] {
        var damaged = bytes
        damaged[index] = byte
        let loaded = Loaded(bytes: damaged)
        #expect(loaded.load.file != nil || loaded.load.diagnostics.hasErrors)
        _ = DiagnosticRenderer(loaded.load.source).render(loaded.load.diagnostics)
      }
    }
  }
}
