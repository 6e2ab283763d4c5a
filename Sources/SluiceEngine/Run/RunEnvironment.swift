import SluiceCore

/// What a run has around it, given from outside so that tests can give another.
public struct RunEnvironment: Sendable {
  /// The folder that relative paths start from.
  public var baseDirectory: String
  /// Reads an environment variable.
  public var environment: @Sendable (String) -> String?
  /// The wall clock, for days and saved times.
  public var now: @Sendable () -> Timestamp
  /// A clock that only goes forward, for durations.
  public var elapsed: @Sendable () -> Duration
  /// Takes every event. Called in order for one job, from the job's task.
  public var observe: @Sendable (RunEvent) -> Void
  /// Ends the run early.
  public var stop: StopSignal
  /// Opens the place for dead letters of a job; nil where the program has none.
  public var deadLetters: (@Sendable (JobPlan) throws -> any DeadLetterBox)?

  /// The surroundings of a run.
  public init(
    baseDirectory: String = ".", environment: @escaping @Sendable (String) -> String? = { _ in nil },
    now: @escaping @Sendable () -> Timestamp, elapsed: (@Sendable () -> Duration)? = nil,
    observe: @escaping @Sendable (RunEvent) -> Void = { _ in }, stop: StopSignal = StopSignal(),
    deadLetters: (@Sendable (JobPlan) throws -> any DeadLetterBox)? = nil
  ) {
    self.baseDirectory = baseDirectory
    self.environment = environment
    self.now = now
    let start = ContinuousClock.now
    self.elapsed = elapsed ?? { ContinuousClock.now - start }
    self.observe = observe
    self.stop = stop
    self.deadLetters = deadLetters
  }
}

/// Choices for one run that the configuration does not make.
public struct RunOptions: Sendable {
  /// Begin a new listing, also where the saved one belongs to another source. The ledger stays, the guards stay on.
  public var restart: Bool
  /// The most deletes by absence, for this run only.
  public var maxDelete: CountOrPercentage?
  /// Begin a new listing, trust nothing that is known of the sinks, and write everything again.
  public var full: Bool
  /// Stop after so many documents. Such a listing proves nothing and is not resumed.
  public var limit: Int?
  /// Bring only these keys, by looking them up. The saved listing stays as it is.
  public var only: [Key]
  /// What a verification found, to be written and deleted in the place of a listing.
  var mend: Mending?

  /// Choices for one run.
  public init(
    restart: Bool = false, maxDelete: CountOrPercentage? = nil, full: Bool = false, limit: Int? = nil, only: [Key] = []
  ) {
    self.restart = restart
    self.maxDelete = maxDelete
    self.full = full
    self.limit = limit
    self.only = only
  }
}
