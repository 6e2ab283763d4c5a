/// One problem of a configuration, with its place and what to do.
public struct Diagnostic: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable {
    /// The configuration cannot be used.
    case error
    /// It can be used, but probably not as meant.
    case warning
  }

  /// A second place that belongs to the problem: the first of two equal keys, the anchor of an alias.
  public struct Note: Sendable, Hashable {
    /// Where.
    public var mark: Mark
    /// What is there.
    public var message: String

    /// A second place.
    public init(_ message: String, at mark: Mark) {
      self.mark = mark
      self.message = message
    }
  }

  /// How bad it is.
  public var severity: Severity
  /// A stable word: `unknown_key`, `duplicate_key`, `wrong_type`, …
  public var code: String
  /// One sentence without a full stop. Values that came from `${env:}` or `${file:}` appear as their expression.
  public var message: String
  /// Where; nil only where the file as a whole is meant.
  public var mark: Mark?
  /// What the reader probably meant.
  public var suggestion: String?
  /// What the reader can do about it.
  public var hint: String?
  /// Further places.
  public var notes: [Note]
  /// Whether the line of the file must not be shown with it, because a secret stands there.
  public var hidesSource = false

  /// Makes a diagnostic.
  public init(
    _ severity: Severity = .error, _ code: String, _ message: String, at mark: Mark?, suggestion: String? = nil,
    hint: String? = nil, notes: [Note] = []
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.mark = mark
    self.suggestion = suggestion
    self.hint = hint
    self.notes = notes
  }
}

/// Gathers every problem of a configuration, so that one run reports them all.
public struct Diagnostics: Sendable {
  /// What was found, in the order of finding.
  public private(set) var all: [Diagnostic] = []
  private var known: Set<Diagnostic> = []

  /// Nothing found yet.
  public init() {}

  /// Whether anything found makes the configuration unusable.
  public var hasErrors: Bool { all.contains { $0.severity == .error } }

  /// Adds one problem; the same problem at the same place is kept once.
  public mutating func add(_ diagnostic: Diagnostic) {
    if known.insert(diagnostic).inserted { all.append(diagnostic) }
  }

  /// Adds all problems of another gathering.
  public mutating func add(contentsOf other: Diagnostics) {
    for diagnostic in other.all { add(diagnostic) }
  }

  /// Adds an error.
  public mutating func error(
    _ code: String, _ message: String, at mark: Mark?, suggestion: String? = nil, hint: String? = nil,
    notes: [Diagnostic.Note] = []
  ) {
    add(Diagnostic(.error, code, message, at: mark, suggestion: suggestion, hint: hint, notes: notes))
  }

  /// Adds a warning.
  public mutating func warning(
    _ code: String, _ message: String, at mark: Mark?, suggestion: String? = nil, hint: String? = nil,
    notes: [Diagnostic.Note] = []
  ) {
    add(Diagnostic(.warning, code, message, at: mark, suggestion: suggestion, hint: hint, notes: notes))
  }

  /// In reading order, those without a place first.
  public var sorted: [Diagnostic] {
    all.enumerated().sorted { a, b in
      switch (a.element.mark, b.element.mark) {
      case (let x?, let y?) where x != y: return x < y
      case (nil, .some): return true
      case (.some, nil): return false
      default: return a.offset < b.offset
      }
    }.map(\.element)
  }
}
