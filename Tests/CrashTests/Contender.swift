import Foundation
import SluiceCore
import Synchronization

@testable import SluiceSQLite

/// Another program that locks a database in the middle of each listing, for so long that who writes to it lags.
final class Contender: Sendable {
  private let path: String
  private let requests: ListRequests
  private let isDone = Mutex(false)
  private let hasEnded = Mutex(false)

  init(_ path: String, _ requests: ListRequests) {
    self.path = path
    self.requests = requests
  }

  /// Contends while `body` works.
  func contending(_ body: () async throws -> Void) async throws {
    async let contention: Void = contend()
    var failure: (any Error)?
    do { try await body() } catch { failure = error }
    isDone.withLock { $0 = true }
    // It may be just about to wait.
    while !hasEnded.withLock({ $0 }) {
      requests.release()
      await Task.yield()
    }
    try await contention
    if let failure { throw failure }
  }

  private func contend() async throws {
    defer { hasEnded.withLock { $0 = true } }
    while !isDone.withLock({ $0 }) {
      let next = requests.count + 3
      await requests.reached(next)
      // Without so many requests it was the end of a run.
      guard requests.count >= next, FileManager.default.fileExists(atPath: path) else { continue }
      do {
        let connection = try Connection(path: path, creating: false, synchronous: .normal)
        try connection.execute("BEGIN IMMEDIATE")
        // Not to wait for anything: this is what makes the other one slow.
        try await Task.sleep(for: .milliseconds(600))
        connection.rollBack()
      } catch let error as SluiceError where error.retry == .transient {}
    }
  }
}
