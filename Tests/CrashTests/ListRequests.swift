import FirestoreServer
import Foundation
import SluiceCore
import Synchronization
import Testing

/// Counts the list requests that reach a server, the moment they come: before they are answered.
final class ListRequests: Sendable {
  private struct State {
    var count = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// A script that lets everything through and counts.
  var script: FaultScript {
    let match = FaultMatch { request in
      if request.method == .list { self.arrive() }
      return false
    }
    return FaultScript(FaultRule(match, .status(500)))
  }

  var count: Int { state.withLock { $0.count } }

  /// Returns once so many have come, or `release` was called.
  func reached(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  /// Lets everybody go who waits: the requests will not come.
  func release() { resume { _ in true } }

  private func arrive() {
    let count = state.withLock { state in
      state.count += 1
      return state.count
    }
    resume { $0 <= count }
  }

  private func resume(where isMet: (Int) -> Bool) {
    let met = state.withLock { state in
      let met = state.waiters.filter { isMet($0.count) }
      state.waiters.removeAll { isMet($0.count) }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }
}

extension FirestoreServer {
  /// Returns once the server has answered everything that reached it before: its one thread serves connections in turn,
  /// so that its answer on a new one comes after whatever a dead client had left behind.
  func settle() throws {
    for _ in 0..<2 { try probe() }
  }

  /// The page tokens of the list requests so far, in their order; an empty one for a first page.
  var listTokens: [String] {
    log.requests.filter { $0.method == .list }.map { $0.parameter("pageToken") ?? "" }
  }

  private func probe() throws {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0, "the server does not listen")
    let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    try #require(send(descriptor, request, request.count, 0) == request.count)
    var buffer = [UInt8](repeating: 0, count: 4096)
    var received = 0
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { received += count }
    try #require(received > 0, "the server did not answer")
  }
}
