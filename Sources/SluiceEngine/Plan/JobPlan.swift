import SluiceCore

/// A job that passed every check and can be run.
public struct JobPlan: Sendable {
  /// The job's name.
  public var name: String
  /// The source.
  public var source: AdapterPlan
  /// How it is listed.
  public var paging: PagingPlan
  /// What happens to each document, in order.
  public var transforms: [TransformPlan]
  /// Where documents go, in the order of the configuration.
  public var sinks: [SinkPlan]
  /// Whether what is gone is deleted.
  public var mode: Mode
  /// What becomes of documents that are gone, in a mirror.
  public var deletes: DeleteStyle
  /// What happens to a document that cannot be taken.
  public var onReject: OnReject
  /// Where documents that cannot be taken are noted, with `OnReject.deadLetter`.
  public var deadLetters: DeadLetterSettings
  /// What happens when the saved position is refused.
  public var onPositionLost: OnPositionLost
  /// Guards and budgets.
  public var limits: LimitSettings
  /// HTTP settings, for adapters.
  public var http: HTTPSettings
  /// Retry settings, for adapters.
  public var retry: RetrySettings
  /// Whether the job runs when no job is named.
  public var isEnabled: Bool
  /// The digest of the paging settings: saved positions belong to it.
  public var pagingDigest: Fingerprint

  /// One sink of a job.
  public struct SinkPlan: Sendable {
    /// Its name in the job, stable as long as the configuration is: the adapter's name, with a number from the second
    /// of that name on.
    public var name: String
    /// The sink.
    public var adapter: AdapterPlan
    /// The digest of what shapes the documents it gets: the transforms and its own settings.
    public var shape: Fingerprint

    /// One sink of a job.
    public init(name: String, adapter: AdapterPlan, shape: Fingerprint = RunningDigest().value) {
      self.name = name
      self.adapter = adapter
      self.shape = shape
    }
  }

  /// A job made in code.
  public init(
    name: String, source: AdapterPlan, paging: PagingPlan, transforms: [TransformPlan] = [], sinks: [SinkPlan],
    mode: Mode = .copy, deletes: DeleteStyle = .hard, onReject: OnReject = .stop,
    deadLetters: DeadLetterSettings = DeadLetterSettings(),
    onPositionLost: OnPositionLost = .resnapshot,
    limits: LimitSettings = LimitSettings(), http: HTTPSettings = HTTPSettings(),
    retry: RetrySettings = RetrySettings(), isEnabled: Bool = true, pagingDigest: Fingerprint = RunningDigest().value
  ) {
    self.name = name
    self.source = source
    self.paging = paging
    self.transforms = transforms
    self.sinks = sinks
    self.mode = mode
    self.deletes = deletes
    self.onReject = onReject
    self.deadLetters = deadLetters
    self.onPositionLost = onPositionLost
    self.limits = limits
    self.http = http
    self.retry = retry
    self.isEnabled = isEnabled
    self.pagingDigest = pagingDigest
  }
}

extension JobPlan {
  /// Reads a job of a configuration file. Adds every problem to `diagnostics`; nil when the job cannot be run.
  public init?(
    name: String, at mark: Mark, _ node: ConfigNode, catalog: Catalog, into diagnostics: inout Diagnostics
  ) {
    let context = ConfigContext("job \(name)", at: mark)
    guard let settings = JobSettings.spec.decode(node, in: context, into: &diagnostics) else {
      // The components are still read, so that one run reports all problems.
      _ = ComponentReader(catalog: catalog).read(ComponentChoices(readingFrom: node), into: &diagnostics)
      return nil
    }
    let choices = ComponentChoices(settings)
    let parts = ComponentReader(catalog: catalog).read(choices, into: &diagnostics)
    Lint(job: name, mark: mark, settings: settings, node: node).check(choices, parts, into: &diagnostics)
    guard !diagnostics.hasErrors, let source = parts.source, let paging = parts.paging else { return nil }
    let shape = choices.transforms.reduce(into: RunningDigest()) { $1.fold(into: &$0) }
    self.init(
      name: name, source: source, paging: paging, transforms: parts.transforms.compactMap { $0 },
      sinks: Self.sinks(parts.sinks.compactMap { $0 }, choices.sinks, shape: shape), mode: settings.mode ?? .copy,
      deletes: settings.deletes ?? .hard, onReject: settings.onReject, deadLetters: settings.deadLetters,
      onPositionLost: settings.onPositionLost, limits: settings.limits,
      http: settings.http, retry: settings.retry, isEnabled: settings.isEnabled,
      pagingDigest: choices.paging.map(\.digest) ?? RunningDigest().value)
  }

  private static func sinks(
    _ adapters: [AdapterPlan], _ choices: [ComponentChoice], shape: RunningDigest
  ) -> [SinkPlan] {
    var counts: [String: Int] = [:]
    return zip(adapters, choices).map { adapter, choice in
      counts[adapter.name, default: 0] += 1
      let number = counts[adapter.name, default: 1]
      var digest = shape
      choice.fold(into: &digest)
      return SinkPlan(
        name: number == 1 ? adapter.name : "\(adapter.name)-\(number)", adapter: adapter, shape: digest.value)
    }
  }
}

extension ComponentChoice {
  /// Adds the name and the settings, as they are after interpolation, to a digest.
  fileprivate func fold(into digest: inout RunningDigest) {
    digest.fold(name)
    settings.fold(into: &digest)
  }

  fileprivate var digest: Fingerprint {
    var digest = RunningDigest()
    fold(into: &digest)
    return digest.value
  }
}

extension ConfigNode {
  /// Adds the content without places, so that a comment or a blank line changes nothing. Mappings by sorted keys.
  fileprivate func fold(into digest: inout RunningDigest) {
    switch content {
    case .scalar(let scalar):
      digest.fold(scalar.isPlain ? "p" : "q")
      digest.fold(scalar.text)
    case .sequence(let items):
      digest.fold("[\(items.count)")
      for item in items { item.fold(into: &digest) }
    case .mapping(let entries):
      let present = entries.filter { !$0.value.isAbsent }
      digest.fold("{\(present.count)")
      for entry in present.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        digest.fold(entry.key)
        entry.value.fold(into: &digest)
      }
    }
  }
}

extension RunningDigest {
  /// Adds a text with its length, so that two texts never run into each other.
  mutating func fold(_ text: String) {
    let bytes = Array(text.utf8)
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { append(Array($0).span) }
    append(bytes.span)
  }
}

extension JobPlan {
  /// The keys of a job, for the reader of configuration files and for documentation.
  public static var schema: ConfigSchema { JobSettings.spec.schema }
}
