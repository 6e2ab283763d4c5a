import SluiceCore
import Synchronization

/// Keys by the first half of their fingerprints: 8 bytes each, and what a set needs around them. With 2^64 of them, two
/// keys that look alike are out of the question.
final class KeySet: Sendable {
  private let hashes = Mutex<Set<UInt64>>([])

  /// No keys.
  init() {}

  func contains(_ hash: UInt64) -> Bool { hashes.withLock { $0.contains(hash) } }

  func insert(_ new: some Sequence<UInt64>) { hashes.withLock { $0.formUnion(new) } }

  /// How many of the keys are not among them.
  func countOthers(_ keys: [Fingerprint]) -> Int { hashes.withLock { set in keys.count { !set.contains($0.high) } } }
}
