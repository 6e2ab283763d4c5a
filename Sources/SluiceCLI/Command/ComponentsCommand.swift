import SluiceCore
import SluiceJSON

/// `sluice components [NAME | --matrix]`: what this program knows, the settings of one component, what goes with what.
struct ComponentsCommand {
  private let invocation: Invocation
  private let catalog: Catalog
  private let console: Console

  init(_ invocation: Invocation, _ catalog: Catalog, _ console: Console) {
    self.invocation = invocation
    self.catalog = catalog
    self.console = console
  }

  func run() -> Int32 {
    if invocation.isMatrix {
      matrix()
      return 0
    }
    let all = catalog.components
    guard let name = invocation.names.first else {
      if invocation.output == .json { console.out(json(all)) } else { list(all) }
      return 0
    }
    let found = all.filter { $0.name == name }
    guard !found.isEmpty else {
      let suggestion = NearestName.find(name, among: all.map(\.name))
      console.error(
        SluiceError(
          .usage, "there is no component \"\(name)\"",
          hint: suggestion.map { "did you mean \($0)?" } ?? "sluice components lists them"))
      return Int32(SluiceError.Category.usage.rawValue)
    }
    if invocation.output == .json { console.out(json(found)) } else { found.forEach(describe) }
    return 0
  }

  private func matrix() {
    let matrix = PagingMatrix(catalog)
    let json = invocation.output == .json
    console.out(json ? String(decoding: JSON.encode(matrix.value), as: UTF8.self) + "\n" : matrix.text)
  }

  private func list(_ all: [ListedComponent]) {
    let width = all.map(\.name.count).max() ?? 0
    var kind: ComponentKind?
    for component in all {
      if component.kind != kind {
        kind = component.kind
        console.out("\(component.kind.rawValue)\n")
      }
      let padding = String(repeating: " ", count: width - component.name.count)
      console.out("  \(component.name)\(padding)  \(component.summary)\n")
    }
  }

  private func describe(_ component: ListedComponent) {
    console.out("\(component.name) (\(component.kind.rawValue))\n\(component.schema.doc)\n")
    for setting in component.schema.settings {
      var facts = ["\(setting.type)"]
      if setting.isRequired { facts.append("required") }
      if let role = setting.role { facts.append("only as a \(role.rawValue)") }
      if let range = setting.range { facts.append(range) }
      if let text = setting.defaultText { facts.append("default \(text)") }
      console.out("\n  \(setting.key)  (\(facts.joined(separator: ", ")))\n    \(setting.doc)\n")
      if let example = setting.examples.first { console.out("    for example \(setting.key): \(example)\n") }
    }
    console.out("\n")
  }

  private func json(_ components: [ListedComponent]) -> String {
    let items = components.map { component in
      Value.map([
        Field("kind", .string(component.kind.rawValue)), Field("name", .string(component.name)),
        Field("summary", .string(component.summary)), Field("settings", .array(component.schema.settings.map(value))),
      ])
    }
    return String(decoding: JSON.encode(.array(items)), as: UTF8.self) + "\n"
  }

  private func value(_ setting: SettingInfo) -> Value {
    var fields = [
      Field("key", .string(setting.key)), Field("type", .string("\(setting.type)")),
      Field("required", .bool(setting.isRequired)), Field("doc", .string(setting.doc)),
    ]
    if let text = setting.defaultText { fields.append(Field("default", .string(text))) }
    return .map(fields)
  }
}
