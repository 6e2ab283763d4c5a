import SluiceCore
import SluiceJSON

/// The last runs of each job, in the state database.
enum SavedRuns {
  /// How many runs of a job are kept.
  static let most = 50

  /// Adds a run and drops those that are too many.
  static func add(_ run: RunRecord, on connection: Connection) throws {
    let last = try connection.first("SELECT max(number) FROM runs WHERE job = ?", .text(run.job)) { $0.int(0) } ?? 0
    try connection.run(
      "INSERT INTO runs (job, number, run) VALUES (?, ?, ?)", .text(run.job), .int(last + 1),
      .text(JSON.text(run.savedForm)))
    try connection.run(
      "DELETE FROM runs WHERE job = ? AND number <= ?", .text(run.job), .int(last + 1 - Int64(most)))
  }

  /// The newest runs of each job, by the jobs' names.
  static func newest(_ limit: Int, path: String, on connection: Connection) throws -> [RunRecord] {
    try connection.all(
      """
      SELECT run FROM (
        SELECT job, number, run, row_number() OVER (PARTITION BY job ORDER BY number DESC) AS place FROM runs)
      WHERE place <= ? ORDER BY job, number DESC
      """, .int(Int64(limit))
    ) { row in
      do {
        return try RunRecord(savedForm: try JSON.parse(row.text(0)))
      } catch let error as SluiceError {
        throw SluiceError(
          .invalidState, "a run of the state database is damaged: \(error.message)", at: Place(file: path),
          hint: "it was left as it is; restore the state from a copy, or move it away to begin anew")
      }
    }
  }
}
