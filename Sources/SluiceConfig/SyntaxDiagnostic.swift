import SluiceCore

extension SyntaxError {
  /// The error in plain words, with what can be done.
  func diagnostic(in source: SourceText) -> Diagnostic {
    if let tab = Self.indentingTab(mark.line, in: source) {
      return Diagnostic(
        .error, "syntax", "tab used for indentation at \(tab.line):\(tab.column)", at: tab, hint: "indent with spaces")
    }
    let (message, hint) = explanation(in: source)
    var notes: [Diagnostic.Note] = []
    if let contextMark, let what = Self.begun.first(where: { context?.contains($0.key) == true })?.value,
      contextMark != mark
    {
      notes.append(Diagnostic.Note("\(what) begins here", at: contextMark))
    }
    return Diagnostic(.error, "syntax", message, at: mark, hint: hint, notes: notes)
  }

  /// The place of a tab before the first other character of a line.
  private static func indentingTab(_ line: Int, in source: SourceText) -> Mark? {
    guard let text = source.line(line)?.unicodeScalars else { return nil }
    let indentation = text.prefix { $0 == " " || $0 == "\t" }
    guard indentation.count < text.count, let tab = indentation.firstIndex(of: "\t") else { return nil }
    let column = text.distance(from: text.startIndex, to: tab) + 1
    return Mark(file: source.file, line: line, column: column)
  }

  private func explanation(in source: SourceText) -> (message: String, hint: String?) {
    if value != nil, problem == "control characters are not allowed" {
      return ("a control character (\(Self.codePoint(value))) is not allowed here", "write it as an escape in quotes")
    }
    if problem == "did not find expected key", isBehindQuote(in: source) {
      return ("text behind a closing quote", "write '' for a quote inside of '…', and \\\" for one inside of \"…\"")
    }
    if let words = Self.words[problem] { return (words.message, words.hint) }
    return (context.map { "\(problem) \($0)" } ?? problem, nil)
  }

  /// Whether a quote closes just before the place, on the same line.
  private func isBehindQuote(in source: SourceText) -> Bool {
    let before = source.line(mark.line)?.unicodeScalars.prefix(mark.column - 1).last { $0 != " " }
    return before == "'" || before == "\""
  }

  private typealias Words = (message: String, hint: String)

  /// libyaml's words, in the reader's. What is not here is rare, and shown as it is.
  private static let words: [String: Words] = [
    "mapping values are not allowed in this context": (
      "\":\" is not expected here", "quote text that contains \": \", or check the indentation"
    ),
    "block sequence entries are not allowed in this context": (
      "a list cannot begin here", "begin it on a line of its own, or quote text that begins with \"- \""
    ),
    "did not find expected key": (
      "expected a key", "the indentation must be that of the keys above, and a list item needs its \"- \""
    ),
    "did not find expected '-' indicator": (
      "expected a list item", "the indentation must be that of the items above"
    ),
    "could not find expected ':'": ("expected \":\" after a key", "write KEY: VALUE"),
    "did not find expected ',' or ']'": ("expected \",\" or \"]\"", "close the list with \"]\""),
    "did not find expected ',' or '}'": (
      "expected \",\" or \"}\"", "close the mapping with \"}\", and quote ${…} inside of it"
    ),
    "did not find expected node content": ("expected a value", "close what is open, or quote the text"),
    "did not find expected <document start>": ("expected the end of the file", "nothing may follow the \"...\""),
    "did not find expected alphabetic or numeric character": (
      "expected a name after \"*\" or \"&\"", "quote text that begins with \"*\" or \"&\""
    ),
    "did not find expected comment or line break": (
      "nothing may follow \"|\" or \">\" on its line", "begin the text on the next line, or quote it"
    ),
    "did not find expected hexdecimal number": (
      "an escape lacks hexadecimal digits", "\\x takes 2 of them, \\u takes 4, \\U takes 8"
    ),
    "found unexpected end of stream": ("the file ends inside of quoted text", "close the quotes"),
    "found unknown escape character": (
      "unknown escape in double quotes", "write \\\\ for a backslash, or use single quotes"
    ),
    "found character that cannot start any token": ("text cannot begin with this character", "quote the text"),
    "found incompatible YAML document": ("this version of YAML is not known", "remove the %YAML line"),
  ]

  /// What libyaml calls the thing it was in, and what a reader calls it.
  private static let begun: KeyValuePairs<String, String> = [
    "quoted scalar": "the quoted text", "flow mapping": "the mapping", "flow sequence": "the list",
    "block mapping": "the mapping", "block collection": "the list", "simple key": "the key",
  ]

  private static func codePoint(_ value: Int?) -> String {
    let digits = String(value ?? 0, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
