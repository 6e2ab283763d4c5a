import SluiceCore

/// The pages of one job that wait for sinks, a row each.
///
/// A row's id is the job's id times 2^40 and the page's number. Each row knows how many bytes came before it, so that
/// how much waits for a sink is told by the first row and the last.
struct SavedSpool {
  private static let bits: Int64 = 40
  private let job: Int64

  init(ofJob job: Int64) { self.job = job }

  /// The spool of a named job; nil where nothing of it was saved yet.
  init?(ofJob name: String, on connection: Connection) throws {
    let id = try connection.first("SELECT id FROM main.jobs WHERE name = ?", .text(name)) { $0.int(0) }
    guard let id else { return nil }
    self.init(ofJob: id)
  }

  private func id(of sequence: UInt64) -> Binding {
    .int(job << Self.bits + Int64(min(sequence, 1 << Self.bits - 1)))
  }
  private var last: Binding { id(of: .max) }

  /// Removes what is left of other generations.
  func prune(except generation: UInt64, on connection: Connection) throws {
    try connection.run(
      "DELETE FROM spool WHERE id > ? AND id <= ? AND generation <> ?", id(of: 0), last,
      .int(Int64(bitPattern: generation)))
  }

  /// Removes the pages up to one.
  func remove(through sequence: UInt64, on connection: Connection) throws {
    try connection.run("DELETE FROM spool WHERE id > ? AND id <= ?", id(of: 0), id(of: sequence))
  }

  /// Adds a page.
  func add(_ page: SpooledBatch, sequence: UInt64, generation: UInt64, on connection: Connection) throws {
    let insert = try connection.statement(
      """
      INSERT INTO spool (id, generation, start, size, marks, lines)
      VALUES (?1, ?2, COALESCE((SELECT start + size FROM spool WHERE id > ?3 AND id < ?1 ORDER BY id DESC LIMIT 1), 0),
        ?4, ?5, ?6)
      """)
    try insert.bind([
      id(of: sequence), .int(Int64(bitPattern: generation)), id(of: 0), .int(Int64(page.size)),
      page.marks.isEmpty ? .null : .blob(page.marks),
    ])
    try page.lines.withUnsafeBufferPointer {
      try insert.lend(6, blob: $0)
      try insert.run()
    }
  }

  /// The first page after another.
  func first(
    after sequence: UInt64, generation: UInt64, on connection: Connection
  ) throws -> (sequence: UInt64, page: SpooledBatch)? {
    let base = job << Self.bits
    return try connection.first(
      "SELECT id, marks, lines FROM spool WHERE id > ? AND id <= ? AND generation = ? ORDER BY id LIMIT 1",
      id(of: sequence), last, .int(Int64(bitPattern: generation))
    ) { row in
      (UInt64(row.int(0) - base), SpooledBatch(lines: row.blob(2), marks: row.isNull(1) ? [] : row.blob(1)))
    }
  }

  /// How many bytes the pages after one take.
  func size(after sequence: UInt64, generation: UInt64, on connection: Connection) throws -> Int {
    let edge = { (sql: String) in
      try connection.first(
        "SELECT \(sql) LIMIT 1", self.id(of: sequence), self.last, .int(Int64(bitPattern: generation))
      ) { Int($0.int(0)) } ?? 0
    }
    let range = "FROM spool WHERE id > ? AND id <= ? AND generation = ? ORDER BY id"
    return try edge("start + size \(range) DESC") - edge("start \(range)")
  }
}
