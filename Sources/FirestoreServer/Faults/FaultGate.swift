import Synchronization

/// A gate that holds answers back until a test opens it.
public final class FaultGate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
    var held: [@Sendable () -> Void] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// A closed gate.
  public init() {}

  /// The number of answers that came to the gate so far.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Returns when so many answers came to the gate, held or let through. Not cancellable: the test must cause them.
  public func arrived(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.arrivals >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Lets the held answers and all later ones through. Idempotent.
  public func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for resume in held { resume() }
  }

  /// Holds an answer, or lets it through where the gate is open.
  func hold(_ resume: @escaping @Sendable () -> Void) {
    let (isOpen, arrived) = state.withLock { state in
      state.arrivals += 1
      if !state.isOpen { state.held.append(resume) }
      let arrivals = state.arrivals
      defer { state.waiters.removeAll { $0.count <= arrivals } }
      return (state.isOpen, state.waiters.filter { $0.count <= arrivals }.map(\.continuation))
    }
    for continuation in arrived { continuation.resume() }
    if isOpen { resume() }
  }
}
