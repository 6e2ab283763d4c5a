import Synchronization

/// Asks running jobs to end after the page in hand. May be called from any thread, also from a signal's.
public final class StopSignal: Sendable {
  private struct State {
    var reason: Int32?
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  /// Nobody has asked yet.
  public init() {}

  /// The signal's number, once somebody has asked.
  public var reason: Int32? { state.withLock { $0.reason } }

  /// Asks. The first reason stays.
  public func request(_ signal: Int32) {
    let waiters = state.withLock { state in
      if state.reason == nil { state.reason = signal }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Throws `StopRequested` once somebody has asked.
  func check() throws { if let reason { throw StopRequested(signal: reason) } }

  /// Returns when somebody has asked, or the task is cancelled.
  public func untilRequested() async {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.reason != nil || Task.isCancelled { return true }
          state.waiters[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
  }
}

/// Somebody asked the run to stop; everything confirmed is saved.
struct StopRequested: Error {
  var signal: Int32
}
