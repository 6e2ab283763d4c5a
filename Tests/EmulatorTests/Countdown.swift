import Synchronization

/// Says yes so many times.
final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  func next() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
}
