import SluiceCore
import Synchronization

/// The documents of a server: what tests and seeds read and write without HTTP.
///
/// Paths are relative to the documents root (`users/u1`). One store serves every project: only the database's id tells
/// data apart. Safe to use from any task; each call is one commit or one snapshot.
public final class DocumentStore: Sendable {
  private let databases = Mutex<[String: Database]>([:])
  private let clock: ServerClock
  private let retention: Int64

  init(clock: ServerClock, retention: Int64) {
    self.clock = clock
    self.retention = retention
  }

  /// The database that is used where none is named.
  public static let defaultDatabase = "(default)"

  /// Sets all fields of a document. Returns its update time, which stays where nothing changes.
  /// Throws `rejected` where Firestore would not take the path or the size.
  @discardableResult
  public func set(_ path: String, _ fields: [Field], database: String = defaultDatabase) throws(SluiceError)
    -> Timestamp
  {
    let path = try document(path)
    let result: WriteResult
    do {
      let write = Write(path: path, operation: .update(try ValueCheck.accepted(fields), mask: nil))
      result = try commit(write, database)
    } catch { throw Self.rejection(error) }
    return Microseconds.timestamp(result.updateTime ?? 0)
  }

  /// Deletes a document; one that does not exist is no error. Throws `rejected` for a path that cannot be.
  public func delete(_ path: String, database: String = defaultDatabase) throws(SluiceError) {
    let path = try document(path)
    do { _ = try commit(Write(path: path, operation: .delete), database) } catch { throw Self.rejection(error) }
  }

  /// A document, nil where there is none. Throws `rejected` for a path that cannot be.
  public func document(_ path: String, database: String = defaultDatabase) throws(SluiceError) -> StoredDocument? {
    let path = try document(path)
    return access(database) { database, _ in database.document(path).flatMap(StoredDocument.init) }
  }

  /// The documents of a collection (`users`, `users/u1/orders`), in the order of their names.
  public func documents(in collection: String, database: String = defaultDatabase) throws(SluiceError)
    -> [StoredDocument]
  {
    let path = try self.collection(collection)
    return access(database) { database, _ in
      guard let collection = database.collections[path] else { return [] }
      return collection.positions.compactMap { position in
        collection.document(atPosition: position, at: nil).flatMap(StoredDocument.init)
      }
    }
  }

  /// The number of documents of a collection.
  public func count(in collection: String, database: String = defaultDatabase) throws(SluiceError) -> Int {
    let path = try self.collection(collection)
    return access(database) { database, _ in database.collections[path]?.count ?? 0 }
  }

  /// Deletes everything, without a trace in earlier snapshots.
  public func wipe(database: String = defaultDatabase) { access(database) { database, _ in database.wipe() } }

  /// Lends a database under the lock, with the time.
  func access<R: Sendable, E: Error>(_ id: String, _ body: (Database, Int64) throws(E) -> sending R) throws(E) -> R {
    try databases.withLock { (databases) throws(E) -> R in
      let database = databases[id] ?? Database(retention: retention)
      databases[id] = database
      return try body(database, clock.microseconds)
    }
  }

  private func commit(_ write: Write, _ database: String) throws(StatusError) -> WriteResult {
    try access(database) { (database, now) throws(StatusError) -> WriteResult in
      try Commit.apply([write], to: database, now: now).results[0]
    }
  }

  private func document(_ text: String) throws(SluiceError) -> ResourcePath {
    let path = try parse(text)
    guard path.isDocument else {
      throw SluiceError(.rejected, "\"\(text)\" is the path of a collection, not of a document")
    }
    return path
  }

  private func collection(_ text: String) throws(SluiceError) -> ResourcePath {
    let path = try parse(text)
    guard path.isCollection else {
      throw SluiceError(.rejected, "\"\(text)\" is the path of a document, not of a collection")
    }
    return path
  }

  private func parse(_ text: String) throws(SluiceError) -> ResourcePath {
    do { return try ResourcePath.parse(text) } catch { throw Self.rejection(error) }
  }

  static func rejection(_ error: StatusError) -> SluiceError { SluiceError(.rejected, error.message) }
}

/// A document as the store holds it.
public struct StoredDocument: Sendable, Equatable {
  /// The path below the documents root.
  public var path: String
  /// The fields.
  public var fields: Fields
  /// When it was made.
  public var createTime: Timestamp
  /// When it was last changed.
  public var updateTime: Timestamp

  init?(_ snapshot: Snapshot) {
    guard let revision = snapshot.revision, let fields = revision.fields else { return nil }
    path = snapshot.path.text
    self.fields = fields
    createTime = Microseconds.timestamp(revision.created)
    updateTime = Microseconds.timestamp(revision.updated)
  }
}
