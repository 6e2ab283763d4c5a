import SluiceCore

/// How the sinks of a job compare with its source.
public struct VerifyReport: Sendable {
  /// One sink beside the source.
  public struct Sink: Sendable {
    /// The sink's name in the job.
    public var name: String
    /// Whether the sink can be read back. Where not, nothing else is known.
    public var isReadable = true
    /// Documents that both have alike.
    public var equal = 0
    /// Keys that the sink lacks.
    public var missing: [Key] = []
    /// Keys whose documents differ.
    public var different: [Key] = []
    /// Keys that only the sink has. In a copy that is no difference; where the listing proves nothing, none are named.
    public var extra: [Key] = []
    /// Whether extra keys are a difference.
    public var countsExtra = false

    /// Whether it is as it should be.
    public var isSame: Bool { missing.isEmpty && different.isEmpty && (!countsExtra || extra.isEmpty) }
  }

  /// The listing. Where sinks differ, it failed with `differs`.
  public var run: RunReport
  /// Each sink, in the order of the configuration. Empty where the listing did not come to its end.
  public var sinks: [Sink] = []
  /// What a repair did; nil where there was none.
  public var repair: RunReport?

  /// The exit code of this job alone: of the repair, where there was one.
  public var exitCode: Int32 { repair?.exitCode ?? run.exitCode }
}

/// Choices for a verification.
public struct VerifyOptions: Sendable {
  /// Write what differs, and delete what only the sink of a mirror has.
  public var repairs: Bool
  /// The most deletes of a repair.
  public var maxDelete: CountOrPercentage?

  /// Choices for a verification.
  public init(repairs: Bool = false, maxDelete: CountOrPercentage? = nil) {
    self.repairs = repairs
    self.maxDelete = maxDelete
  }
}

extension SluiceError.Code {
  /// `verify` found that a sink is not what the source is.
  public static let differs = Self("differs", .difference)
  /// No sink of the job can be read back.
  public static let notVerifiable = Self("not_verifiable", .usage)
}
