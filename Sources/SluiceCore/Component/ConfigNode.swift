/// A piece of a configuration file, with its place. Scalars are text until a setting's type reads them:
/// nothing is guessed from how a value looks.
public struct ConfigNode: Sendable {
  /// What the piece holds.
  @frozen public indirect enum Content: Sendable {
    /// A scalar.
    case scalar(Scalar)
    /// A list.
    case sequence([ConfigNode])
    /// Keys and values in the order of the file. Keys are unique: the reader refuses duplicates.
    case mapping([Entry])
  }

  /// A scalar's text, after interpolation.
  public struct Scalar: Sendable {
    /// The text.
    public var text: String
    /// Written without quotes and not as a block, so that `null`, `~` and nothing mean absent.
    public var isPlain: Bool
    /// The text as the file has it, where it came wholly or partly from `${env:}` or `${file:}`: what may be shown.
    public var expression: String?
    /// Its interpolation failed and was reported: readers say nothing more about it.
    public var isUnresolved: Bool

    /// A scalar.
    public init(_ text: String, isPlain: Bool = true, expression: String? = nil, isUnresolved: Bool = false) {
      self.text = text
      self.isPlain = isPlain
      self.expression = expression
      self.isUnresolved = isUnresolved
    }

    /// What may be shown of it: the expression where there is one, else the text.
    public var display: String { expression ?? text }

    /// What may be shown of it where the setting is a secret.
    package var secretDisplay: String { expression.map(MaskedExpression.text) ?? "***" }
  }

  /// One key of a mapping with its value.
  public struct Entry: Sendable {
    /// The key.
    public var key: String
    /// Where the key stands.
    public var keyMark: Mark
    /// The value.
    public var value: ConfigNode
    /// Whether the entry was inherited from `defaults`: a setting of the job's own wins over it.
    public var isInherited: Bool

    /// A key with its value.
    public init(_ key: String, at keyMark: Mark, _ value: ConfigNode, isInherited: Bool = false) {
      self.key = key
      self.keyMark = keyMark
      self.value = value
      self.isInherited = isInherited
    }
  }

  /// What it holds.
  public var content: Content
  /// Where it begins.
  public var mark: Mark

  /// A piece of a configuration.
  public init(_ content: Content, at mark: Mark) {
    self.content = content
    self.mark = mark
  }

  /// Whether it is the same as a key that is not there: plain `null`, `~` or nothing, or an interpolated scalar that
  /// ended empty. Quotes make no difference to the latter, because a flow mapping forces them on `${…}`.
  public var isAbsent: Bool {
    guard case .scalar(let scalar) = content else { return false }
    if scalar.expression != nil { return scalar.text.isEmpty }
    return scalar.isPlain && ["", "~", "null", "Null", "NULL"].contains(scalar.text)
  }

  /// Whether it is `null` or `~`, written out: a value where the setting's type has one for it.
  var isWrittenNull: Bool {
    guard case .scalar(let scalar) = content else { return false }
    return isAbsent && !scalar.text.isEmpty
  }

  /// The value of a key of a mapping, nil when there is none or when this is no mapping.
  public subscript(key: String) -> ConfigNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// What it is, for a message: `a mapping`, `a list`, `"text"`.
  public var summary: String {
    switch content {
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .scalar(let scalar): isAbsent ? "nothing" : "\"\(scalar.display)\""
    }
  }
}
