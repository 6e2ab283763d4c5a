import SluiceCore

/// A table of documents: one row each, with the fields as JSON in one column.
///
/// `version` and `version_ns` are NULL and NULL where the source has no versions, a number and NULL for a sequence,
/// seconds and nanoseconds since 1970 for a time. Times are RFC 3339 in UTC, NULL where they are not known. A table whose
/// job keeps deleted documents has a column `deleted_at` more: NULL, or when the document was found to be gone.
struct DocumentTable: Sendable {
  /// The name.
  let name: TableName

  /// The columns, in order.
  static let columns = ["key", "document", "version", "version_ns", "create_time", "update_time"]
  /// The columns, for SQL.
  static let columnList = columns.joined(separator: ", ")

  /// The column of a table that keeps deleted documents, behind the others.
  static let deletedAt = "deleted_at"

  /// Makes the table.
  func create(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE main.\(name.quoted) (
        key TEXT NOT NULL PRIMARY KEY COLLATE BINARY, document TEXT NOT NULL, version INTEGER, version_ns INTEGER,
        create_time TEXT, update_time TEXT)
      """)
  }

  /// Whether there is such a table. Throws where the name stands for a view, or for a table of another shape: that is
  /// the work of somebody else, and is neither written nor replaced.
  func exists(on connection: Connection) throws -> Bool {
    let kind = try connection.first(
      "SELECT type FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
      .text(name.text)
    ) { $0.text(0) }
    guard let kind else { return false }
    let found = try connection.all("SELECT name FROM pragma_table_xinfo(?, 'main')", .text(name.text)) { $0.text(0) }
    guard kind == "table", found == Self.columns || found == Self.columns + [Self.deletedAt] else {
      throw SluiceError(
        SluiceError.Code("sqlite_other_table", .usage),
        kind == "table"
          ? "the table \(name.text) has other columns than a table of documents: \(found.joined(separator: ", "))"
          : "\(name.text) is a view",
        at: Place(collection: name.text, file: connection.path),
        hint: "nothing was written; name another table, or drop this one")
    }
    return true
  }

  /// Whether the table keeps deleted documents.
  func keepsDeleted(on connection: Connection) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM pragma_table_info(?, 'main') WHERE name = ?", .text(name.text), .text(Self.deletedAt)
    ) { _ in } != nil
  }

  /// Makes the table one that keeps deleted documents.
  func keepDeleted(on connection: Connection) throws {
    try connection.execute("ALTER TABLE main.\(name.quoted) ADD COLUMN \(Self.deletedAt) TEXT")
  }

  /// The number of rows.
  func count(on connection: Connection) throws -> Int {
    Int(try connection.first("SELECT count(*) FROM main.\(name.quoted)") { $0.int(0) } ?? 0)
  }

  /// Whether there are no rows.
  func isEmpty(on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM main.\(name.quoted) LIMIT 1") { _ in } == nil
  }

  /// The digest of the first rows, up to and with row id `last`, in the order of their ids; and how many there are.
  func digest(upTo last: UInt64 = UInt64(Int64.max), on connection: Connection) throws -> (RowDigest, count: Int) {
    let rows = try connection.statement(
      "SELECT \(Self.columnList) FROM main.\(name.quoted) WHERE rowid <= ? ORDER BY rowid")
    defer { rows.reset() }
    try rows.bind(1, Int64(clamping: last))
    var digest = RowDigest()
    var count = 0
    while try rows.step() {
      rows.withText(0) { key in
        rows.withText(1) { document in
          rows.withText(4) { createTime in
            rows.withText(5) { updateTime in
              digest.append(
                key: key, document: document, version: (rows.optionalInt(2), rows.optionalInt(3)),
                createTime: createTime, updateTime: updateTime)
            }
          }
        }
      }
      count += 1
    }
    return (digest, count)
  }
}

/// A running digest over the rows of a table, in order.
struct RowDigest: Sendable {
  private var digest = RunningDigest()
  private var frame: [UInt8] = []

  /// The digest so far.
  var value: Fingerprint { digest.value }

  /// Takes a row in. Lengths come first, so that no two rows run into each other.
  mutating func append(
    key: UnsafeBufferPointer<UInt8>, document: UnsafeBufferPointer<UInt8>, version: (major: Int64?, minor: Int64?),
    createTime: UnsafeBufferPointer<UInt8>, updateTime: UnsafeBufferPointer<UInt8>
  ) {
    frame.removeAll(keepingCapacity: true)
    note(UInt64(key.count))
    note(UInt64(document.count))
    let known = (version.major == nil ? 0 : 1) + (version.minor == nil ? 0 : 2)
    note(UInt64(known) << 16 | UInt64(createTime.count) << 8 | UInt64(updateTime.count))
    note(UInt64(bitPattern: version.major ?? 0))
    note(UInt64(bitPattern: version.minor ?? 0))
    var digest = digest
    digest.append(frame.span)
    digest.append(key.span)
    digest.append(document.span)
    digest.append(createTime.span)
    digest.append(updateTime.span)
    self.digest = digest
  }

  private mutating func note(_ number: UInt64) {
    for byte in 0..<8 as Range<UInt64> { frame.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
  }
}
