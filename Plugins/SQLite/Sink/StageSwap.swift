import SluiceCore

/// Swaps a stage in for a table, within one transaction: whoever reads sees the old rows or the new ones.
struct StageSwap {
  let target: DocumentTable
  let connection: Connection

  /// Puts the stage in the target's place. The user's indexes and triggers on the target are made again on the new
  /// table; views and triggers elsewhere that speak of it by name go on to do so.
  func perform(_ stage: Stage) throws -> Publication {
    let content = stage.mark
    let rowsDigest = stage.hasRepeats ? try stage.table.digest(on: connection).0.value : content.digest
    let made = try target.exists(on: connection) ? try usersOwn() : []
    // In this order: a rename onto a name that is taken fails. `legacy_alter_table` keeps SQLite from refusing the
    // rename because of views on the table that is missing for this moment.
    try connection.execute("DROP TABLE IF EXISTS main.\(target.name.quoted)")
    try connection.execute("ALTER TABLE main.\(stage.table.name.quoted) RENAME TO \(target.name.quoted)")
    for (name, sql) in made { try makeAgain(name, sql) }
    let publication = Publication(generation: stage.generation, content: content, witness: SinkSchema.randomWord())
    try note(publication, rowsDigest)
    // A ledger that knew the old table knows nothing of this one.
    try TableIdentity(table: target, connection: connection).forget()
    return publication
  }

  private func usersOwn() throws -> [(String, String)] {
    try connection.all(
      """
      SELECT name, sql FROM main.sqlite_schema
      WHERE tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid
      """, .text(target.name.text)
    ) { ($0.text(0), $0.text(1)) }
  }

  private func makeAgain(_ name: String, _ sql: String) throws {
    do {
      try connection.execute(sql)
    } catch let error as SluiceError where error.retry != .transient {
      throw SluiceError(
        .rejected, "the index or trigger \(name) cannot be made on the new rows: \(error.message)",
        at: Place(collection: target.name.text, file: connection.path),
        hint: "nothing was published; drop \(name), or make it fit the documents", causes: [error])
    }
  }

  private func note(_ publication: Publication, _ rowsDigest: Fingerprint) throws {
    let content = publication.content
    try connection.run(
      """
      INSERT OR REPLACE INTO _sluice_publications
        (target, generation, length, digest, documents, witness, rows_digest) VALUES (?, ?, ?, ?, ?, ?, ?)
      """, .text(target.name.text), .int(Int64(bitPattern: publication.generation)),
      .int(Int64(bitPattern: content.length)), .text(content.digest.description), .int(Int64(content.documents)),
      .text(publication.witness), .text(rowsDigest.description))
  }

  /// Whether the target shows exactly this publication: what was noted with the swap says so, and the rows are still
  /// those, read one by one.
  func shows(_ publication: Publication) throws -> Bool {
    guard try SinkSchema.isPresent(on: connection) else { return false }
    let noted = try connection.first(
      """
      SELECT generation, length, digest, documents, witness, rows_digest FROM _sluice_publications WHERE target = ?
      """, .text(target.name.text)
    ) { row in
      (
        isSame: UInt64(bitPattern: row.int(0)) == publication.generation
          && UInt64(bitPattern: row.int(1)) == publication.content.length
          && row.text(2) == publication.content.digest.description
          && row.int(3) == Int64(publication.content.documents)
          && (publication.witness.isEmpty || row.text(4) == publication.witness),
        rowsDigest: row.text(5)
      )
    }
    guard let noted, noted.isSame, try target.exists(on: connection),
      try target.count(on: connection) == publication.content.documents
    else { return false }
    return try target.digest(on: connection).0.value.description == noted.rowsDigest
  }
}
