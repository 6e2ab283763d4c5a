import SluiceCore

/// Writes the documents and deletes of a batch into a table, within an open transaction.
struct RowWriter: ~Copyable {
  private let connection: Connection
  private let acceptsRejections: Bool
  private var row: DocumentRow
  private let upsert: Statement
  private let delete: Statement
  /// The time that deleted rows are marked with; nil: they are removed.
  private let deletedAt: Timestamp?
  /// Documents that the table did not take.
  private(set) var rejections: [Rejection] = []

  init(
    _ table: DocumentTable, _ encoding: DocumentEncoding, acceptsRejections: Bool, deletedAt: Timestamp? = nil,
    on connection: Connection
  ) throws {
    var keepsDeleted = try table.keepsDeleted(on: connection)
    if deletedAt != nil, !keepsDeleted {
      try table.keepDeleted(on: connection)
      keepsDeleted = true
    }
    // Whatever a job does now, a row that is written is not deleted any more.
    let revival = keepsDeleted ? ", \(DocumentTable.deletedAt) = NULL" : ""
    let upsert = try connection.statement(
      """
      INSERT INTO main.\(table.name.quoted) (\(DocumentTable.columnList)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (key) DO UPDATE SET document = ?2, version = ?3, version_ns = ?4, create_time = ?5, update_time = ?6
        \(revival)
      WHERE NOT \(Self.isOlder(major: "?3", minor: "?4"))
      """)
    let isDeleted = "WHERE key = ?1 AND NOT \(Self.isOlder(major: "?2", minor: "?3"))"
    let delete = try connection.statement(
      deletedAt == nil
        ? "DELETE FROM main.\(table.name.quoted) \(isDeleted)"
        : "UPDATE main.\(table.name.quoted) SET deleted_at = ?4 \(isDeleted) AND deleted_at IS NULL")
    self.connection = connection
    self.acceptsRejections = acceptsRejections
    self.upsert = upsert
    self.delete = delete
    self.deletedAt = deletedAt
    row = DocumentRow(encoding)
  }

  /// Whether the version given is known to be older than the stored one: both are there and of one kind.
  static func isOlder(major: String, minor: String) -> String {
    """
    coalesce((\(minor) IS NULL) = (version_ns IS NULL)
      AND (\(major), coalesce(\(minor), 0)) < (version, coalesce(version_ns, 0)), 0)
    """
  }

  /// Applies a batch. Names without a document are left out.
  mutating func apply(_ batch: Batch) throws {
    for index in batch.indices {
      switch batch.kind(at: index) {
      case .upsert where !batch.header(at: index).isMissing: try write(index, of: batch)
      case .delete: try remove(index, of: batch)
      default: break
      }
    }
  }

  private mutating func write(_ index: Int, of batch: Batch) throws {
    let upsert = upsert
    do {
      try row.with(index, of: batch) { columns in
        try upsert.lend(columns)
        try upsert.run()
      }
    } catch let error as SluiceError where error.code == .rejected {
      try reject(error, index, of: batch)
    }
  }

  private func remove(_ index: Int, of batch: Batch) throws {
    let version = batch.header(at: index).version.columns
    try batch.withKeyBytes(at: index) { (key) throws -> Void in
      try key.withUnsafeBufferPointer { bytes in
        try delete.lend(1, text: bytes)
        try delete.bind(2, version.major)
        try delete.bind(3, version.minor)
        if let deletedAt { try delete.bind(4, deletedAt) }
        try delete.run()
      }
    }
  }

  private mutating func reject(_ error: SluiceError, _ index: Int, of batch: Batch) throws {
    let key = batch.key(at: index)
    let error = error.at(Place(key: key.description))
    // A trigger may have ended the whole transaction: then nothing of the delivery is applied.
    guard acceptsRejections, connection.isInTransaction else { throw error }
    rejections.append(Rejection(key, error))
  }
}
