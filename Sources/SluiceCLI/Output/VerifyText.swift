import SluiceCore
import SluiceEngine
import SluiceJSON

/// What a verification found, for people and for programs.
enum VerifyText {
  /// Keys of each kind that are named where nothing is said.
  static let usualKeys = 10

  /// The lines of a report.
  static func text(_ report: VerifyReport, keys: Int) -> String {
    let run = report.run
    var lines = ["\(run.job): \(head(report))"]
    if case .failed(let error) = run.outcome {
      if !error.place.description.isEmpty, error.code != .differs { lines.append("  at      \(error.place)") }
      if let hint = error.hint, report.repair == nil { lines.append("  hint    \(hint)") }
    }
    lines.append(
      "  read    \(counted(run.counters.pages, "page")), \(counted(run.counters.documents, "document"))"
        + (run.spending.reads > 0 ? ", \(counted(run.spending.reads, "billed read"))" : ""))
    for sink in report.sinks { lines += self.lines(sink, keys: keys) }
    if let repair = report.repair { lines += self.lines(repair) }
    for note in run.notes + (report.repair?.notes ?? []) { lines.append("  note    \(note)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ report: VerifyReport) -> String {
    if let repair = report.repair {
      return repair.exitCode == 0 ? "differed, and is repaired" : "differs, and is not repaired"
    }
    switch report.run.outcome {
    case .completed where report.sinks.contains { !$0.isReadable }: return "the same, as far as sinks can be read back"
    case .completed: return "the same"
    case .completedWithRejects: return "the same, but for \(report.run.counters.rejects) documents that are left out"
    case .interrupted: return "stopped before everything was compared"
    case .failed(let error): return error.code == .differs ? error.message : "\(error.code): \(error.message)"
    }
  }

  private static func lines(_ sink: VerifyReport.Sink, keys: Int) -> [String] {
    let head = "  sink    \(sink.name): "
    guard sink.isReadable else { return [head + "cannot be read back"] }
    let extra = sink.countsExtra ? "\(sink.extra.count) too many" : "\(sink.extra.count) others, which a copy leaves"
    let text = "=\(sink.equal), \(sink.missing.count) missing, \(sink.different.count) different, \(extra)"
    var named = [("missing", sink.missing), ("different", sink.different)]
    if sink.countsExtra { named.append(("too many", sink.extra)) }
    return [head + text]
      + named.flatMap { word, found in
        found.prefix(keys).map { "            \(word) \($0)" }
          + (found.count > keys && keys > 0 ? ["            … and \(found.count - keys) more \(word)"] : [])
      }
  }

  private static func lines(_ repair: RunReport) -> [String] {
    if case .failed(let error) = repair.outcome {
      return ["  repair  \(error.code): \(error.message)"] + (error.hint.map { ["  hint    \($0)"] } ?? [])
    }
    return repair.sinks.map { sink in
      "  repair  \(sink.name): \(sink.writes) writes, \(sink.deletes) deletes\(sink.isPublished ? ", published" : "")"
    }
  }
}

extension VerifyText {
  /// Reports as a JSON array. The names are stable.
  static func json(_ reports: [VerifyReport], keys: Int) -> String {
    String(decoding: JSON.encode(.array(reports.map { value($0, keys) })), as: UTF8.self) + "\n"
  }

  private static func value(_ report: VerifyReport, _ keys: Int) -> Value {
    let run = report.run
    var fields = [
      Field("job", .string(run.job)), Field("outcome", .string(run.outcome.word)),
      Field("exit_code", .int(Int64(report.exitCode))),
    ]
    if case .failed(let error) = run.outcome { fields.append(Field("error", ReportJSON.value(error))) }
    fields += [
      ("pages", run.counters.pages), ("documents", run.counters.documents), ("reads", run.spending.reads),
    ].map { Field($0.0, .int(Int64($0.1))) }
    fields.append(Field("sinks", .array(report.sinks.map { value($0, keys) })))
    if let repair = report.repair { fields.append(Field("repair", .map(ReportJSON.fields(repair)))) }
    fields.append(Field("notes", .array(run.notes.map(Value.string))))
    return .map(fields)
  }

  private static func value(_ sink: VerifyReport.Sink, _ keys: Int) -> Value {
    guard sink.isReadable else {
      return .map([Field("name", .string(sink.name)), Field("readable", .bool(false))])
    }
    func list(_ found: [Key]) -> Value { .array(found.prefix(keys).map { .string($0.description) }) }
    return .map([
      Field("name", .string(sink.name)), Field("readable", .bool(true)), Field("same", .bool(sink.isSame)),
      Field("equal", .int(Int64(sink.equal))), Field("missing", .int(Int64(sink.missing.count))),
      Field("different", .int(Int64(sink.different.count))), Field("extra", .int(Int64(sink.extra.count))),
      Field("extra_counts", .bool(sink.countsExtra)),
      Field(
        "keys",
        .map([
          Field("missing", list(sink.missing)), Field("different", list(sink.different)),
          Field("extra", list(sink.extra)),
        ])),
    ])
  }
}
