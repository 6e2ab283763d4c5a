import SluiceCore

/// One state of a document: what a commit made of it.
struct Revision: Sendable {
  /// When the commit was: the document's `updateTime`. Microseconds since 1970.
  var updated: Int64
  /// The document's `createTime`.
  var created: Int64
  /// The fields; nil where the commit deleted the document.
  var fields: Fields?
}

/// A document with its past: what snapshots of earlier times see.
struct DocumentHistory: Sendable {
  let id: Segment
  private(set) var current: Revision
  /// What came before, the oldest first.
  private(set) var older: [Revision] = []

  init(id: Segment, _ revision: Revision) {
    self.id = id
    current = revision
  }

  /// The document's state at a time, nil where there was none. Without a time: now.
  func revision(at time: Int64?) -> Revision? {
    guard let time, current.updated > time else { return current.fields == nil ? nil : current }
    guard let revision = older.last(where: { $0.updated <= time }), revision.fields != nil else { return nil }
    return revision
  }

  /// Puts a new state in front. States that nobody may ask for any more, because a later one was already in force at
  /// `horizon`, are dropped.
  mutating func append(_ revision: Revision, keepingSince horizon: Int64) {
    older.append(current)
    current = revision
    if let inForce = older.lastIndex(where: { $0.updated <= horizon }), inForce > 0 { older.removeFirst(inForce) }
  }

  /// Whether the document was deleted before `horizon`, so that no snapshot shows it.
  func isForgotten(before horizon: Int64) -> Bool { current.fields == nil && current.updated <= horizon }
}

/// A document as a snapshot shows it.
struct Snapshot: Sendable {
  var collection: ResourcePath
  var id: Segment
  /// The state; nil for a name that has no document, only documents below it.
  var revision: Revision?

  var path: ResourcePath { collection.appending(id) }
  var fields: Fields? { revision?.fields }
}
