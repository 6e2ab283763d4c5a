import SluiceCore

/// Documents by key, in order on demand: changes gather beside the ordered ones and are merged in when somebody asks
/// for the order. A run of writes then costs no moving, a run of reads no sorting.
struct OrderedDocuments {
  /// What was done to a key since the last merge.
  private enum Recent {
    case put(Document)
    case removed
  }

  private var merged: [Document]
  private var recent: [Key: Recent] = [:]
  /// How many documents there are.
  private(set) var count: Int

  /// Takes documents that are ordered by key, each key once.
  init(ordered documents: [Document] = []) {
    merged = documents
    count = documents.count
  }

  subscript(key: Key) -> Document? {
    switch recent[key] {
    case .put(let document): return document
    case .removed: return nil
    case nil:
      let index = merged.firstIndex(notBefore: key)
      return index < merged.count && merged[index].key == key ? merged[index] : nil
    }
  }

  mutating func put(_ document: Document) {
    let key = document.key
    if self[key] == nil { count += 1 }
    recent[key] = .put(document)
  }

  mutating func remove(_ key: Key) {
    guard self[key] != nil else { return }
    count -= 1
    recent[key] = .removed
  }

  /// All documents in the order of their keys.
  mutating func ordered() -> [Document] {
    if !recent.isEmpty { merge() }
    return merged
  }

  private mutating func merge() {
    var result: [Document] = []
    result.reserveCapacity(count)
    var next = 0
    for key in recent.keys.sorted() {
      let place = max(next, merged.firstIndex(notBefore: key))
      result += merged[next..<place]
      next = place < merged.count && merged[place].key == key ? place + 1 : place
      if case .put(let document)? = recent[key] { result.append(document) }
    }
    result += merged[next...]
    merged = result
    recent = [:]
  }
}
