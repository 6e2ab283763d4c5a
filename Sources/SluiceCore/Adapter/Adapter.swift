/// A store that Sluice can read from or write to.
///
/// An adapter says what it can do by conforming to the refinements below (`Pageable`, `Writable`, …), and narrows that
/// for a given configuration in `capabilities(of:)`. The engine makes one instance per job and role, uses it from one
/// job only, and calls `close()` once at the end. Unless a requirement says otherwise, calls on one instance may run at
/// the same time.
public protocol Adapter: Component {
  /// What this configuration can do. Called by `check` without a connection; must be quick and pure.
  ///
  /// The default says what the type conforms to. Start from `Capabilities(conformancesOf: Self.self)` and only take
  /// away, or fill in what a conformance cannot say (order, precision, feed).
  static func capabilities(of config: Config) -> Capabilities

  /// Whether a sink with these settings writes what a source, or another sink, with those works on. Called by `check`
  /// without a connection; must be quick and pure. The default says no.
  static func writes(_ sink: Config, into other: Config) -> Bool

  /// Opens the store. Called once per run, before anything else. Throws a `SluiceError` that says what to do.
  init(_ config: Config, context: AdapterContext) async throws

  /// Ends what was opened. Called once, also after an error or a cancellation; must not fail and must not wait long.
  func close() async
}

extension Adapter {
  /// What the type conforms to.
  public static func capabilities(of config: Config) -> Capabilities { Capabilities(conformancesOf: Self.self) }

  /// Not known to.
  public static func writes(_ sink: Config, into other: Config) -> Bool { false }

  /// Nothing to end.
  public func close() async {}
}

/// What an adapter is given when it is opened.
public struct AdapterContext: Sendable {
  /// The job's name.
  public var job: String
  /// What the adapter is used for.
  public var role: ConfigRole
  /// The folder that relative paths start from: that of the configuration file.
  public var baseDirectory: String
  /// Reads an environment variable. Adapters never ask the process itself, so that tests can say what is set.
  public var environment: @Sendable (String) -> String?
  /// The job's HTTP settings.
  public var http: HTTPSettings
  /// The job's retry settings.
  public var retry: RetrySettings
  /// Whether the adapter is opened only to look, as by `plan` and `verify`: then it makes and changes nothing, not even a
  /// file or table that is not there, which counts as empty. Of a sink only `identity(creating: false)`, `isEmpty()`,
  /// `shows(_:)`, `contents(after:limit:)`, `asKept(_:)` and what is saved of a job are asked for.
  public var changesNothing: Bool
  /// Takes what the adapter has to say while it works. May be called from any task.
  public var report: @Sendable (AdapterEvent) -> Void

  /// A context. Only `role` must be given; tests need no more.
  public init(
    job: String = "job", role: ConfigRole, baseDirectory: String = ".",
    environment: @escaping @Sendable (String) -> String? = { _ in nil }, http: HTTPSettings = HTTPSettings(),
    retry: RetrySettings = RetrySettings(), changesNothing: Bool = false,
    report: @escaping @Sendable (AdapterEvent) -> Void = { _ in }
  ) {
    self.job = job
    self.role = role
    self.baseDirectory = baseDirectory
    self.environment = environment
    self.http = http
    self.retry = retry
    self.changesNothing = changesNothing
    self.report = report
  }
}

/// What an adapter says while it works.
public enum AdapterEvent: Sendable {
  /// Where the adapter talks to, and what decided that (a setting, a variable, a default).
  case endpoint(String, from: String)
  /// A failed step is tried again after `delay`. `attempt` counts the tries made so far.
  case retry(attempt: Int, delay: Duration, error: SluiceError)
  /// Something worth a line in the log.
  case notice(String)
}
