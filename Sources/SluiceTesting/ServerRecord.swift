import Synchronization

/// A request as it arrived at a `ScriptedServer`, byte for byte.
public struct RecordedRequest: Sendable {
  /// The method.
  public let method: String
  /// The target as sent: path and query, undecoded.
  public let target: String
  /// The header lines without their line ends, in order.
  public let headerLines: [String]
  /// The body.
  public let body: [UInt8]
  /// The connection it came over, counted from 0.
  public let connection: Int

  /// The first value of a header, the name compared without regard to case.
  public func header(_ name: String) -> String? {
    for line in headerLines {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else { continue }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return nil
  }
}

/// What a server has seen so far, with the tests that wait for more of it.
final class ServerRecord: Sendable {
  struct Counts: Sendable {
    var requests: [RecordedRequest] = []
    var opened = 0
    var closed = 0
  }

  private struct Waiter {
    var isMet: @Sendable (Counts) -> Bool
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var counts = Counts()
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }

  func update(_ change: (inout Counts) -> Void) {
    let woken = state.withLock { state -> [Waiter] in
      change(&state.counts)
      let counts = state.counts
      let woken = state.waiters.filter { $0.isMet(counts) }
      state.waiters.removeAll { $0.isMet(counts) }
      return woken
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  func wait(until isMet: @escaping @Sendable (Counts) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state -> Bool in
        if isMet(state.counts) { return true }
        state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
        return false
      }
      if isNow { continuation.resume() }
    }
  }
}
