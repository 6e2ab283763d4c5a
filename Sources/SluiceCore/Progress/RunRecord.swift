/// What is remembered of a run: when it was, how it ended, what it did.
public struct RunRecord: Sendable, Equatable {
  /// The job.
  public var job: String
  /// When it began.
  public var startedAt: Timestamp
  /// How long it took, in milliseconds.
  public var milliseconds: Int
  /// How it ended: `completed`, `completed_with_rejects`, `interrupted` or `failed`.
  public var outcome: String
  /// The exit code of the job.
  public var exitCode: Int
  /// The code of the error it failed with. Messages are not kept.
  public var error: String?
  /// The listing's generation.
  public var generation: UInt64
  /// Counts of the listing.
  public var counters: Checkpoint.Counters
  /// What this run used.
  public var spending: Spending

  /// What is remembered of a run.
  public init(
    job: String, startedAt: Timestamp, milliseconds: Int, outcome: String, exitCode: Int, error: String? = nil,
    generation: UInt64, counters: Checkpoint.Counters = Checkpoint.Counters(), spending: Spending = Spending()
  ) {
    self.job = job
    self.startedAt = startedAt
    self.milliseconds = milliseconds
    self.outcome = outcome
    self.exitCode = exitCode
    self.error = error
    self.generation = generation
    self.counters = counters
    self.spending = spending
  }
}

extension RunRecord {
  /// The record as a value, for state stores that keep text. Names are stable; new ones may be added.
  public var savedForm: Value {
    var map = SavedMap()
    map["job"] = .string(job)
    map["started_at"] = .saved(startedAt)
    map["milliseconds"] = .int(Int64(milliseconds))
    map["outcome"] = .string(outcome)
    map["exit_code"] = .int(Int64(exitCode))
    if let error { map["error"] = .string(error) }
    map["generation"] = .saved(generation)
    map["counters"] = counters.savedForm
    map["spending"] = .map(Self.spending.map { Field($0.name, .int(Int64(spending[keyPath: $0.path]))) })
    return map.value
  }

  /// Reads what `savedForm` gave. Throws `invalid_state` where it is damaged.
  public init(savedForm: Value) throws {
    let map = try SavedMap(savedForm, "run")
    let used = try SavedMap(try map.required("spending"), "run.spending")
    var spending = Spending()
    for (name, path) in Self.spending { spending[keyPath: path] = try used.int(name) }
    self.init(
      job: try map.text("job"), startedAt: try Timestamp(savedForm: try map.required("started_at")),
      milliseconds: try map.int("milliseconds"), outcome: try map.text("outcome"), exitCode: try map.int("exit_code"),
      error: try map.optionalText("error"), generation: try map.unsigned("generation"),
      counters: try Checkpoint.Counters(savedForm: try map.required("counters")), spending: spending)
  }

  private static var spending: [(name: String, path: WritableKeyPath<Spending, Int>)] {
    [
      ("reads", \.reads), ("writes", \.writes), ("deletes", \.deletes), ("requests", \.requests), ("bytes", \.bytes),
    ]
  }
}
