import SluiceCore
import SluiceEngine
import SluiceJSON

/// Plans and estimates, for people and for programs.
enum PlanText {
  /// The lines of a plan.
  static func text(_ plan: PlanReport) -> String {
    let run = plan.run
    var lines = ["\(run.job): \(head(plan))"]
    if case .failed(let error) = run.outcome {
      if !error.place.description.isEmpty { lines.append("  at      \(error.place)") }
      if let hint = error.hint { lines.append("  hint    \(hint)") }
    }
    lines.append("  read    \(counted(run.counters.pages, "page")), \(counted(run.counters.documents, "document"))")
    for sink in plan.sinks { lines += self.lines(sink) }
    if run.counters.dropped > 0 { lines.append("  dropped \(run.counters.dropped) by transforms") }
    if run.counters.rejects > 0 { lines.append("  rejects \(run.counters.rejects)") }
    lines.append("  reads   \(reads(plan))")
    for note in run.notes { lines.append("  note    \(note)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ plan: PlanReport) -> String {
    switch plan.run.outcome {
    case .completed where !plan.sinks.isEmpty && plan.sinks.allSatisfy(\.isCurrent): "nothing to do"
    case .completed: "a run would do this"
    case .completedWithRejects: "a run would do this, and leave \(plan.run.counters.rejects) documents out"
    case .interrupted: "stopped before the plan was done"
    case .failed(let error):
      error.code.category == .guardRefusal
        ? "a run would be refused: \(error.code): \(error.message)"
        : "a run would fail: \(error.code): \(error.message)"
    }
  }

  private static func lines(_ sink: PlanReport.Sink) -> [String] {
    let head = "  sink    \(sink.name): "
    if !sink.isCompared { return [head + "\(sink.adds) documents staged; what that would change is not known"] }
    var text = "+\(sink.adds) ~\(sink.updates) −\(sink.deletes) =\(sink.unchanged)"
    if sink.mode == .append { text += ", added to what is there" }
    if sink.mode == .replace { text += sink.isCurrent ? ", left as it is" : ", replaced as a whole" }
    let keys = [("+", sink.keys.adds), ("~", sink.keys.updates), ("−", sink.keys.deletes)]
    return [head + text] + keys.flatMap { sign, keys in keys.map { "            \(sign) \($0)" } }
  }

  private static func reads(_ plan: PlanReport) -> String {
    let spent = plan.run.spending
    if spent.reads == 0 { return "none are billed" }
    return "\(spent.reads) billed for this plan; a run reads about as many again"
  }

  /// The line of an estimate.
  static func text(_ estimate: Estimate) -> String {
    if let error = estimate.error {
      return "\(estimate.job): no estimate: \(error.code): \(error.message)\n"
        + (error.hint.map { "  hint    \($0)\n" } ?? "")
    }
    guard let documents = estimate.documents else {
      return "\(estimate.job): not known: the source cannot count, and no listing has ended yet\n"
    }
    let basis = estimate.basis == .counted ? "as the source counts" : "as of the last listing"
    let reads = estimate.reads.map { $0 == 0 ? "no billed reads" : "about \(counted($0, "billed read"))" }
    return
      "\(estimate.job): about \(counted(documents, "document")), \(basis); a run costs \(reads ?? "an unknown number of reads")"
      + (estimate.billedReads > 0 ? "; asking cost \(estimate.billedReads)" : "") + "\n"
  }
}

extension PlanText {
  /// Plans as a JSON array. The names are stable.
  static func json(_ plans: [PlanReport]) -> String { text(.array(plans.map(value))) }

  /// Estimates as a JSON array.
  static func json(_ estimates: [Estimate]) -> String { text(.array(estimates.map(value))) }

  private static func text(_ value: Value) -> String { String(decoding: JSON.encode(value), as: UTF8.self) + "\n" }

  private static func value(_ plan: PlanReport) -> Value {
    let run = plan.run
    var fields = [
      Field("job", .string(run.job)), Field("outcome", .string(run.outcome.word)),
      Field("exit_code", .int(Int64(plan.exitCode))),
    ]
    if case .failed(let error) = run.outcome { fields.append(Field("error", ReportJSON.value(error))) }
    fields += [
      ("pages", run.counters.pages), ("documents", run.counters.documents), ("dropped", run.counters.dropped),
      ("rejects", run.counters.rejects), ("requests_of_plan", run.spending.requests),
      ("reads_of_plan", run.spending.reads), ("reads_of_run", run.spending.reads),
    ].map { Field($0.0, .int(Int64($0.1))) }
    fields.append(Field("sinks", .array(plan.sinks.map(value))))
    fields.append(Field("notes", .array(run.notes.map(Value.string))))
    return .map(fields)
  }

  private static func value(_ sink: PlanReport.Sink) -> Value {
    func list(_ keys: [Key]) -> Value { .array(keys.map { .string($0.description) }) }
    var fields = [Field("name", .string(sink.name)), Field("publish", .string(sink.mode.rawValue))]
    fields += [
      ("adds", sink.adds), ("updates", sink.updates), ("deletes", sink.deletes), ("unchanged", sink.unchanged),
    ].map { Field($0.0, .int(Int64($0.1))) }
    fields += [Field("compared", .bool(sink.isCompared)), Field("current", .bool(sink.isCurrent))]
    let keys = sink.keys
    if !(keys.adds + keys.updates + keys.deletes).isEmpty {
      fields.append(
        Field(
          "keys",
          .map([
            Field("adds", list(keys.adds)), Field("updates", list(keys.updates)), Field("deletes", list(keys.deletes)),
          ])))
    }
    return .map(fields)
  }

  private static func value(_ estimate: Estimate) -> Value {
    var fields = [
      Field("job", .string(estimate.job)), Field("exit_code", .int(Int64(estimate.exitCode))),
      Field("basis", .string(estimate.basis.rawValue)),
    ]
    if let error = estimate.error { fields.append(Field("error", ReportJSON.value(error))) }
    if let documents = estimate.documents { fields.append(Field("documents", .int(Int64(documents)))) }
    if let reads = estimate.reads { fields.append(Field("reads_of_run", .int(Int64(reads)))) }
    fields.append(Field("reads_of_estimate", .int(Int64(estimate.billedReads))))
    return .map(fields)
  }
}
