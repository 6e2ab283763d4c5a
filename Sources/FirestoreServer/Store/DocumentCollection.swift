import SluiceCore

/// The documents of one collection, by id and in the order of their ids. Used only under the store's lock.
final class DocumentCollection {
  let path: ResourcePath
  private var histories: [DocumentHistory] = []
  private var places: [Segment: Int] = [:]
  /// Places in the order of ids; those of the newest histories may still be missing.
  private var ordered: [Int] = []
  private var deletedCount = 0
  /// So many deleted documents are worth a look for those that no snapshot shows any more.
  private var forgettingThreshold = 1000

  init(path: ResourcePath) { self.path = path }

  /// The number of documents there are now.
  var count: Int { histories.count - deletedCount }

  /// A document at a time, nil where there is none.
  func document(_ id: Segment, at time: Int64?) -> Snapshot? {
    places[id].flatMap { snapshot(at: $0, time) }
  }

  /// The newest state of a document, a deletion included.
  func newest(_ id: Segment) -> Revision? { places[id].map { histories[$0].current } }

  /// Adds a state of a document.
  func append(_ revision: Revision, to id: Segment, keepingSince horizon: Int64) {
    if let place = places[id] {
      deletedCount += (revision.fields == nil ? 1 : 0) - (histories[place].current.fields == nil ? 1 : 0)
      histories[place].append(revision, keepingSince: horizon)
      if deletedCount > forgettingThreshold, deletedCount > histories.count / 2 { forget(before: horizon) }
    } else {
      places[id] = histories.count
      histories.append(DocumentHistory(id: id, revision))
      if revision.fields == nil { deletedCount += 1 }
    }
  }

  /// The number of ids there are or were: the range of positions in their order.
  var positions: Range<Int> {
    order()
    return 0..<ordered.count
  }

  /// The first position whose id is not below `id`, or, with `after`, is above it.
  func position(of id: Segment, after: Bool) -> Int {
    order()
    var low = 0
    var high = ordered.count
    while low < high {
      let middle = (low + high) / 2
      let other = histories[ordered[middle]].id
      if other < id || (after && other == id) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The document at a position in the order of ids, nil where there is none at that time.
  func document(atPosition position: Int, at time: Int64?) -> Snapshot? { snapshot(at: ordered[position], time) }

  private func snapshot(at place: Int, _ time: Int64?) -> Snapshot? {
    histories[place].revision(at: time).map { Snapshot(collection: path, id: histories[place].id, revision: $0) }
  }

  /// Sorts in what was added since the last time.
  private func order() {
    guard ordered.count < histories.count else { return }
    var added = Array(ordered.count..<histories.count)
    added.sort { histories[$0].id < histories[$1].id }
    if let last = ordered.last, histories[added[0]].id < histories[last].id {
      ordered = merged(ordered, added)
    } else {
      ordered += added
    }
  }

  private func merged(_ a: [Int], _ b: [Int]) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(a.count + b.count)
    var i = 0
    var j = 0
    while i < a.count, j < b.count {
      if histories[a[i]].id < histories[b[j]].id {
        result.append(a[i])
        i += 1
      } else {
        result.append(b[j])
        j += 1
      }
    }
    return result + a[i...] + b[j...]
  }

  private func forget(before horizon: Int64) {
    histories.removeAll { $0.isForgotten(before: horizon) }
    places.removeAll(keepingCapacity: true)
    ordered.removeAll(keepingCapacity: true)
    deletedCount = 0
    for (place, history) in histories.enumerated() {
      places[history.id] = place
      if history.current.fields == nil { deletedCount += 1 }
    }
    forgettingThreshold = deletedCount + 1000
  }
}
