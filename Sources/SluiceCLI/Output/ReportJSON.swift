import SluiceCore
import SluiceEngine
import SluiceJSON

/// Run reports as JSON. The names are stable.
enum ReportJSON {
  /// An array of reports, with a newline.
  static func text(_ reports: [RunReport]) -> String {
    String(decoding: JSON.encode(.array(reports.map { .map(fields($0)) })), as: UTF8.self) + "\n"
  }

  /// One report.
  static func fields(_ report: RunReport) -> [Field] {
    var fields = [
      Field("job", .string(report.job)), Field("outcome", .string(report.outcome.word)),
      Field("exit_code", .int(Int64(report.exitCode))), Field("duration_ms", .int(milliseconds(report.duration))),
    ]
    if case .failed(let error) = report.outcome { fields.append(Field("error", value(error))) }
    fields += self.fields(report.counters)
    fields += [
      Field("resumed_pages", .int(Int64(report.resumedPages))),
      Field("requests_this_run", .int(Int64(report.spending.requests))),
      Field("reads_this_run", .int(Int64(report.spending.reads))),
      Field("sinks", .array(report.sinks.map(value))), Field("notes", .array(report.notes.map(Value.string))),
    ]
    return fields
  }

  /// The counters, each under its own name.
  static func fields(_ counters: Checkpoint.Counters) -> [Field] {
    [
      ("pages", counters.pages), ("documents", counters.documents), ("dropped", counters.dropped),
      ("reads", counters.reads), ("bytes", counters.bytes), ("writes", counters.writes),
      ("deletes", counters.deletes), ("unchanged", counters.unchanged), ("rejects", counters.rejects),
      ("retries", counters.retries),
    ].map { Field($0.0, .int(Int64($0.1))) }
  }

  /// An error with its place.
  static func value(_ error: SluiceError) -> Value {
    var fields = [Field("code", .string(error.code.name)), Field("message", .string(error.message))]
    let place = error.place.description
    if !place.isEmpty { fields.append(Field("at", .string(place))) }
    if let hint = error.hint { fields.append(Field("hint", .string(hint))) }
    return .map(fields)
  }

  /// A duration in whole milliseconds.
  static func milliseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
  }

  private static func value(_ sink: RunReport.Sink) -> Value {
    .map([
      Field("name", .string(sink.name)), Field("staged", .int(Int64(sink.staged))),
      Field("writes", .int(Int64(sink.writes))),
      Field("deletes", .int(Int64(sink.deletes))), Field("unchanged", .int(Int64(sink.unchanged))),
      Field("published", .bool(sink.isPublished)), Field("was_current", .bool(sink.wasCurrent)),
    ])
  }
}
