import Synchronization

/// Changes of a feed with the position after them.
public struct ChangeBatch: Sendable {
  /// What a batch of a feed is for.
  public enum Kind: Sendable, Hashable {
    /// Changes.
    case data
    /// Nothing changed; the position moved.
    case heartbeat
    /// The feed can no longer tell what changed: list again.
    case resync
  }

  /// The changes, in the feed's order.
  public var batch: Batch
  /// The position after the changes. Save it only together with them.
  public var position: WatchPosition
  /// What the batch is for.
  public var kind: Kind

  /// Changes with the position after them.
  public init(_ batch: Batch, position: WatchPosition, kind: Kind = .data) {
    self.batch = batch
    self.position = position
    self.kind = kind
  }
}

/// A feed being followed: it is pulled, so that a slow sink slows its source and nothing piles up.
///
/// `next()` is called by one task at a time. `cancel()` may be called from any task, is idempotent, and also happens
/// when the last copy is dropped.
public struct BatchStream: AsyncSequence, Sendable {
  private final class Source: Sendable {
    let pull: @Sendable () async throws -> ChangeBatch?
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    init(pull: @escaping @Sendable () async throws -> ChangeBatch?, onCancel: @escaping @Sendable () -> Void) {
      self.pull = pull
      self.onCancel = Mutex(onCancel)
    }

    func cancel() {
      let action = onCancel.withLock { stored in
        defer { stored = nil }
        return stored
      }
      action?()
    }

    deinit { cancel() }
  }

  private let source: Source

  /// A feed. `pull` waits for the next batch and returns nil at the end; `onCancel` is called at most once and makes a
  /// waiting `pull` return soon.
  public init(
    pull: @escaping @Sendable () async throws -> ChangeBatch?, onCancel: @escaping @Sendable () -> Void = {}
  ) {
    source = Source(pull: pull, onCancel: onCancel)
  }

  /// Waits for the next batch. Nil: the feed has ended. A cancelled task cancels the feed.
  public func next() async throws -> ChangeBatch? {
    let source = source
    return try await withTaskCancellationHandler {
      try await source.pull()
    } onCancel: {
      source.cancel()
    }
  }

  /// Ends the feed.
  public func cancel() { source.cancel() }

  /// Iterates by pulling.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let stream: BatchStream

    /// Waits for the next batch.
    public mutating func next() async throws -> ChangeBatch? { try await stream.next() }
  }

  /// Iterates by pulling.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
}
