import SluiceCore

/// The pages of one job's listing in the state database: a row each, written with the page's checkpoint.
///
/// A row's id is the job's id times 2^40 and a number that rises, so that a job's rows lie together and need no index:
/// with one, each page of a listing would write two pages of the database more.
struct SavedPages {
  private static let bits: Int64 = 40
  private let job: Int64

  init(ofJob job: Int64) { self.job = job }

  /// The pages of a named job; nil where nothing of it was saved yet.
  init?(ofJob name: String, on connection: Connection) throws {
    let id = try connection.first("SELECT id FROM main.jobs WHERE name = ?", .text(name)) { $0.int(0) }
    guard let id else {
      return nil
    }
    self.init(ofJob: id)
  }

  /// Ids of the job's rows are above this one,
  private var before: Int64 { job << Self.bits }
  /// and not above this one.
  private var last: Int64 { (job + 1) << Self.bits - 1 }

  /// Removes what is left of other generations.
  func prune(except generation: UInt64, on connection: Connection) throws {
    try connection.run(
      "DELETE FROM pages WHERE id > ? AND id <= ? AND generation <> ?", .int(before), .int(last),
      .int(Int64(bitPattern: generation)))
  }

  /// Removes all of them.
  func removeAll(on connection: Connection) throws {
    try connection.run("DELETE FROM pages WHERE id > ? AND id <= ?", .int(before), .int(last))
  }

  /// Adds a page. `isListed` says that its keys belong into the list that `countUnlisted` reads, too.
  func add(_ page: PageRecord, isListed: Bool, on connection: Connection) throws {
    let keys = page.keys.map(\.high)
    try connection.run(
      """
      INSERT INTO pages (id, generation, request, keys)
      VALUES ((SELECT COALESCE(MAX(id), ?1) + 1 FROM pages WHERE id > ?1 AND id <= ?2), ?3, ?4, ?5)
      """, .int(before), .int(last), .int(Int64(bitPattern: page.generation)), .blob(page.request.bytes),
      .blob(Self.packed(keys)))
    if isListed { try Self.list(keys, on: connection) }
  }

  /// What was asked for in a generation, in order. Throws `invalid_state` for a damaged row.
  func requests(generation: UInt64, on connection: Connection) throws -> [Fingerprint] {
    try connection.all(
      "SELECT request FROM pages WHERE id > ? AND id <= ? AND generation = ? ORDER BY id", .int(before), .int(last),
      .int(Int64(bitPattern: generation))
    ) { row in
      guard let fingerprint = Fingerprint(bytes: row.blob(0)) else {
        throw SluiceError(.invalidState, "a page of the job is damaged", at: Place(file: connection.path))
      }
      return fingerprint
    }
  }
}

/// Keys by the first half of their fingerprints. With 2^64 of them, that a page of new keys passes for seen ones is
/// out of the question, and a page's row fits one page of the database.
extension SavedPages {
  /// Makes the list of all keys of a generation, in the connection's temporary database.
  func listKeys(generation: UInt64, on connection: Connection) throws {
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS seen_keys (key INTEGER PRIMARY KEY); DELETE FROM temp.seen_keys")
    let pages = try connection.statement(
      "SELECT keys FROM main.pages WHERE id > ? AND id <= ? AND generation = ?")
    try pages.bind([.int(before), .int(last), .int(Int64(bitPattern: generation))])
    defer { pages.reset() }
    while try pages.step() { try Self.list(Self.unpacked(pages.blob(0)), on: connection) }
  }

  /// How many of the keys are not in the list.
  static func countUnlisted(_ keys: [Fingerprint], on connection: Connection) throws -> Int {
    let select = try connection.statement("SELECT 1 FROM temp.seen_keys WHERE key = ?")
    var count = 0
    for key in keys {
      try select.bind([.int(Int64(bitPattern: key.high))])
      if try !select.step() { count += 1 }
      select.reset()
    }
    return count
  }

  private static func list(_ keys: [UInt64], on connection: Connection) throws {
    let insert = try connection.statement("INSERT OR IGNORE INTO temp.seen_keys (key) VALUES (?)")
    for key in keys {
      try insert.bind([.int(Int64(bitPattern: key))])
      try insert.run()
    }
  }

  /// Eight bytes each, one after the other, the most significant byte first.
  private static func packed(_ keys: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.count * 8)
    for key in keys { withUnsafeBytes(of: key.bigEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }

  private static func unpacked(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count - 7, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
