import SluiceCore

/// What a setting accepts, in the terms of JSON Schema.
///
/// Text stands for every type, because a scalar may be quoted and may be `${env:…}` or `${file:…}`. What a schema cannot
/// say (the order of a duration's units, a range of sizes) is left to `sluice check`: it never refuses what Sluice takes.
enum ScalarSchema {
  /// Text that comes from elsewhere, wholly or in part.
  static let expression = #"\$\{(env|file):"#
  private static let number = #"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"#
  private static let decimals = #"[0-9]+(\.[0-9]+)?"#

  /// The definitions that settings refer to.
  static let definitions: [Field] = [
    Field("expression", string(nil, "an expression")),
    Field("text", .map([Field("type", .array(["string", "number", "boolean"].map(Value.string)))])),
    Field("integer", anyOf([type("integer"), string("[-+]?(0|[1-9][0-9]*)", "a whole number")])),
    Field("number", anyOf([type("number"), string(number, "a number")])),
    Field("boolean", anyOf([type("boolean"), string("true|True|TRUE|false|False|FALSE", "true or false")])),
    Field(
      "duration",
      string(
        ["d", "h", "m", "s", "ms", "us", "ns"].map { "(\(decimals)\($0))?" }.joined(), "a duration such as 10s or 1h30m"
      )
    ),
    Field(
      "size",
      anyOf([
        .map([Field("type", .string("integer")), Field("minimum", .int(0))]),
        string("\(decimals)(B|kB|[KMGT]B|[KMGT]iB)?", "a size such as 64MB, 1KiB or a number of bytes"),
      ])),
    Field("percentage", string("\(number)%", "a percentage such as 10%")),
  ]

  /// A reference to one of the definitions.
  static func reference(_ name: String) -> Value { .map([Field("$ref", .string("#/definitions/\(name)"))]) }

  /// Only this type.
  static func type(_ name: String) -> Value { .map([Field("type", .string(name))]) }

  /// Any of these; of one, that one.
  static func anyOf(_ alternatives: [Value]) -> Value {
    alternatives.count == 1 ? alternatives[0] : .map([Field("anyOf", .array(alternatives))])
  }

  /// Text of this form, or an expression.
  private static func string(_ pattern: String?, _ words: String) -> Value {
    .map([
      Field("type", .string("string")), Field("minLength", .int(1)),
      Field("pattern", .string(pattern.map { "^(\($0))$|\(expression)" } ?? expression)),
      Field("patternErrorMessage", .string("expected \(words)")),
    ])
  }
}

extension SettingInfo {
  /// What an editor shows of the setting: what it is, its default, examples. Values that are written as lists or
  /// mappings stand in the text.
  var annotations: [Field] {
    var text = doc
    if case .duration = type, let range { text += " Allowed: \(range)." }
    if case .bytes = type, let range { text += " Allowed: \(range)." }
    var fields: [Field] = []
    let scalars = examples.compactMap { type.scalar($0) }
    if scalars.isEmpty, let example = examples.first { text += " For example `\(key): \(example)`." }
    fields.append(Field("description", .string(text)))
    if let value = defaultText.flatMap({ type.scalar($0) }) { fields.append(Field("default", value)) }
    if !scalars.isEmpty { fields.append(Field("examples", .array(scalars))) }
    return fields
  }

  /// The whole number that a range ends at, nil where the setting is no whole number.
  func bound(_ text: String?) -> Value? {
    guard let text else { return nil }
    return Int64(text).map(Value.int) ?? Double(text).map(Value.double)
  }
}

extension ConfigType {
  /// A value of this type as JSON has it; nil for what is written as a list or mapping.
  func scalar(_ text: String) -> Value? {
    switch self {
    case .string, .secret, .duration, .percentage, .oneOf, .component: .string(text)
    case .integer: Int64(text).map(Value.int)
    case .number: Int64(text).map(Value.int) ?? Double(text).map(Value.double)
    case .boolean: Bool(text).map(Value.bool)
    case .bytes: Int64(text).map(Value.int) ?? .string(text)
    case .either(let types): types.contains { if case .list = $0 { true } else { false } } ? nil : .string(text)
    case .value, .any, .list, .map, .object: nil
    }
  }
}
