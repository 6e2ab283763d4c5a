import SluiceCore
import SluiceJSON

/// Gives the state of a job to another name, or forgets it. Within an open transaction, with the job's lock held.
struct StateMove {
  let job: String
  let path: String
  let connection: Connection

  /// Renames: checkpoint, pages, ledgers and runs. Throws `state_conflict` where there is nothing to move, or the other
  /// name has state of its own.
  func rename(to other: String) throws {
    guard let saved = try saved(job) else {
      throw conflict("there is no saved state of a job \(job)", "sluice state show lists the jobs that have some")
    }
    if try self.saved(other) != nil {
      throw conflict(
        "the job \(other) has state of its own", "sluice state reset \(other) forgets it, if it is not needed")
    }
    var checkpoint = try SavedCheckpoint.read(saved.text, path: path)
    checkpoint.job = other
    try connection.run(
      "UPDATE jobs SET name = ?, checkpoint = ? WHERE id = ?", .text(other),
      .text(SavedCheckpoint.text(of: checkpoint)), .int(saved.id))
    try LedgerSchema.state.move(job: job, to: other, on: connection)
    try renameRuns(to: other)
  }

  /// Forgets checkpoint, pages and ledgers.
  func reset() throws {
    if let saved = try saved(job) {
      try SavedPages(ofJob: saved.id).removeAll(on: connection)
      try connection.run("DELETE FROM jobs WHERE id = ?", .int(saved.id))
    }
    try LedgerSchema.state.move(job: job, to: nil, on: connection)
  }

  private func saved(_ job: String) throws -> (id: Int64, text: String)? {
    try connection.first("SELECT id, checkpoint FROM jobs WHERE name = ?", .text(job)) { ($0.int(0), $0.text(1)) }
  }

  /// The name stands in each record too. Runs that the other name had before stay, and are the older ones.
  private func renameRuns(to other: String) throws {
    let records = try connection.all("SELECT run FROM runs WHERE job = ? ORDER BY number", .text(job)) { $0.text(0) }
    try connection.run("DELETE FROM runs WHERE job = ?", .text(job))
    for text in records {
      var record = try RunRecord(savedForm: try JSON.parse(text))
      record.job = other
      try SavedRuns.add(record, on: connection)
    }
  }

  private func conflict(_ message: String, _ hint: String) -> SluiceError {
    SluiceError(.stateConflict, message, at: Place(job: job, file: path), hint: hint)
  }
}
