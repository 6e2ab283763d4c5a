/// How new a document is, as its source tells it. Versions of one key are comparable only within one kind.
@frozen public enum Version: Sendable, Hashable {
  /// The source has no versions.
  case none
  /// A counter that grows with each change.
  case sequence(UInt64)
  /// The time of the last change, to the nanosecond (Firestore: `updateTime`).
  case time(Timestamp)

  /// Whether this version is known to be older than `other`. False where either has none or the kinds differ:
  /// then nothing is known and the later arrival wins.
  public func isOlder(than other: Version) -> Bool {
    switch (self, other) {
    case (.sequence(let a), .sequence(let b)): a < b
    case (.time(let a), .time(let b)): a < b
    default: false
    }
  }
}
