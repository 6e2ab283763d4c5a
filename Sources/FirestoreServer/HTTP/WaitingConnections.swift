import CMicroHTTPD
import Dispatch
import Synchronization

/// Connections whose answer is held back: for a time, or until a gate opens.
final class WaitingConnections: Sendable {
  private struct State {
    var isStopped = false
    var nextID = 0
    var connections: [Int: Connection] = [:]
  }

  /// `@unchecked Sendable`: libmicrohttpd allows to resume a suspended connection from any thread, and does not free it
  /// before it was resumed.
  private struct Connection: @unchecked Sendable { let pointer: OpaquePointer }

  private let state = Mutex(State())

  /// Suspends a connection until the reply is due. False where the server is stopping: then answer at once.
  func suspend(_ connection: OpaquePointer, for reply: HTTPReply) -> Bool {
    let connection = Connection(pointer: connection)
    let id: Int? = state.withLock { state in
      if state.isStopped { return nil }
      MHD_suspend_connection(connection.pointer)
      state.nextID += 1
      state.connections[state.nextID] = connection
      return state.nextID
    }
    guard let id else { return false }
    if let gate = reply.gate {
      gate.hold { [self] in resume(id) }
    } else {
      let nanoseconds = reply.delay.map {
        $0.components.seconds * 1_000_000_000 + $0.components.attoseconds / 1_000_000_000
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds ?? 0))) { [self] in resume(id) }
    }
    return true
  }

  /// Lets every connection go on, and suspends none any more.
  func stop() {
    let all = state.withLock { state in
      state.isStopped = true
      defer { state.connections = [:] }
      return state.connections.values.map { $0 }
    }
    for connection in all { MHD_resume_connection(connection.pointer) }
  }

  private func resume(_ id: Int) {
    // Under the lock, so that `stop` does not return, and the server not end, in between.
    state.withLock { state in
      if let connection = state.connections.removeValue(forKey: id) { MHD_resume_connection(connection.pointer) }
    }
  }
}
