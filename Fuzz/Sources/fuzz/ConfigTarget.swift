import SluiceBuiltin
import SluiceConfig
import SluiceCore
import SluiceEngine

/// A configuration: the YAML, its shape, and the settings of the components it names.
enum ConfigTarget {
  private static let path = "fuzz.yaml"
  private static let secret = "m4rker-7d1f9c"

  private static let inputs = ConfigInputs(
    variable: { (name) throws(SluiceError) in name == "SECRET" ? secret : name == "EMPTY" ? "" : nil },
    file: { (path, _) throws(SluiceError) in
      if path.hasSuffix("secret.txt") { return Array(secret.utf8) }
      throw SluiceError(.io, "cannot read \(path): No such file or directory")
    })

  static func check(_ bytes: [UInt8]) {
    let load = ConfigFile.read(bytes, path: path, job: JobPlan.schema, inputs: inputs)
    var diagnostics = load.diagnostics
    for job in load.file?.jobs ?? [] {
      var own = Diagnostics()
      let plan = JobPlan(name: job.name, at: job.mark, job.node, catalog: .builtin, into: &own)
      expect(plan != nil || own.hasErrors || diagnostics.hasErrors, "a job without a plan has an error")
      diagnostics.add(contentsOf: own)
    }
    expect(load.file != nil || diagnostics.hasErrors, "a file that cannot be used has an error")
    for problem in diagnostics.all { checkPlaces(of: problem, in: load.source) }
    let shown = DiagnosticRenderer(load.source).render(diagnostics)
    if !contains(bytes, Array(secret.utf8)) {
      expect(!shown.contains(secret), "what comes from outside is not shown:\n\(shown)")
    }
    checkByteOrderMark(bytes, load)
    if let file = load.file, !load.diagnostics.hasErrors { checkRoundTrip(file) }
  }

  private static func checkPlaces(of problem: Diagnostic, in source: SourceText) {
    for mark in [problem.mark].compactMap({ $0 }) + problem.notes.map(\.mark) {
      expect(mark.file == path, "the file of \(problem)")
      expect(mark.line >= 1 && mark.column >= 1, "places count from 1: \(problem)")
      // The end of the file may be the place: behind its last line.
      guard let line = source.line(mark.line) else {
        expect(mark.line == 1 || source.line(mark.line - 1) != nil, "a line of the file: \(problem)")
        continue
      }
      expect(mark.column <= line.unicodeScalars.count + 1, "a column of the line: \(problem)")
    }
    expect(!problem.message.isEmpty && !problem.code.isEmpty, "an error says what it is")
  }

  /// A byte order mark in front changes nothing.
  private static func checkByteOrderMark(_ bytes: [UInt8], _ load: ConfigLoad) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.count > 4_000_000 { return }
    let marked = ConfigFile.read([0xEF, 0xBB, 0xBF] + bytes, path: path, job: JobPlan.schema, inputs: inputs)
    expect(marked.diagnostics.all == load.diagnostics.all, "a byte order mark changes nothing")
    expect(marked.file?.jobs.map(\.node.sketch) == load.file?.jobs.map(\.node.sketch), "nor the jobs")
  }

  /// The jobs, written out without defaults, anchors and outside values, read as the same.
  private static func checkRoundTrip(_ file: ConfigFile) {
    let jobs = file.jobs.map { "? \(quoted($0.name)) : \(yaml($0.node))" }.joined(separator: ", ")
    let text = "{version: 1, jobs: {\(jobs)}}"
    if text.utf8.count > 1_000_000 { return }
    let again = ConfigFile.read(Array(text.utf8), path: path, job: JobPlan.schema, inputs: inputs)
    expect(
      again.file?.jobs.map(\.node.sketch) == file.jobs.map(\.node.sketch),
      "written and read: \(text)\n\(DiagnosticRenderer(again.source).render(again.diagnostics))")
  }

  private static func yaml(_ node: ConfigNode) -> String {
    switch node.content {
    case .scalar(let scalar): scalar.isPlain && isWord(scalar.text) ? scalar.text : quoted(scalar.text)
    case .sequence(let items): "[\(items.map(yaml).joined(separator: ", "))]"
    case .mapping(let entries):
      "{\(entries.map { "? \(quoted($0.key)) : \(yaml($0.value))" }.joined(separator: ", "))}"
    }
  }

  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.replacing("${", with: "$${").unicodeScalars {
      if scalar.value < 0x7F, scalar.value >= 0x20, scalar != "\"", scalar != "\\" {
        result.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      }
    }
    return result + "\""
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
  }
}

extension ConfigNode {
  /// The tree without places and quotes.
  fileprivate var sketch: String {
    switch content {
    case .scalar(let scalar): "'\(scalar.text.debugDescription)'"
    case .sequence(let items): "[\(items.map(\.sketch).joined(separator: ", "))]"
    case .mapping(let entries):
      "{\(entries.map { "\($0.key.debugDescription): \($0.value.sketch)" }.joined(separator: ", "))}"
    }
  }
}
