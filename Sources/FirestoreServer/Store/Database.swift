import SluiceCore

/// The collections of one database, with the times of its commits. Used only under the store's lock.
final class Database {
  private(set) var collections: [ResourcePath: DocumentCollection] = [:]
  /// Microseconds of the last commit: the next one is later.
  private(set) var lastCommit: Int64 = 0
  /// How long earlier states are kept, in microseconds.
  let retention: Int64

  init(retention: Int64) { self.retention = retention }

  /// The time that a read of the present is made at: not before any commit it sees.
  func readTime(now: Int64) -> Int64 { max(now, lastCommit) }

  /// Begins a commit: a time later than that of every commit before.
  func beginCommit(now: Int64) -> Int64 {
    lastCommit = max(now, lastCommit + 1)
    return lastCommit
  }

  /// Throws unless a snapshot of this time can still be read.
  func check(readTime: Int64, now: Int64) throws(StatusError) {
    if readTime > self.readTime(now: now) { throw .invalid("The requested 'read_time' cannot be in the future.") }
    if readTime < now - retention {
      throw StatusError(.failedPrecondition, "The requested 'read_time' is too old.")
    }
  }

  func document(_ path: ResourcePath, at time: Int64? = nil) -> Snapshot? {
    collections[path.parent]?.document(path.last, at: time)
  }

  /// Sets a document's fields, or deletes it (nil), as of a commit.
  func put(_ path: ResourcePath, _ fields: Fields?, created: Int64?, at commit: Int64) {
    let collection = collections[path.parent] ?? make(path.parent)
    if fields == nil, collection.newest(path.last)?.fields == nil { return }
    let revision = Revision(updated: commit, created: created ?? commit, fields: fields)
    collection.append(revision, to: path.last, keepingSince: commit - retention)
    lastCommit = max(lastCommit, commit)
  }

  private func make(_ path: ResourcePath) -> DocumentCollection {
    let collection = DocumentCollection(path: path)
    collections[path] = collection
    return collection
  }

  /// Deletes everything, the past too. Times of commits go on.
  func wipe() { collections.removeAll() }
}

extension Database {
  /// Ids of the collections directly below a document or the root that hold anything at a time, in order.
  func collectionIDs(below parent: ResourcePath, at time: Int64?) -> [Segment] {
    var ids: Set<Segment> = []
    for (path, collection) in collections where path.segments.count > parent.segments.count && path.starts(with: parent)
    {
      let id = path.segments[parent.segments.count]
      if !ids.contains(id), hasDocuments(collection, at: time) { ids.insert(id) }
    }
    return ids.sorted()
  }

  /// Ids of a collection that have documents below them but none of their own, in order.
  func missingIDs(in collection: ResourcePath, at time: Int64?) -> [Segment] {
    var ids: Set<Segment> = []
    let depth = collection.segments.count
    for (path, below) in collections where path.segments.count > depth && path.starts(with: collection) {
      let id = path.segments[depth]
      if !ids.contains(id), collections[collection]?.document(id, at: time) == nil, hasDocuments(below, at: time) {
        ids.insert(id)
      }
    }
    return ids.sorted()
  }

  private func hasDocuments(_ collection: DocumentCollection, at time: Int64?) -> Bool {
    if time == nil { return collection.count > 0 }
    return collection.positions.contains { collection.document(atPosition: $0, at: time) != nil }
  }
}
