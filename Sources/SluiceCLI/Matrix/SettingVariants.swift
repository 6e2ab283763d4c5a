import SluiceConfig
import SluiceCore

/// The settings of a component as they must be, and with one other setting at each of its values.
struct SettingVariants {
  private var texts: [(settings: String, changed: String?)] = []

  init(_ schema: ConfigSchema, role: ConfigRole?) {
    let settings = schema.settings.filter { $0.role == nil || role == nil || $0.role == role }
    let required = settings.filter(\.isRequired)
      .compactMap { info in info.examples.first.map { "\(info.key): \($0)" } }
    texts = [(required.joined(separator: ", "), nil)]
    for info in settings where !info.isRequired {
      for word in info.type.words where word != info.defaultText {
        let changed = "\(info.key): \(word)"
        texts.append(((required + [changed]).joined(separator: ", "), changed))
      }
    }
  }

  /// The plans of those that can be read.
  func plans<Plan>(
    _ make: (ComponentChoice, inout Diagnostics) -> Plan?
  ) -> [(plan: Plan, setting: String?)] {
    texts.compactMap { text in
      var ignored = Diagnostics()
      guard let choice = Self.choice(text.settings), let plan = make(choice, &ignored) else { return nil }
      return (plan, text.changed)
    }
  }

  /// Settings as a configuration file would give them.
  private static func choice(_ settings: String) -> ComponentChoice? {
    let file = ConfigFile.read(
      Array("version: 1\njobs: { job: { component: { \(settings) } } }\n".utf8), path: "examples",
      job: NoSettings.spec.schema,
      inputs: ConfigInputs(variable: { _ in nil }, file: { _, _ in [] })
    ).file
    guard let job = file?.jobs.first, let node = job.node["component"] else { return nil }
    return ComponentChoice("component", at: job.mark, settings: node)
  }
}

extension ConfigType {
  /// Every value, where there are few.
  fileprivate var words: [String] {
    switch self {
    case .boolean: ["true", "false"]
    case .oneOf(let words): words
    default: []
    }
  }
}
