import Foundation
import SluiceCore
import Synchronization

@testable import SluiceSQLite

/// Another program that locks a database again and again, so that whoever writes to it is slow.
final class Contender: Sendable {
  private let path: String
  private let isDone = Mutex(false)

  init(_ path: String) { self.path = path }

  /// Contends while `body` works.
  func contending<R>(_ body: () async throws -> R) async throws -> R {
    async let contention: Void = contend()
    defer { isDone.withLock { $0 = true } }
    let result = try await body()
    isDone.withLock { $0 = true }
    try await contention
    return result
  }

  private func contend() async throws {
    while !isDone.withLock({ $0 }) {
      // Not to wait for anything: the pauses are what makes the other one slow. In the second it gets its turn.
      if FileManager.default.fileExists(atPath: path) {
        do {
          let connection = try Connection(path: path, creating: false, synchronous: .normal)
          try connection.execute("BEGIN IMMEDIATE")
          try await Task.sleep(for: .milliseconds(120))
          connection.rollBack()
        } catch let error as SluiceError where error.retry == .transient {}
      }
      try await Task.sleep(for: .milliseconds(70))
    }
  }
}
