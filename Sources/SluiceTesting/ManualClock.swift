import Synchronization

/// A clock that stands still until a test moves it.
///
/// With `skipsSleeps` every sleep is over at once and moves the clock by its length: for code whose waits are to be
/// counted and not lived through.
public final class ManualClock: Clock, Sendable {
  /// A moment of a manual clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Duration

    /// The moment so much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time to another moment.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// In the order of time.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    var id: Int
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    var count: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var cancelled: Set<Int> = []
    var sleepers: [Sleeper] = []
    var watchers: [Watcher] = []
    var sleeps: [Duration] = []
  }

  private let skipsSleeps: Bool
  private let state = Mutex(State())

  /// A clock at zero.
  public init(skipsSleeps: Bool = false) { self.skipsSleeps = skipsSleeps }

  /// The moment the clock shows.
  public var now: Instant { state.withLock { $0.now } }
  /// Nothing is too short for a manual clock.
  public var minimumResolution: Duration { .zero }
  /// The lengths of all sleeps begun so far, in order.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// Sleeps until the test has moved the clock to `deadline`, or the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { begin(Sleeper(id: id, deadline: deadline, continuation: $0)) }
    } onCancel: {
      cancel(id)
    }
  }

  private func begin(_ sleeper: Sleeper) {
    let (result, watchers) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
      if state.cancelled.remove(sleeper.id) != nil { return (.failure(CancellationError()), []) }
      state.sleeps.append(state.now.duration(to: sleeper.deadline))
      if skipsSleeps { state.now = max(state.now, sleeper.deadline) }
      if sleeper.deadline <= state.now { return (.success(()), []) }
      state.sleepers.append(sleeper)
      let count = state.sleepers.count
      let watchers = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return (nil, watchers)
    }
    if let result { sleeper.continuation.resume(with: result) }
    for watcher in watchers { watcher.continuation.resume() }
  }

  private func cancel(_ id: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  /// Moves the clock on and wakes whoever has slept long enough.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state -> [Sleeper] in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let woken = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until so many tasks sleep on this clock: then it is time to advance it.
  public func waitForSleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isMet = state.withLock { state -> Bool in
        if state.sleepers.count >= count { return true }
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return false
      }
      if isMet { continuation.resume() }
    }
  }
}
