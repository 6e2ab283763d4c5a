/// The one error of Sluice: what went wrong, where, whether trying again can help, and what to do.
///
/// Everything thrown across the contract is a `SluiceError` (or `CancellationError`, where a task was cancelled).
/// Messages never contain a secret: whoever builds one names the setting, not its value.
public struct SluiceError: Error, Sendable {
  /// What went wrong, as a stable word that scripts and logs may rely on.
  public var code: Code
  /// One sentence without a full stop, in lower case, that says what happened.
  public var message: String
  /// Where it happened.
  public var place: Place
  /// Whether the same step may be tried again.
  public var retry: Retry
  /// What the reader can do about it.
  public var hint: String?
  /// The errors that led to this one, the nearest first.
  public var causes: [SluiceError]

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, at place: Place = Place(), retry: Retry = .never, hint: String? = nil,
    causes: [SluiceError] = []
  ) {
    self.code = code
    self.message = message
    self.place = place
    self.retry = retry
    self.hint = hint
    self.causes = causes
  }

  /// The same error, with every part of `place` that it does not know yet filled in.
  public func at(_ place: Place) -> SluiceError {
    var error = self
    error.place.fill(from: place)
    return error
  }
}

extension SluiceError {
  /// Whether a failed step may be tried again, and how.
  public enum Retry: Sendable, Hashable {
    /// Trying again gives the same answer.
    case never
    /// A passing fault: try again after a back-off.
    case transient
    /// The other side asked for patience. `after` is what it named (Retry-After), nil when it named nothing.
    case throttled(after: Duration?)
    /// The credentials were refused: try once more with fresh ones.
    case credentials
  }

  /// What kind of end an error is: it decides the exit code of a run (0 is success).
  public enum Category: Int, Sendable, Hashable, CaseIterable {
    /// The run failed.
    case failure = 1
    /// The command line or the configuration is wrong; nothing was begun.
    case usage = 2
    /// A guard refused to go on.
    case guardRefusal = 3
    /// A budget is used up; the run can be resumed.
    case budget = 4
    /// `verify` found a difference.
    case difference = 5
    /// The run ended, but some documents were rejected.
    case rejects = 6
    /// Another process runs this job.
    case busy = 7
  }

  /// A stable word for what went wrong, with the category that decides the exit code.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The word, in `snake_case`.
    public let name: String
    /// The kind of end.
    public let category: Category

    /// A code of a component's own. Prefix the name with the component's.
    public init(_ name: String, _ category: Category = .failure) {
      self.name = name
      self.category = category
    }

    /// The word.
    public var description: String { name }
  }
}

/// Codes that more than one module speaks of.
extension SluiceError.Code {
  /// The configuration cannot be used; the diagnostics say why.
  public static let invalidConfiguration = Self("invalid_configuration", .usage)
  /// A command-line argument is wrong.
  public static let usage = Self("usage", .usage)
  /// The source, the query or the paging is not the one the saved state belongs to.
  public static let sourceChanged = Self("source_changed", .usage)
  /// Input that is not what its format says.
  public static let malformedData = Self("malformed_data")
  /// A single document or value cannot be taken by the other side; the others can.
  public static let rejected = Self("rejected")
  /// A file, folder or stream of this machine failed.
  public static let io = Self("io")
  /// Connecting, sending or receiving failed.
  public static let network = Self("network")
  /// The other side did not answer in time.
  public static let timeout = Self("timeout")
  /// The other side answered with an error.
  public static let remote = Self("remote")
  /// The other side refused the credentials.
  public static let unauthenticated = Self("unauthenticated")
  /// The other side refused the request for these credentials.
  public static let permissionDenied = Self("permission_denied")
  /// A page token, a read time or a watch position is no longer accepted.
  public static let positionLost = Self("position_lost")
  /// A limit on size, depth or count was passed.
  public static let limitExceeded = Self("limit_exceeded")
  /// The listing came back to a position it had already asked for.
  public static let loopDetected = Self("loop_detected", .guardRefusal)
  /// A page brought only keys that this listing had already seen.
  public static let noProgress = Self("no_progress", .guardRefusal)
  /// Too many pages in a row were empty.
  public static let tooManyEmptyPages = Self("too_many_empty_pages", .guardRefusal)
  /// More deletes than `max_delete` allows.
  public static let tooManyDeletes = Self("too_many_deletes", .guardRefusal)
  /// The source is empty, and `allow_empty` is not set.
  public static let emptySource = Self("empty_source", .guardRefusal)
  /// A budget of reads, writes, deletes, requests, bytes or time is used up.
  public static let budgetReached = Self("budget_reached", .budget)
  /// The saved state is damaged, of another program, or of a newer version.
  public static let invalidState = Self("invalid_state")
  /// Somebody else changed the saved state meanwhile.
  public static let stateConflict = Self("state_conflict")
  /// Another process holds this job.
  public static let alreadyRunning = Self("already_running", .busy)
  /// A defect of Sluice itself.
  public static let `internal` = Self("internal")
}
