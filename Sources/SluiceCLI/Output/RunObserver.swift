import SluiceCore
import SluiceEngine
import Synchronization

/// Shows the events of runs: a moving line and a report for people, JSON Lines for programs.
final class RunObserver: Sendable {
  private let console: Console
  private let style: Invocation.LogStyle
  /// Notes that were written while the job ran: its report does not say them again.
  private let told = Mutex<Set<String>>([])
  private let lastDraw = Mutex(ContinuousClock.now - .seconds(1))

  init(_ console: Console, style: Invocation.LogStyle) {
    self.console = console
    self.style = style
  }

  /// Takes one event.
  func observe(_ event: RunEvent) {
    if style == .json {
      console.line(EventJSON.line(event, at: WallClock.now()))
      return
    }
    switch event {
    case .started(let job, _, let resumed):
      if resumed > 0 { console.line("\(job): going on after page \(resumed)") }
    case .endpoint(let job, let component, let endpoint, let origin):
      console.line("\(job): \(component) at \(endpoint) (from \(origin))")
    case .progress(let job, let counters, let known): draw(job, counters, known)
    case .retry(let job, let attempt, let delay, let error):
      console.line(
        "\(job): \(console.paint("retry", .yellow)) after try \(attempt), in \(ReportText.seconds(delay)): \(error.message)"
      )
    case .notice(let job, let text):
      told.withLock { _ = $0.insert(text) }
      console.line("\(job): \(text)")
    case .rejected(let job, let rejection):
      console.line(
        "\(job): \(console.paint("left out", .yellow)) \(rejection.key): \(rejection.error.message)"
          + (rejection.error.place.field.map { " (field \($0))" } ?? ""))
    case .unreadable(let job, let error):
      console.line(
        "\(job): \(console.paint("left out", .yellow)) \(error.place.whereToRead): \(error.message)")
    case .published(let job, let sink, let documents, let wasCurrent):
      console.line(
        wasCurrent
          ? "\(job): \(sink) shows these \(documents) documents already"
          : "\(job): \(sink) shows \(documents) documents")
    case .ended(var report):
      let told = told.withLock { told in
        defer { told = [] }
        return told
      }
      report.notes.removeAll { told.contains($0) }
      for line in ReportText.lines(report, console) { console.line(line) }
    }
  }

  /// A signal came.
  func stopping(_ signal: Int32) {
    if style == .json {
      line("stopping", [Field("signal", .int(Int64(signal)))])
    } else {
      console.line("stopping after the page in hand; a second signal leaves at once")
    }
  }

  /// Something keeps the run from beginning.
  func error(_ error: SluiceError) {
    if style == .json { line("error", [Field("error", ReportJSON.value(error))]) } else { console.error(error) }
  }

  /// Something worth a line that belongs to no job.
  func notice(_ text: String) {
    if style == .json { line("notice", [Field("text", .string(text))]) } else { console.line(text) }
  }

  /// Jobs that were named, and were not begun because of a signal.
  func notRun(_ jobs: [String]) {
    if style == .json {
      line("not_run", [Field("jobs", .array(jobs.map(Value.string)))])
    } else {
      console.line("not run: \(jobs.joined(separator: ", "))")
    }
  }

  /// What is wrong with a configuration.
  func show(_ text: DiagnosticText) {
    if style == .json { for problem in text.problems { line("diagnostic", problem) } } else { text.print() }
  }

  private func line(_ event: String, _ fields: [Field]) {
    console.line(EventJSON.line(event, fields, at: WallClock.now()))
  }

  private func draw(_ job: String, _ counters: Checkpoint.Counters, _ known: Int?) {
    guard console.isTerminal else { return }
    let now = ContinuousClock.now
    let isDue = lastDraw.withLock { last in
      guard now - last >= .milliseconds(100) else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    var text = "\(job): page \(counters.pages), \(counters.documents) documents"
    if let known, known > 0 { text += " of about \(known) (\(min(100, counters.documents * 100 / known)) %)" }
    console.moving(text)
  }
}

extension Place {
  /// The file with line and column, and the offset into it.
  fileprivate var whereToRead: String {
    Place(file: file, line: line, column: column, byteOffset: byteOffset).description
  }
}
