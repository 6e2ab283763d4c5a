import SluiceCore
import Synchronization

/// A stranger's store: a dictionary with a change log.
final class DictionaryStore: Sendable {
  private struct Contents {
    var documents: [String: Int64] = [:]
    var log: [(id: String, value: Int64?)] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let contents = Mutex(Contents())

  init(_ count: Int = 0) { for number in 0..<count { self["d\(1000 + number)"] = Int64(number) } }

  subscript(id: String) -> Int64? {
    get { contents.withLock { $0.documents[id] } }
    set {
      let waiting = contents.withLock { contents in
        contents.documents[id] = newValue
        contents.log.append((id, newValue))
        defer { contents.waiting = [] }
        return contents.waiting
      }
      for waiter in waiting { waiter.resume() }
    }
  }

  var all: [String: Int64] { contents.withLock { $0.documents } }
  var sortedIDs: [String] { all.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
  var logLength: Int { contents.withLock { $0.log.count } }
  func changes(from index: Int) -> [(id: String, value: Int64?)] { contents.withLock { Array($0.log[index...]) } }

  /// Returns when the log is longer than `length`, or the waiting is ended.
  func waitForChange(beyond length: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = contents.withLock { contents in
        if contents.log.count > length { return true }
        contents.waiting.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Ends all waiting.
  func wake() {
    let waiting = contents.withLock { contents in
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}

/// Settings that carry a store: what a test has instead of a URL.
struct StoreConfig: Configurable {
  var store = DictionaryStore()
  init() {}
  init(_ store: DictionaryStore) { self.store = store }
  static let spec = ConfigSpec<StoreConfig>("A dictionary.", [])
}
