import SluiceCore

/// What one run of one job did.
public struct RunReport: Sendable {
  /// How it ended.
  public enum Outcome: Sendable {
    /// Everything was done.
    case completed
    /// Everything was done, but some documents were left out.
    case completedWithRejects
    /// It was stopped by a signal, with everything confirmed saved.
    case interrupted(signal: Int32)
    /// It failed.
    case failed(SluiceError)
  }

  /// What happened to one sink.
  public struct Sink: Sendable {
    /// The sink's name in the job.
    public var name: String
    /// Documents written.
    public var writes = 0
    /// Documents deleted.
    public var deletes = 0
    /// Documents it had already.
    public var unchanged = 0
    /// Whether the sink is given a whole set, which is staged and swapped in at the end.
    public var isStaged = false
    /// Documents in the stage. They are among the writes once the stage is swapped in.
    public var staged = 0
    /// Whether a set was swapped in.
    public var isPublished = false
    /// Whether it already showed the very same set.
    public var wasCurrent = false

    /// A sink to which nothing happened yet.
    public init(name: String, isStaged: Bool = false) {
      self.name = name
      self.isStaged = isStaged
    }
  }

  /// The job's name.
  public var job: String
  /// How it ended.
  public var outcome: Outcome
  /// Counts since the listing began.
  public var counters = Checkpoint.Counters()
  /// Pages that an earlier run had confirmed.
  public var resumedPages = 0
  /// Requests for pages, reads and bytes of this run.
  public var spending = Spending()
  /// Each sink, in the order of the configuration.
  public var sinks: [Sink] = []
  /// What the reader should know: what was skipped and why, and where a number is not sure.
  public var notes: [String] = []
  /// How long it took.
  public var duration = Duration.zero
  /// The listing's generation; 0 where none was begun.
  public var generation: UInt64 = 0

  /// A report of a job of which nothing is known yet but how it ended.
  public init(job: String, outcome: Outcome) {
    self.job = job
    self.outcome = outcome
  }

  /// The exit code of this job alone.
  public var exitCode: Int32 {
    switch outcome {
    case .completed: 0
    case .completedWithRejects: Int32(SluiceError.Category.rejects.rawValue)
    case .interrupted(let signal): 128 + signal
    case .failed(let error): Int32(error.code.category.rawValue)
    }
  }
}

extension RunReport.Outcome {
  /// A stable word: `completed`, `completed_with_rejects`, `interrupted` or `failed`.
  public var word: String {
    switch self {
    case .completed: "completed"
    case .completedWithRejects: "completed_with_rejects"
    case .interrupted: "interrupted"
    case .failed: "failed"
    }
  }
}

extension RunRecord {
  init(_ report: RunReport, startedAt: Timestamp) {
    let (seconds, attoseconds) = report.duration.components
    self.init(
      job: report.job, startedAt: startedAt, milliseconds: Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000),
      outcome: report.outcome.word, exitCode: Int(report.exitCode), generation: report.generation,
      counters: report.counters, spending: report.spending)
    if case .failed(let error) = report.outcome { self.error = error.code.name }
  }
}
