import SluiceCore

/// A connection that several tasks may share: one transaction at a time, and waiting for a lock takes no thread.
actor Database {
  /// How a transaction begins.
  enum Access: String {
    /// A snapshot of what is there.
    case read = "BEGIN"
    /// With the write lock from its start, so that it cannot lose it half way.
    case write = "BEGIN IMMEDIATE"
  }

  /// How long to wait for others.
  struct Patience {
    /// How long one try waits for a lock.
    var lock = Duration.seconds(2)
    /// How often, and with which pauses, it is tried again.
    var retry = RetrySettings()
    /// Told before each further try.
    var report: @Sendable (_ attempt: Int, _ delay: Duration, _ error: SluiceError) -> Void = { _, _, _ in }
  }

  private var connection: Connection?
  private let path: String
  private let patience: Patience

  /// Guards a connection that `open` makes.
  init(path: String, patience: Patience = Patience(), open: @Sendable (String) throws -> Connection) throws {
    self.path = path
    self.patience = patience
    connection = try open(path)
  }

  /// Ends the connection. Whatever is not committed is gone.
  func close() { connection = nil }

  /// Reads in one snapshot.
  func read<R: Sendable>(_ body: @Sendable (Connection) throws -> R) async throws -> R {
    try await transaction(.read, body).value
  }

  /// Writes in one transaction: all of it or, where `body` throws, nothing. `body` may run several times.
  @discardableResult func write<R: Sendable>(
    _ body: @Sendable (Connection) throws -> R
  ) async throws -> (value: R, retries: Int) {
    try await transaction(.write, body)
  }

  private func transaction<R: Sendable>(
    _ access: Access, _ body: @Sendable (Connection) throws -> R
  ) async throws -> (value: R, retries: Int) {
    var attempt = 1
    var delay = patience.retry.initialDelay
    while true {
      do {
        return (try await waitingForLock { try self.attempt(access, body) }, attempt - 1)
      } catch let error as SluiceError where error.retry == .transient && attempt < patience.retry.attempts {
        patience.report(attempt, delay, error)
        try await Task.sleep(for: delay)
        attempt += 1
        delay = min(delay * patience.retry.factor, patience.retry.maxDelay)
      }
    }
  }

  private func waitingForLock<R: Sendable>(_ body: () throws -> R) async throws -> R {
    let deadline = ContinuousClock.now + patience.lock
    var pause = Duration.milliseconds(5)
    while true {
      do {
        return try body()
      } catch let error as SluiceError where error.retry == .transient && ContinuousClock.now < deadline {
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
      }
    }
  }

  private func attempt<R>(_ access: Access, _ body: (Connection) throws -> R) throws -> R {
    guard let connection else { throw SluiceError(.internal, "the database \(path) was used after it was closed") }
    do {
      try connection.statement(access.rawValue).run()
      let result = try body(connection)
      try connection.statement("COMMIT").run()
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }
}
