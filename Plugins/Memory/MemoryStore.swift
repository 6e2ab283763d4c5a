import SluiceCore
import Synchronization

/// Documents kept in this process, in the order of their keys. May be used from any number of tasks at once.
///
/// A document without a version gets one: the number of the change that brought it. Documents are kept with memory of
/// their own, so that no page stays alive for the sake of one of them.
public final class MemoryStore: Sendable {
  /// Random words that tell this store from every other, also from one of the same name in another process.
  public let identity: String
  let state = Mutex(State())

  /// An empty store without a name. `MemoryStore.named(_:)` gives the one that a job's configuration names.
  public init() {
    let word = UInt128.random(in: .min ... .max)
    identity = String(word, radix: 36)
  }

  /// How many documents there are.
  public var count: Int { state.withLock { $0.documents.count } }

  /// What the store holds now.
  public var snapshot: MemorySnapshot { state.withLock { $0.snapshot() } }

  /// The document of a key as it is now; nil where there is none.
  public subscript(key: Key) -> Document? { state.withLock { $0.documents[key] } }

  /// Puts a document in, whatever was there under its key. Returns the version it is kept under.
  @discardableResult public func upsert(_ document: Document) -> Version {
    let document = document.compacted()
    return state.withLock { $0.put(document) }
  }

  /// Puts a document of a flat collection in: `key` is its id, any text. Returns the version it is kept under.
  @discardableResult public func upsert(key: String, _ fields: KeyValuePairs<String, Value>) -> Version {
    upsert(Document(key: Key(key), fields.map { Field($0.key, $0.value) }))
  }

  /// Changes the fields of a document; nothing where there is none. Returns its new version. No other change comes
  /// between reading and writing.
  @discardableResult public func update(_ key: Key, _ body: (inout [Field]) -> Void) -> Version? {
    state.withLock { state in
      guard let old = state.documents[key] else { return nil }
      var fields = old.fields.materialized
      body(&fields)
      return state.put(Document(key: key, fields))
    }
  }

  /// Takes a document out. Returns whether there was one.
  @discardableResult public func delete(_ key: Key) -> Bool { state.withLock { $0.remove(key) } }

  /// Takes everything out.
  public func deleteAll() {
    state.withLock { state in
      state.revision += 1
      state.documents = OrderedDocuments()
      state.marked = []
    }
  }
}

extension MemoryStore {
  /// All that changes under the lock.
  struct State {
    var documents = OrderedDocuments()
    /// Keys of documents that were deleted and are kept, marked.
    var marked: Set<Key> = []
    /// Grows with every change.
    var revision: UInt64 = 0
    var stage: MemoryStage?
    /// What was swapped in last, and the revision that this made.
    var published: (publication: Publication, revision: UInt64)?

    mutating func snapshot() -> MemorySnapshot {
      MemorySnapshot(revision: revision, documents: documents.ordered())
    }

    mutating func put(_ document: Document) -> Version {
      revision += 1
      var document = document
      if document.version == .none { document.header.version = .sequence(revision) }
      documents.put(document)
      marked.remove(document.key)
      return document.version
    }

    mutating func remove(_ key: Key) -> Bool {
      guard documents[key] != nil else { return false }
      revision += 1
      documents.remove(key)
      marked.remove(key)
      return true
    }
  }
}
