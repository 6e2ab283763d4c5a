import SluiceCore

/// What a memory store held at one moment, in the order of the keys. Copying costs one reference count.
public struct MemorySnapshot: Sendable {
  /// The store's number of changes at that moment. Equal numbers of one store mean equal content.
  public let revision: UInt64
  let documents: [Document]

  init(revision: UInt64, documents: [Document]) {
    self.revision = revision
    self.documents = documents
  }

  /// The document of a key; nil where there is none.
  public subscript(key: Key) -> Document? {
    let index = documents.firstIndex(notBefore: key)
    guard index < documents.count, documents[index].key == key else { return nil }
    return documents[index]
  }
}

extension MemorySnapshot: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of documents.
  public var endIndex: Int { documents.count }
  /// The document at a place in the order of the keys.
  public subscript(index: Int) -> Document { documents[index] }

  /// The places of a part of the key space.
  func indices(of range: KeyRange) -> Range<Int> {
    let lower = range.lower.map(documents.firstIndex(notBefore:)) ?? 0
    let upper = range.upper.map(documents.firstIndex(notBefore:)) ?? documents.count
    return lower..<Swift.max(lower, upper)
  }

  /// The place after a key.
  func firstIndex(beyond key: Key) -> Int {
    let index = documents.firstIndex(notBefore: key)
    return index < documents.count && documents[index].key == key ? index + 1 : index
  }
}

extension [Document] {
  /// The first place whose key is not before `key`, in documents that are ordered by key.
  func firstIndex(notBefore key: Key) -> Int {
    key.withBytes { wanted in
      var low = 0
      var high = count
      while low < high {
        let middle = (low + high) / 2
        let isBefore = self[middle].withKeyBytes { Key.precedes($0, wanted) }
        if isBefore { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
