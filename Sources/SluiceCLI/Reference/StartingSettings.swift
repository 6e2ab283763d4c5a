import SluiceConfig
import SluiceCore
import SluiceEngine

extension Catalog {
  /// The settings that a component cannot do without, for examples and drafts: those that are required; and of a
  /// component that has none of these but refuses to be empty, the first ones with examples, as many as it takes.
  func startingSettings(of component: ListedComponent, for slot: ComponentSlot) -> [SettingInfo] {
    let settings = component.settings(as: slot.role)
    let required = settings.filter(\.isRequired)
    let more = settings.filter { !$0.isRequired && !$0.examples.isEmpty }
    for count in 0...more.count {
      let some = settings.filter { info in (required + more.prefix(count)).contains { $0.key == info.key } }
      if accepts(component.name, some, for: slot) { return some }
    }
    return required
  }

  /// Whether a component's bare name is enough.
  func acceptsBare(_ component: ListedComponent, for slot: ComponentSlot) -> Bool {
    accepts(component.name, [], for: slot)
  }

  /// Whether a component takes these settings, with the values they begin with.
  private func accepts(_ name: String, _ settings: [SettingInfo], for slot: ComponentSlot) -> Bool {
    let values = settings.map { "\($0.key): \(YAMLText.flow($0.sample))" }.joined(separator: ", ")
    let text = "version: 1\njobs: { job: { part: { \(name): { \(values) } } } }"
    let load = ConfigFile.read(Array(text.utf8), path: name, job: JobPlan.schema)
    var problems = load.diagnostics
    guard let node = load.file?.jobs.first?.node["part"],
      let choice = ComponentChoice.decode(node, in: ConfigContext(name, at: node.mark), into: &problems)
    else { return false }
    switch slot.kind {
    case .adapter: _ = adapters.first { $0.name == name }?.plan(choice, role: slot.role, into: &problems)
    case .paging: _ = pagingStrategies.first { $0.name == name }?.plan(choice, into: &problems)
    case .watch: _ = watchStrategies.first { $0.name == name }?.plan(choice, into: &problems)
    case .transform: _ = transforms.first { $0.name == name }?.plan(choice, into: &problems)
    case .state: _ = stateStores.first { $0.name == name }?.plan(choice, into: &problems)
    }
    return !problems.hasErrors
  }
}

/// Values as YAML has them, quoted where their characters would mean something else.
enum YAMLText {
  /// A value inside of braces.
  static func flow(_ text: String) -> String {
    let isPlain = isPlain(text) && !text.contains { ",[]{}".contains($0) }
    return isFlow(text) || isPlain ? text : quoted(text)
  }

  /// A value behind its key, on a line of its own.
  static func block(_ text: String) -> String { isFlow(text) || isPlain(text) ? text : quoted(text) }

  private static func isFlow(_ text: String) -> Bool { text.hasPrefix("[") || text.hasPrefix("{") }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.first, let last = text.last else { return false }
    return !"&*!|>'\"%@`,?:-#]} ".contains(first) && last != ":" && last != " " && !text.contains(": ")
      && !text.contains(" #") && !text.contains("\n")
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
  }
}
