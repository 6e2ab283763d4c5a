import SluiceCore

/// A stage being filled: a table beside the target, with the same columns.
struct Stage: Sendable {
  /// The generation it belongs to.
  let generation: UInt64
  /// The table.
  let table: DocumentTable
  /// The highest row id.
  private(set) var length: UInt64 = 0
  /// The digest of what was put in, in order.
  private(set) var digest = RowDigest()
  /// Rows.
  private(set) var documents = 0
  /// Whether a key came again: then the rows are no longer what was put in, in order.
  private(set) var hasRepeats = false

  private init(generation: UInt64, table: DocumentTable) {
    self.generation = generation
    self.table = table
  }

  /// How far it reaches.
  var mark: StageMark { StageMark(length: length, digest: digest.value, documents: documents) }

  /// Cuts the stage of a generation back to a mark. Nil where there is none that reaches so far with that content.
  static func resume(
    _ target: TableName, generation: UInt64, at mark: StageMark, on connection: Connection
  ) throws -> Stage? {
    let table = DocumentTable(name: target.stage(generation))
    guard mark.length > 0, mark.length <= UInt64(Int64.max), try table.exists(on: connection) else { return nil }
    let (digest, count) = try table.digest(upTo: mark.length, on: connection)
    // The rows up to a mark that lies beyond them have its digest, too: the row of the mark must be there.
    let isThere =
      try connection.first("SELECT 1 FROM main.\(table.name.quoted) WHERE rowid = ?", .int(Int64(mark.length))) { _ in }
      != nil
    guard isThere, digest.value == mark.digest, count == mark.documents else { return nil }
    try connection.run("DELETE FROM main.\(table.name.quoted) WHERE rowid > ?", .int(Int64(mark.length)))
    var stage = Stage(generation: generation, table: table)
    stage.length = mark.length
    stage.digest = digest
    stage.documents = count
    return stage
  }

  /// The stage of a generation, where it holds exactly this content.
  static func take(
    _ target: TableName, generation: UInt64, _ content: StageMark, on connection: Connection
  ) throws -> Stage? {
    if content.length > 0 { return try resume(target, generation: generation, at: content, on: connection) }
    let stage = Stage(generation: generation, table: DocumentTable(name: target.stage(generation)))
    guard try stage.table.exists(on: connection), try stage.table.isEmpty(on: connection) else { return nil }
    return stage
  }

  /// Begins an empty stage.
  static func begin(_ target: TableName, generation: UInt64, on connection: Connection) throws -> Stage {
    let table = DocumentTable(name: target.stage(generation))
    try connection.execute("DROP TABLE IF EXISTS main.\(table.name.quoted)")
    try table.create(on: connection)
    return Stage(generation: generation, table: table)
  }

  /// Removes the stages of a table, but for that of one generation.
  static func removeAll(of target: TableName, butOf generation: UInt64? = nil, on connection: Connection) throws {
    let kept = generation.map { target.stage($0).text }
    let names = try connection.all("SELECT name FROM main.sqlite_schema WHERE type = 'table'") { $0.text(0) }
    for name in names where target.hasStage(name) && name != kept {
      try connection.execute("DROP TABLE main.\(TableName(name).quoted)")
    }
  }
}

/// Filling.
extension Stage {
  /// Puts a batch in, within an open transaction. What the stage does not take is left out, and returned.
  mutating func apply(
    _ batch: Batch, _ encoding: DocumentEncoding, acceptsRejections: Bool, on connection: Connection
  ) throws -> [Rejection] {
    let insert = try connection.statement(
      """
      INSERT INTO main.\(table.name.quoted) (\(DocumentTable.columnList), rowid) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (key) DO NOTHING
      """)
    var row = DocumentRow(encoding)
    var others = try RowWriter(table, encoding, acceptsRejections: acceptsRejections, on: connection)
    var rejections: [Rejection] = []
    for index in batch.indices {
      switch batch.kind(at: index) {
      case .upsert where !batch.header(at: index).isMissing:
        do {
          if try add(index, of: batch, &row, insert, on: connection) { continue }
          // A key that came before. Its row stays in its place, with the newer document.
          try others.apply(batch.slice(index..<index + 1))
        } catch let error as SluiceError where error.code == .rejected {
          let key = batch.key(at: index)
          let error = error.at(Place(key: key.description))
          guard acceptsRejections else { throw error }
          rejections.append(Rejection(key, error))
          continue
        }
      case .delete:
        try others.apply(batch.slice(index..<index + 1))
        documents -= connection.changes
      default: continue
      }
      hasRepeats = true
    }
    return rejections + others.rejections
  }

  /// Puts one document at the end; false where there is a row of its key. The digest takes it in either way.
  private mutating func add(
    _ index: Int, of batch: Batch, _ row: inout DocumentRow, _ insert: Statement, on connection: Connection
  ) throws -> Bool {
    let place = Int64(length + 1)
    var digest = digest
    try row.with(index, of: batch) { columns in
      try insert.lend(columns)
      try insert.bind(7, place)
      try insert.run()
      digest.append(
        key: columns.key, document: columns.document, version: columns.version, createTime: columns.createTime,
        updateTime: columns.updateTime)
    }
    self.digest = digest
    guard connection.changes == 1 else { return false }
    length += 1
    documents += 1
    return true
  }
}
