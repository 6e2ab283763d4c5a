import SluiceConfig
import SluiceCore
import SluiceJSON

/// The problems of a configuration file, as text or JSON.
struct DiagnosticText {
  private let reading: Project.Reading
  private let console: Console

  init(_ reading: Project.Reading, _ console: Console) {
    self.reading = reading
    self.console = console
  }

  /// Writes all problems, and how many there are.
  func print() {
    let all = reading.diagnostics.sorted
    guard !all.isEmpty else { return }
    let renderer = DiagnosticRenderer(reading.source, color: console.isTerminal)
    for diagnostic in all { console.line(renderer.render(diagnostic)) }
    let errors = all.count { $0.severity == .error }
    let warnings = all.count - errors
    var counts: [String] = []
    if errors > 0 { counts.append("\(errors) \(errors == 1 ? "error" : "errors")") }
    if warnings > 0 { counts.append("\(warnings) \(warnings == 1 ? "warning" : "warnings")") }
    console.line("\(reading.source.file): \(counts.joined(separator: ", "))")
  }

  /// A JSON array, one object for each problem.
  var json: String {
    String(decoding: JSON.encode(.array(problems.map(Value.map))), as: UTF8.self) + "\n"
  }

  /// The fields of each problem.
  var problems: [[Field]] {
    reading.diagnostics.sorted.map { diagnostic in
      var fields = [
        Field("severity", .string(diagnostic.severity.rawValue)), Field("code", .string(diagnostic.code)),
        Field("message", .string(diagnostic.message)),
      ]
      if let mark = diagnostic.mark {
        fields += [
          Field("file", .string(mark.file)), Field("line", .int(Int64(mark.line))),
          Field("column", .int(Int64(mark.column))),
        ]
      }
      if let suggestion = diagnostic.suggestion { fields.append(Field("suggestion", .string(suggestion))) }
      if let hint = diagnostic.hint { fields.append(Field("hint", .string(hint))) }
      return fields
    }
  }
}
