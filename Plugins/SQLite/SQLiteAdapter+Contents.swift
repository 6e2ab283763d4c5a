import SluiceCore
import SluiceJSON

/// What the table shows, read back in the order of its keys.
extension SQLiteAdapter: Verifiable {
  /// The next rows. A row whose document is no JSON of the table's encoding throws `malformed_data` with its key.
  public func contents(after place: String?, limit: Int) async throws -> Contents {
    let (table, encoding) = (table, encoding)
    return try await database.read { connection in
      guard try table.exists(on: connection) else { return Contents(Batch(), next: nil) }
      let isShown = try table.keepsDeleted(on: connection) ? "AND \(DocumentTable.deletedAt) IS NULL" : ""
      let rows = try connection.statement(
        """
        SELECT key, document FROM main.\(table.name.quoted)
        WHERE (?1 IS NULL OR key > ?1) \(isShown) ORDER BY key LIMIT ?2
        """)
      try rows.bind([place.map { .text($0) } ?? .null, .int(Int64(limit))])
      defer { rows.reset() }
      var builder = BatchBuilder()
      while try rows.step() {
        let text = rows.withText(0) { Array($0) }
        guard let key = Key(canonical: text) else { throw Self.foreign(String(decoding: text, as: UTF8.self), table) }
        let fields = try rows.withText(1) { try Self.fields(Array($0), encoding, of: key) }
        builder.add(key: key, fields)
      }
      let batch = try builder.finish()
      let last = batch.indices.last.map { batch.key(at: $0).description }
      return Contents(batch, next: batch.count < limit ? nil : last)
    }
  }

  /// The documents with their fields written into the column's JSON and read again, without those whose version the table
  /// does not take.
  public func asKept(_ batch: Batch) async throws -> Batch {
    var plain = PlainValueWriter()
    var typed = TypedValueWriter()
    var builder = BatchBuilder()
    for index in batch.indices where batch.kind(at: index) == .upsert && !batch.header(at: index).isMissing {
      guard batch.header(at: index).version.fitsColumns else { continue }
      let key = batch.key(at: index)
      let bytes: [UInt8]
      switch encoding {
      case .plain:
        plain.output.removeAll()
        plain.writeObject(at: index, of: batch)
        bytes = plain.output.withUnsafeBytes { Array($0) }
      case .typed:
        typed.output.removeAll()
        typed.writeObject(at: index, of: batch)
        bytes = typed.output.withUnsafeBytes { Array($0) }
      }
      builder.add(key: key, header: batch.header(at: index), try Self.fields(bytes, encoding, of: key))
    }
    return try builder.finish()
  }

  private static func fields(_ bytes: [UInt8], _ encoding: DocumentEncoding, of key: Key) throws -> [Field] {
    do {
      if encoding == .typed { return try JSON.parseTypedFields(bytes) }
      if case .map(let fields) = try JSON.parse(bytes) { return fields }
      throw SluiceError(.malformedData, "the document is no JSON object")
    } catch let error as SluiceError {
      throw error.at(Place(key: key.description))
    }
  }

  private static func foreign(_ key: String, _ table: DocumentTable) -> SluiceError {
    SluiceError(
      .malformedData, "the row \"\(key)\" has a key that Sluice never writes", at: Place(collection: table.name.text))
  }
}
