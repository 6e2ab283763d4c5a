/// What a setting takes, for documentation, JSON Schema and messages. Decoding does not look at it.
public indirect enum ConfigType: Sendable {
  /// Text.
  case string
  /// A whole number of 64 bits.
  case integer
  /// A number.
  case number
  /// `true` or `false`.
  case boolean
  /// `10s`, `500ms`, `1h30m`.
  case duration
  /// `64MB`, `1KiB`, or a number of bytes.
  case bytes
  /// `10%`.
  case percentage
  /// Text that is never shown.
  case secret
  /// A document value, as YAML 1.2 reads it.
  case value
  /// Whatever the component makes of it.
  case any
  /// A component: its name, or a mapping of its name to its settings.
  case component
  /// One of these words.
  case oneOf([String])
  /// A list.
  case list(ConfigType)
  /// Names of the user's choice, with values.
  case map(ConfigType)
  /// Settings of their own.
  case object(ConfigObject)
  /// Any of these.
  case either([ConfigType])
}

/// A nested group of settings. Reached through a closure, so that a group may contain itself.
public struct ConfigObject: Sendable {
  /// A name that is the same for the same group: what breaks a recursion.
  public let name: String
  private let makeSchema: @Sendable () -> ConfigSchema

  /// A group of settings.
  public init(_ name: String, schema: @escaping @Sendable () -> ConfigSchema) {
    self.name = name
    makeSchema = schema
  }

  /// The settings.
  public var schema: ConfigSchema { makeSchema() }
}

extension ConfigType: CustomStringConvertible {
  /// In words: `text`, `list of text`, `one of plain, typed`.
  public var description: String {
    switch self {
    case .string: "text"
    case .integer: "whole number"
    case .number: "number"
    case .boolean: "true or false"
    case .duration: "duration"
    case .bytes: "size"
    case .percentage: "percentage"
    case .secret: "secret text"
    case .value: "value"
    case .any: "anything"
    case .component: "component"
    case .oneOf(let words): "one of \(words.joined(separator: ", "))"
    case .list(let item): "list of \(item)"
    case .map(let value): "mapping of names to \(value)"
    case .object: "settings"
    case .either(let types): types.map(\.description).joined(separator: " or ")
    }
  }
}

/// Where a component stands in a job, for settings that only make sense there.
public enum ConfigRole: String, Sendable, Hashable, CaseIterable {
  /// Documents are read from it.
  case source
  /// Documents are written to it.
  case sink
}

/// One setting, as documentation, JSON Schema and `explain` see it.
public struct SettingInfo: Sendable {
  /// The key, in `snake_case`.
  public let key: String
  /// What it is, in a sentence or two.
  public let doc: String
  /// Whether it must be given.
  public let isRequired: Bool
  /// Whether its value is never shown.
  public let isSecret: Bool
  /// The default as it would be written, nil where there is none.
  public let defaultText: String?
  /// The lowest value allowed, as it would be written.
  public let minimum: String?
  /// The highest value allowed, as it would be written.
  public let maximum: String?
  /// Examples, as they would be written.
  public let examples: [String]
  /// Former keys.
  public let renamedFrom: [String]
  /// The one role it belongs to, nil for both.
  public let role: ConfigRole?
  let makeType: @Sendable () -> ConfigType

  /// What it takes.
  public var type: ConfigType { makeType() }

  /// The allowed range in words, `1 to 300` or `at least 1`, nil where there is none.
  public var range: String? {
    switch (minimum, maximum) {
    case (let low?, let high?): "\(low) to \(high)"
    case (let low?, nil): "at least \(low)"
    case (nil, let high?): "at most \(high)"
    case (nil, nil): nil
    }
  }
}

/// The settings of a component or of a nested group, without their Swift type.
public struct ConfigSchema: Sendable {
  /// What the component does.
  public let doc: String
  /// Its settings, in the order they were declared.
  public let settings: [SettingInfo]
}
