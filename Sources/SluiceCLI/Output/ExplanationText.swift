import SluiceCore
import SluiceJSON

/// What counts in a job, as text or JSON.
enum ExplanationText {
  typealias Part = (title: String, mark: Mark?, settings: [ExplainedSetting])

  /// One line for each setting: its path, its value, and where that came from.
  static func text(_ part: Part) -> String {
    let rows = part.settings.map { setting in
      (
        "  " + setting.path.joined(separator: "."),
        shortened(setting.value ?? "not set"), origin(setting)
      )
    }
    let left = rows.map(\.0.count).max() ?? 0
    let middle = min(44, rows.map(\.1.count).max() ?? 0)
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    var lines = ["\(part.title)\(part.mark.map { " (\($0))" } ?? "")"]
    lines += rows.map { row in
      let start = "\(padded(row.0, left))  "
      return row.2.isEmpty ? start + row.1 : "\(start)\(padded(row.1, middle))  \(row.2)"
    }
    return lines.joined(separator: "\n") + "\n\n"
  }

  /// An array with one object for each job.
  static func json(_ parts: [Part]) -> String {
    let jobs = parts.map { part in
      Value.map(
        [Field("job", .string(part.title))] + fields(part.mark) + [
          Field("settings", .array(part.settings.map(value)))
        ])
    }
    return JSON.text(.array(jobs)) + "\n"
  }

  private static func value(_ setting: ExplainedSetting) -> Value {
    var fields = [
      Field("setting", .string(setting.path.joined(separator: "."))),
      Field("value", setting.value.map(Value.string) ?? .null),
    ]
    if let expression = setting.expression { fields.append(Field("expression", .string(expression))) }
    switch setting.origin {
    case .file(let mark): fields += [Field("origin", .string("job"))] + self.fields(mark)
    case .inherited(let mark): fields += [Field("origin", .string("defaults"))] + self.fields(mark)
    case .builtIn: fields.append(Field("origin", .string("built_in")))
    case .chosen: fields.append(Field("origin", .string("chosen")))
    }
    return .map(fields)
  }

  private static func fields(_ mark: Mark?) -> [Field] {
    guard let mark else { return [] }
    return [
      Field("file", .string(mark.file)), Field("line", .int(Int64(mark.line))),
      Field("column", .int(Int64(mark.column))),
    ]
  }

  private static func origin(_ setting: ExplainedSetting) -> String {
    let isEmpty = setting.expression != nil && setting.expression != setting.value
    let empty = isEmpty ? ", \(setting.expression ?? "") is empty" : ""
    return switch setting.origin {
    case .file(let mark): "\(mark)\(empty)"
    case .inherited(let mark): "\(mark) (defaults)\(empty)"
    case .builtIn: setting.value == nil ? "" : "built-in default"
    case .chosen(let why): why
    }
  }

  /// The first line, cut where it is long.
  private static func shortened(_ text: String) -> String {
    let line = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return line.count > 60 || line.count < text.count ? line.prefix(60) + "…" : text
  }
}
