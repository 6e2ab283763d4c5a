import SluiceCore
import SluiceEngine

/// A setting with the value that counts.
struct ExplainedSetting: Sendable {
  /// Where the value came from.
  enum Origin: Sendable {
    /// Written there.
    case file(Mark)
    /// Written there, in `defaults`.
    case inherited(Mark)
    /// The setting's own default.
    case builtIn
    /// Nobody set it, and the job chose: why.
    case chosen(String)
  }

  /// Keys and numbers of items, the outermost first: `sinks`, `0`, `file`, `path`.
  var path: [String]
  /// What is written, or the default; nil where there is neither. Of a secret and of what came from outside only the
  /// expression.
  var value: String?
  /// The expression that the value came from, or that came out empty.
  var expression: String?
  var origin: Origin
}

/// Finds out, setting by setting, what counts in a job.
struct Explanation {
  let catalog: Catalog

  /// The settings of a job: all of them, those of its components included.
  func settings(of job: ConfigNode, _ plan: JobPlan) -> [ExplainedSetting] {
    var all: [ExplainedSetting] = []
    for info in JobPlan.schema.settings {
      let entry = job.entry(info.key)
      switch (info.key, entry) {
      // One of the two is given, and the other is no setting that counts.
      case ("sink", nil), ("sinks", nil): continue
      case ("paging", nil): all += natural(plan.paging.name)
      case ("mode", nil):
        all.append(ExplainedSetting(path: ["mode"], value: plan.mode.rawValue, origin: .builtIn))
      default: all += explain(info, entry, path: [info.key], role: nil, isInherited: false)
      }
    }
    return all
  }

  /// The settings of the state store.
  func state(_ node: ConfigNode?) -> [ExplainedSetting] {
    if let node, !node.isAbsent { return component(node, .state, path: ["state"], isInherited: false) }
    guard let store = catalog.components(for: .state).first else { return [] }
    return [ExplainedSetting(path: ["state"], value: store.name, origin: .builtIn)]
      + settings(of: store.schema, nil, path: ["state", store.name], role: nil, isInherited: false)
  }

  private func natural(_ name: String) -> [ExplainedSetting] {
    let first = ExplainedSetting(
      path: ["paging"], value: name, origin: .chosen("the first strategy that the source accepts"))
    guard let strategy = catalog.component(name, for: .paging) else { return [first] }
    return [first] + settings(of: strategy.schema, nil, path: ["paging", name], role: nil, isInherited: false)
  }

  private func settings(
    of schema: ConfigSchema, _ node: ConfigNode?, path: [String], role: ConfigRole?, isInherited: Bool
  ) -> [ExplainedSetting] {
    schema.settings.filter { $0.applies(to: role) }.flatMap { info in
      explain(info, node?.entry(info.key), path: path + [info.key], role: role, isInherited: isInherited)
    }
  }

  private func explain(
    _ info: SettingInfo, _ entry: ConfigNode.Entry?, path: [String], role: ConfigRole?, isInherited: Bool
  ) -> [ExplainedSetting] {
    let isInherited = isInherited || entry?.isInherited == true
    let isNull = if case .value = info.type { true } else { false }
    let node = entry.flatMap { entry in entry.value.isAbsent && !isNull ? nil : entry.value }
    if path.count == 1, let slot = ComponentSlot(key: info.key), let node, let list = components(node, info.type) {
      return list.flatMap { index, node in
        component(node, slot, path: path + (index.map { ["\($0)"] } ?? []), isInherited: isInherited)
      }
    }
    // A group within a component may hold itself: it is shown where it is written.
    if case .object(let group) = info.type, node != nil || path.count == 1 {
      return settings(of: group.schema, node, path: path, role: role, isInherited: isInherited)
    }
    let isSecret = info.isSecret || info.type.isSecret
    guard let node else {
      let empty = entry?.value.expression(isSecret: isSecret)
      let origin = empty == nil ? .builtIn : Self.origin(entry?.value.mark, isInherited)
      return [ExplainedSetting(path: path, value: info.defaultText, expression: empty, origin: origin)]
    }
    return [
      ExplainedSetting(
        path: path, value: node.shown(isSecret: isSecret), expression: node.expression(isSecret: isSecret),
        origin: Self.origin(node.mark, isInherited))
    ]
  }

  private static func origin(_ mark: Mark?, _ isInherited: Bool) -> ExplainedSetting.Origin {
    guard let mark else { return .builtIn }
    return isInherited ? .inherited(mark) : .file(mark)
  }

  /// The components of a setting that takes one, or a list of them with their numbers.
  private func components(_ node: ConfigNode, _ type: ConfigType) -> [(Int?, ConfigNode)]? {
    switch (type, node.content) {
    case (.component, _): [(nil, node)]
    case (.list(.component), .sequence(let items)): items.enumerated().map { ($0.offset, $0.element) }
    default: nil
    }
  }

  private func component(
    _ node: ConfigNode, _ slot: ComponentSlot, path: [String], isInherited: Bool
  ) -> [ExplainedSetting] {
    var quiet = Diagnostics()
    guard let choice = ComponentChoice.decode(node, in: ConfigContext("", at: node.mark), into: &quiet) else {
      return []
    }
    let first = ExplainedSetting(
      path: path, value: node.expression(isSecret: false) ?? choice.name, expression: node.expression(isSecret: false),
      origin: Self.origin(choice.mark, isInherited))
    guard let known = catalog.component(choice.name, for: slot) else { return [first] }
    return [first]
      + settings(
        of: known.schema, choice.settings, path: path + [choice.name], role: slot.role, isInherited: isInherited)
  }
}

extension ConfigType {
  /// Whether a secret may be in it.
  fileprivate var isSecret: Bool {
    switch self {
    case .secret: true
    case .list(let type), .map(let type): type.isSecret
    case .either(let types): types.contains(where: \.isSecret)
    default: false
    }
  }
}

extension ConfigNode {
  /// What a scalar came from, where it came from outside.
  fileprivate func expression(isSecret: Bool) -> String? {
    guard case .scalar(let scalar) = content, let expression = scalar.expression else { return nil }
    return isSecret ? scalar.secretDisplay : expression
  }

  /// An entry of a mapping.
  fileprivate func entry(_ key: String) -> Entry? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }
  }

  /// What may be shown: expressions for what came from outside, nothing of a secret.
  fileprivate func shown(isSecret: Bool) -> String {
    switch content {
    case .scalar(let scalar): isSecret ? scalar.secretDisplay : scalar.display
    case .sequence(let items): "[\(items.map { $0.shown(isSecret: isSecret) }.joined(separator: ", "))]"
    case .mapping(let entries):
      "{\(entries.map { "\($0.key): \($0.value.shown(isSecret: isSecret))" }.joined(separator: ", "))}"
    }
  }
}
