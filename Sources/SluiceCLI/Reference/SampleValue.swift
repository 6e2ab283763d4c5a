import SluiceCore

extension SettingInfo {
  /// A value to begin with, as it would be written: the first example, else the default, else something of its type.
  var sample: String { examples.first ?? defaultText ?? type.sample(minimum) }
}

extension ConfigType {
  fileprivate func sample(_ minimum: String?) -> String {
    switch self {
    case .string, .secret, .value, .any, .component: "example"
    case .integer, .number: minimum ?? "1"
    case .boolean: "true"
    case .duration: "10s"
    case .bytes: "1MB"
    case .percentage: "10%"
    case .oneOf(let words): words.first ?? "example"
    case .list(let item): "[\(item.sample(nil))]"
    case .map(let value): "{name: \(value.sample(nil))}"
    case .object(let group):
      "{\(group.schema.settings.filter(\.isRequired).map { "\($0.key): \($0.sample)" }.joined(separator: ", "))}"
    case .either(let types): types.first?.sample(minimum) ?? "example"
    }
  }
}
