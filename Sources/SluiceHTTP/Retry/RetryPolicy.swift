import SluiceCore

/// How often and how patiently a failed step is repeated. The error's retry class decides whether; this decides when.
public struct RetryPolicy: Sendable, Hashable {
  /// Tries in all, the first included.
  public var maxAttempts = 5
  /// The wait after the first failure.
  public var initialDelay: Duration = .milliseconds(100)
  /// What each further wait is longer by.
  public var multiplier = 1.3
  /// The longest wait of our own choosing.
  public var maxDelay: Duration = .seconds(60)
  /// The longest wait that a server can ask for (Retry-After); a longer one is cut to this.
  public var maxWait: Duration = .seconds(60)
  /// How far a wait is spread at random, as a part of it: 0.5 means from half to one and a half. A server's own wait is
  /// only ever lengthened.
  public var jitter = 0.5
  /// After this long no new try is begun; nil means no limit.
  public var totalTime: Duration? = .seconds(600)

  /// The defaults: 5 tries, 0.1 s × 1.3 (Google's client configuration for Firestore), at most 60 s, 10 minutes in all.
  public init() {}

  /// One try, no repetition.
  public static let none = {
    var policy = RetryPolicy()
    policy.maxAttempts = 1
    return policy
  }()

  /// The wait after a failed try, nil if there is to be no other. `attempt` counts from 1; `random` is 0…1.
  func delay(after error: SluiceError, attempt: Int, random: Double) -> Duration? {
    guard attempt < maxAttempts else { return nil }
    var own = initialDelay
    for _ in 1..<max(attempt, 1) where own < maxDelay { own = own * multiplier }
    own = min(own, maxDelay)
    switch error.retry {
    case .never: return nil
    case .credentials: return .zero
    case .throttled(let after?): return min(after, maxWait) + max(own, min(after, maxWait) * 0.1) * (jitter * random)
    case .transient, .throttled(nil): return own * (1 + jitter * (2 * random - 1))
    }
  }
}

/// A failed try that will be repeated.
public struct RetryEvent: Sendable {
  /// The try that failed, counted from 1.
  public var attempt: Int
  /// The wait before the next.
  public var delay: Duration
  /// Why it failed.
  public var error: SluiceError
}

/// A policy with what it needs to run: a clock, chance, and somebody who counts.
public struct Retrying: Sendable {
  /// The policy.
  public var policy: RetryPolicy
  /// Told of every repetition before its wait begins; called from the retrying task.
  public var onRetry: @Sendable (RetryEvent) -> Void
  private let now: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let random: @Sendable () -> Double

  /// Retries on `clock`. `random` gives numbers from 0 to 1.
  public init<C: Clock>(
    _ policy: RetryPolicy = RetryPolicy(), clock: C = ContinuousClock(),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    onRetry: @escaping @Sendable (RetryEvent) -> Void = { _ in }
  ) where C.Duration == Duration {
    self.policy = policy
    self.onRetry = onRetry
    self.random = random
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Runs `operation` until it succeeds, or its error says that repeating is useless, or the policy is used up. Errors
  /// that are no `SluiceError` end it at once.
  ///
  /// For the class `credentials`, `renewCredentials` is called and the step tried once more; without it such an error
  /// ends the matter. `operation` gets the number of the try, counted from 1.
  nonisolated(nonsending)
    public func run<T>(
      renewCredentials: (() async throws -> Void)? = nil, _ operation: (Int) async throws -> T
    ) async throws -> T
  {
    let start = now()
    var attempt = 1
    var hasRenewed = false
    while true {
      do {
        return try await operation(attempt)
      } catch let error as SluiceError {
        try Task.checkCancellation()
        guard let delay = policy.delay(after: error, attempt: attempt, random: random()) else { throw error }
        if let total = policy.totalTime, now() - start + delay > total { throw error }
        if error.retry == .credentials {
          guard let renewCredentials, !hasRenewed else { throw error }
          hasRenewed = true
          onRetry(RetryEvent(attempt: attempt, delay: delay, error: error))
          try await renewCredentials()
        } else {
          onRetry(RetryEvent(attempt: attempt, delay: delay, error: error))
          try await sleep(delay)
        }
        attempt += 1
      }
    }
  }
}
