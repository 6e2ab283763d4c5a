import SluiceCore
import SluiceJSON

extension DocumentStore {
  /// Puts documents from JSON Lines into the store, all as of one commit; blank lines are left out. Returns how many.
  ///
  /// A line is typed (`{"key": "users/u1", "fields": {Firestore's values}}`, also with `createTime` and `updateTime`,
  /// which are not taken over) or plain (fields at the top, the key in `_key`). Which of both, the first line decides.
  /// `collection` is put before every key. Deletes and names without a document are left out.
  ///
  /// Throws `malformed_data` with the line for what is no such document, and `rejected` with the key for what Firestore
  /// would refuse; then nothing is put in.
  @discardableResult
  public func seed(jsonLines: [UInt8], into collection: String? = nil, database: String = defaultDatabase)
    throws(SluiceError) -> Int
  {
    let batch = try Self.isTyped(jsonLines) ? TypedDecoder().lines(jsonLines) : PlainDecoder().lines(jsonLines)
    var prefix = ResourcePath.root
    if let collection {
      do { prefix = try ResourcePath.parse(collection) } catch { throw Self.rejection(error) }
    }
    var documents: [(path: ResourcePath, fields: Fields)] = []
    documents.reserveCapacity(batch.count)
    for index in batch.indices where batch.kind(at: index) == .upsert && !batch.header(at: index).isMissing {
      documents.append(try Self.document(batch, index, prefix))
    }
    let seeded = documents
    access(database) { database, now in
      let time = database.beginCommit(now: now)
      for (path, fields) in seeded {
        let created = database.document(path)?.revision?.created
        database.put(path, fields, created: created, at: time)
      }
    }
    return documents.count
  }

  /// Puts documents from text; see `seed(jsonLines:into:database:)` for bytes.
  @discardableResult
  public func seed(_ text: String, into collection: String? = nil, database: String = defaultDatabase)
    throws(SluiceError) -> Int
  {
    try seed(jsonLines: Array(text.utf8), into: collection, database: database)
  }

  private static func document(_ batch: Batch, _ index: Int, _ prefix: ResourcePath) throws(SluiceError) -> (
    path: ResourcePath, fields: Fields
  ) {
    let key = batch.key(at: index)
    do {
      var path = prefix
      path.segments += key.segments.map { Segment($0) }
      try path.validate()
      guard path.isDocument else { throw StatusError.invalid("it is the path of a collection, not of a document") }
      let given = batch.fields(at: index).materialized
      let fields = try ValueCheck.accepted(given)
      try DocumentSize.check(path, fields)
      return (path, Fields(fields).compacted())
    } catch {
      let message = (error as? StatusError)?.message ?? "it cannot be stored"
      throw SluiceError(.rejected, "document \"\(key)\" of the seed: \(message)")
    }
  }

  /// Whether the first object has a member "fields" that is an object beside a "key": the typed form.
  private static func isTyped(_ lines: [UInt8]) throws(SluiceError) -> Bool {
    guard let start = lines.firstIndex(where: { $0 > 0x20 }) else { return false }
    let end = lines[start...].firstIndex(of: 0x0A) ?? lines.endIndex
    guard case .map(let members) = try JSON.parse(Array(lines[start..<end])) else { return false }
    return members.contains { $0.name == "key" } && !members.contains { $0.name == "_key" }
  }
}
