import SluiceCore

/// Where jobs stand, and their last runs, for people.
enum StateText {
  /// Checkpoints, a few lines each.
  static func text(_ checkpoints: [Checkpoint], isAll: Bool) -> String {
    if checkpoints.isEmpty { return isAll ? "no job has saved state\n" : "no saved state of these jobs\n" }
    return checkpoints.map(text).joined()
  }

  private static func text(_ checkpoint: Checkpoint) -> String {
    let counters = checkpoint.counters
    var text = """
      \(checkpoint.job): \(phase(checkpoint)), listing \(checkpoint.listing.generation), \
      saved \(checkpoint.savedAt.map { "\($0)" } ?? "at an unknown time")
        \(counters.pages) pages, \(counters.documents) documents, \(counters.reads) reads, \
      \(counters.writes) writes, \(counters.deletes) deletes, \(counters.rejects) rejects

      """
    if let taint = checkpoint.listing.taint { text += "  without proof: \(taint.detail)\n" }
    for (name, cursor) in checkpoint.sinks.sorted(by: { $0.key < $1.key }) {
      var facts = ["\(cursor.sequence) deliveries confirmed"]
      if let publication = cursor.publication {
        facts.append("\(publication.content.documents) documents published in listing \(publication.generation)")
      }
      text += "  \(name): \(facts.joined(separator: ", "))\n"
    }
    return text
  }

  private static func phase(_ checkpoint: Checkpoint) -> String {
    switch checkpoint.phase {
    case .finished: "finished"
    case .watching: "watching"
    case .snapshot: checkpoint.listing.hasEnded ? "listed, not completed yet" : "in the middle of a listing"
    }
  }

  /// Runs, one line each under their job's name, the newest first.
  static func text(_ runs: [RunRecord]) -> String {
    if runs.isEmpty { return "no runs are known\n" }
    var text = ""
    var job: String?
    for run in runs {
      if run.job != job { text += "\(run.job)\n" }
      job = run.job
      text += "  \(line(run))\n"
    }
    return text
  }

  private static func line(_ run: RunRecord) -> String {
    let started = Timestamp(seconds: run.startedAt.seconds, nanoseconds: 0)
    let counters = run.counters
    let end = run.error ?? run.outcome
    return "\(started)  exit \(run.exitCode)  \(end) in \(ReportText.seconds(.milliseconds(run.milliseconds))), "
      + "listing \(run.generation): \(counters.pages) pages, \(counters.documents) documents, "
      + "\(run.spending.reads) reads, \(counters.writes) writes, \(counters.deletes) deletes"
  }
}
