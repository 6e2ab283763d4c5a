import SluiceCore

extension PagingMatrix {
  /// For a terminal: one line an adapter, conditions below by number.
  package var text: String {
    var notes: [String] = []
    func cell(_ answer: Answer) -> String {
      switch answer {
      case .yes: return "yes"
      case .no: return "no"
      case .with(let conditions):
        let note = conditions.map { "\($0.component) with \($0.setting)" }.joined(separator: ", or ")
        if !notes.contains(note) { notes.append(note) }
        return "(\((notes.firstIndex(of: note) ?? 0) + 1))"
      }
    }
    let table = [[""] + strategies] + rows.map { [$0.adapter] + $0.answers.map(cell) }
    let widths = (0...strategies.count).map { column in table.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in table {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    if !notes.isEmpty { text += "\n" }
    for (index, note) in notes.enumerated() { text += "(\(index + 1)) \(note)\n" }
    return text
  }

  /// For documentation: a table with the conditions in its cells.
  package var markdown: String {
    func cell(_ answer: Answer) -> String {
      switch answer {
      case .yes: "yes"
      case .no: "–"
      case .with(let conditions): "with " + conditions.map { "`\($0.setting)`" }.joined(separator: " or ")
      }
    }
    var text = "| |" + strategies.map { " `\($0)` |" }.joined() + "\n"
    text += "| --- |" + String(repeating: " --- |", count: strategies.count) + "\n"
    for row in rows { text += "| `\(row.adapter)` |" + row.answers.map { " \(cell($0)) |" }.joined() + "\n" }
    return text
  }

  /// For programs: a list of adapter, strategy, whether it is possible, and the settings or the reason.
  package var value: Value {
    .array(
      rows.flatMap { row in
        zip(strategies, row.answers).map { strategy, answer in
          var fields = [Field("adapter", .string(row.adapter)), Field("paging", .string(strategy))]
          switch answer {
          case .yes: fields.append(Field("possible", .bool(true)))
          case .with(let conditions):
            fields.append(Field("possible", .bool(true)))
            let settings = conditions.map {
              Value.map([Field("component", .string($0.component)), Field("setting", .string($0.setting))])
            }
            fields.append(Field("with_one_of", .array(settings)))
          case .no(let reason):
            fields.append(Field("possible", .bool(false)))
            fields.append(Field("reason", .string(reason)))
          }
          return .map(fields)
        }
      })
  }
}
