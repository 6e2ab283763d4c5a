import SluiceCore

/// What a run would do, found out without doing it.
public struct PlanReport: Sendable {
  /// What would be done to one sink.
  public struct Sink: Sendable {
    /// The sink's name in the job.
    public var name: String
    /// How it shows its work.
    public var mode: Capabilities.PublishMode
    /// Documents that would be added. Of an append-only sink, all there are.
    public var adds = 0
    /// Documents that would be changed.
    public var updates = 0
    /// Documents that would go.
    public var deletes = 0
    /// Documents that the sink has already.
    public var unchanged = 0
    /// Whether the numbers say what would change. Where not, the sink cannot be read back: `adds` is then the size of the
    /// set that would be written.
    public var isCompared = true
    /// Whether nothing at all would be written.
    public var isCurrent = false
    /// Some keys of each kind, in no promised order.
    public var keys = Keys()

    /// Some keys of each kind.
    public struct Keys: Sendable {
      /// Keys that would be added.
      public var adds: [Key] = []
      /// Keys whose documents would be changed.
      public var updates: [Key] = []
      /// Keys that would go.
      public var deletes: [Key] = []
    }
  }

  /// The listing: how it ended is how a run would end, and its spending is what the plan cost.
  public var run: RunReport
  /// Each sink, in the order of the configuration. Empty where the listing was never begun.
  public var sinks: [Sink] = []

  /// The exit code that the run would have.
  public var exitCode: Int32 { run.exitCode }
}

/// What is known of a job's size without listing its source.
public struct Estimate: Sendable {
  /// Where the number comes from.
  public enum Basis: String, Sendable {
    /// The source has counted.
    case counted
    /// The last listing.
    case lastRun = "last_run"
    /// Nothing is known.
    case unknown
  }

  /// The job.
  public var job: String
  /// Documents to expect; nil where nothing is known.
  public var documents: Int?
  /// Where the number comes from.
  public var basis: Basis
  /// Reads that a run will cost; nil where nothing is known; 0 where reading is free.
  public var reads: Int?
  /// Reads that the estimate cost.
  public var billedReads = 0
  /// Why there is none.
  public var error: SluiceError?

  /// The exit code of this job alone.
  public var exitCode: Int32 { error.map { Int32($0.code.category.rawValue) } ?? 0 }
}
