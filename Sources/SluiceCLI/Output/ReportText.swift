import SluiceCore
import SluiceEngine

/// A run's report for people.
enum ReportText {
  /// The lines of a report.
  static func lines(_ report: RunReport, _ console: Console) -> [String] {
    var lines: [String] = []
    let counters = report.counters
    let name = console.paint(report.job, .bold)
    switch report.outcome {
    case .completed: lines.append("\(name): \(console.paint("done", .green)) in \(seconds(report.duration))")
    case .completedWithRejects:
      lines.append(
        "\(name): \(console.paint("done, \(counters.rejects) left out", .yellow)) in \(seconds(report.duration))")
    case .interrupted:
      lines.append("\(name): \(console.paint("stopped", .yellow)); run again to go on after page \(counters.pages)")
    case .failed(let error): lines += failure(error, name, console)
    }
    lines.append(
      "  read    \(count(counters.pages, "page")), \(count(counters.documents, "document")), \(bytes(counters.bytes)); "
        + "this run: \(count(report.spending.requests, "request"))"
        + (report.spending.reads > 0 ? ", \(count(report.spending.reads, "billed read"))" : "")
        + (report.resumedPages > 0 ? "; \(report.resumedPages) pages were there from before" : ""))
    if counters.dropped > 0 { lines.append("  dropped \(counters.dropped) by transforms") }
    for sink in report.sinks { lines.append("  \(self.line(sink, report))") }
    if counters.retries > 0 { lines.append("  retries \(counters.retries)") }
    if counters.rejects > 0 { lines.append("  rejects \(counters.rejects)") }
    for note in report.notes { lines.append("  note    \(note)") }
    return lines
  }

  private static func line(_ sink: RunReport.Sink, _ report: RunReport) -> String {
    let head = "sink    \(sink.name): "
    if sink.isStaged, !sink.isPublished, !sink.wasCurrent {
      return head + "\(sink.staged) documents staged, nothing published" + spooled(sink)
    }
    var text = head + "\(sink.writes) writes, \(sink.deletes) deletes, \(sink.unchanged) unchanged"
    if sink.isPublished { text += ", published" }
    if sink.wasCurrent { text += ", left as it was" }
    return text + spooled(sink)
  }

  private static func spooled(_ sink: RunReport.Sink) -> String {
    sink.spooled > 0 ? "; up to \(bytes(sink.spooled)) waited for it" : ""
  }

  private static func failure(_ error: SluiceError, _ name: String, _ console: Console) -> [String] {
    var lines = ["\(name): \(console.paint("failed", .red)): \(error.code): \(error.message)"]
    let place = error.place.description
    if !place.isEmpty { lines.append("  at      \(place)") }
    if let hint = error.hint { lines.append("  hint    \(hint)") }
    for cause in error.causes { lines.append("  because \(cause.code): \(cause.message)") }
    return lines
  }

  private static func count(_ number: Int, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }

  /// A duration in seconds or milliseconds.
  static func seconds(_ duration: Duration) -> String {
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    return milliseconds < 10_000
      ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
  }

  /// A size in the largest unit that leaves at least one digit.
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(count) bytes"
    case ..<10_000_000: "\(count / 1000) KB"
    default: "\(count / 1_000_000) MB"
    }
  }
}
