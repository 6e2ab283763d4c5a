import SluiceCore

/// A set on its way: the changes in the order they came, so that it can be cut back to any point a checkpoint knows.
///
/// It lies in the store, not in the adapter, so that a run of the same process can take up what an earlier one staged.
struct MemoryStage {
  let generation: UInt64
  /// Who stages: of two adapters on one store, the later takes the stage away from the earlier.
  let owner: UInt64
  private var changes: [Change] = []
  private var documentCount = 0
  private var digest = RunningDigest()

  init(generation: UInt64, owner: UInt64) {
    self.generation = generation
    self.owner = owner
  }

  /// How far it has grown.
  var mark: StageMark {
    StageMark(length: UInt64(changes.count), digest: digest.value, documents: documentCount)
  }

  mutating func append(_ batch: Batch) {
    for change in batch.compacted() { append(change) }
  }

  /// The stage cut back to a mark, for another owner; nil where it was never at that point.
  func cut(to wanted: StageMark, owner: UInt64) -> MemoryStage? {
    guard wanted.length <= UInt64(changes.count) else { return nil }
    var result = MemoryStage(generation: generation, owner: owner)
    for change in changes[..<Int(wanted.length)] { result.append(change) }
    return result.mark == wanted ? result : nil
  }

  /// The documents in the order of their keys; of equal keys the newest, and where none is known to be, the last.
  func documents() -> [Document] {
    var set: [Key: Document] = [:]
    set.reserveCapacity(documentCount)
    for change in changes {
      let key = change.key
      switch change {
      case .upsert(let document):
        if let held = set[key], document.version.isOlder(than: held.version) { continue }
        set[key] = document
      case .delete(_, let version):
        if let held = set[key], version.isOlder(than: held.version) { continue }
        set[key] = nil
      case .dropped: break
      }
    }
    return set.sorted { $0.key < $1.key }.map(\.value)
  }

  private mutating func append(_ change: Change) {
    switch change {
    case .upsert(let document):
      // A name without a document is nothing to mirror.
      if document.isMissing { return }
      document.fold(into: &digest)
      documentCount += 1
    case .delete(let key, let version):
      digest.append(Fingerprint(of: key.bytes.span))
      digest.append(words: version.words)
    case .dropped: return
    }
    changes.append(change)
  }
}

extension Document {
  /// Adds all that a store keeps of the document.
  fileprivate func fold(into digest: inout RunningDigest) {
    withKeyBytes { digest.append(Fingerprint(of: $0)) }
    digest.append(fingerprint)
    digest.append(words: version.words + words(of: createTime) + words(of: updateTime))
  }

  private func words(of time: Timestamp?) -> [UInt64] { time.map { Version.time($0).words } ?? Version.none.words }
}

extension Version {
  /// The version as three numbers, other ones for every other version.
  fileprivate var words: [UInt64] {
    switch self {
    case .none: [0, 0, 0]
    case .sequence(let number): [1, number, 0]
    case .time(let time): [2, UInt64(bitPattern: time.seconds), UInt64(time.nanoseconds)]
    }
  }
}

extension RunningDigest {
  fileprivate mutating func append(words: [UInt64]) {
    var bytes: [UInt8] = []
    for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    append(bytes.span)
  }
}
