import SluiceCore
import SluiceEngine

/// The pages of `docs/components`, made of the catalog's specs: one for each component, one for the keys of a job, and an
/// index.
struct ComponentPages {
  /// Stands on the first line of every page; what has it may be written over and removed.
  static let marker = "<!-- Made by `sluice docs`. To change it, change the component's spec. -->"

  let catalog: Catalog

  /// The pages by their names.
  var pages: [(name: String, text: String)] {
    [("README.md", index), ("job.md", job)] + catalog.components.map { ($0.pageName, page(of: $0)) }
  }

  private var index: String {
    var lines = [Self.marker, "# Components", "", "[The keys of a job](job.md), and what it can be made of:", ""]
    for kind in ComponentKind.allCases {
      let components = catalog.components.filter { $0.kind == kind }
      if components.isEmpty { continue }
      lines += ["## \(kind.title)", "", "| name | |", "| --- | --- |"]
      lines += components.map { component in
        let roles = component.roles.isEmpty ? "" : " (\(component.roles.map(\.rawValue).joined(separator: ", ")))"
        return "| [`\(component.name)`](\(component.pageName))\(roles) | \(Markdown.cell(component.summary)) |"
      }
      lines.append("")
    }
    return text(lines + matrix)
  }

  /// Which strategy pages which adapter.
  private var matrix: [String] {
    ["## What pages what", ""] + PagingMatrix(catalog).markdown.split(separator: "\n").map(String.init)
  }

  private var job: String {
    let schema = JobPlan.schema
    var tables = SettingTables()
    tables.add(schema, title: nil)
    return text(
      [Self.marker, "# The keys of a job", "", schema.doc, "", "[All components](README.md)", ""] + tables.lines)
  }

  private func page(of component: ListedComponent) -> String {
    var tables = SettingTables()
    tables.add(component.schema, title: nil)
    let roles = component.roles.isEmpty ? "" : " (\(component.roles.map(\.rawValue).joined(separator: ", ")))"
    let example = Example(component, catalog).lines
    return text(
      [
        Self.marker, "# \(component.name)", "", "\(component.kind.words)\(roles). \(component.summary)", "",
        component.schema.doc == component.summary ? "" : component.schema.doc, "", "[All components](README.md)", "",
        "```yaml",
      ] + example + ["```", ""] + tables.lines)
  }

  /// The lines without blank ones that follow each other, ending in one line break.
  private func text(_ lines: [String]) -> String {
    var result: [String] = []
    for line in lines where !(line.isEmpty && result.last?.isEmpty != false) { result.append(line) }
    while result.last?.isEmpty == true { result.removeLast() }
    return result.joined(separator: "\n") + "\n"
  }
}

extension ListedComponent {
  /// Names are unique in a kind only.
  var pageName: String { "\(kind.rawValue)-\(name).md" }
}

extension ComponentKind {
  /// The heading over components of the kind.
  fileprivate var title: String {
    switch self {
    case .adapter: "Adapters"
    case .paging: "Paging strategies"
    case .watch: "Watch strategies"
    case .transform: "Transforms"
    case .state: "State stores"
    }
  }

  fileprivate var words: String {
    switch self {
    case .adapter: "Adapter"
    case .paging: "Paging strategy"
    case .watch: "Watch strategy"
    case .transform: "Transform"
    case .state: "State store"
    }
  }
}

/// The smallest configuration of a component, in the place where it stands.
private struct Example {
  let lines: [String]

  init(_ component: ListedComponent, _ catalog: Catalog) {
    let slots = ComponentSlot.allCases.filter { slot in
      slot.kind == component.kind && (slot.role.map { component.roles.contains($0) } ?? true)
    }
    lines = slots.map { slot in
      let settings = catalog.startingSettings(of: component, for: slot).map {
        "\($0.key): \(YAMLText.flow($0.sample))"
      }
      let value = settings.isEmpty ? component.name : "{ \(component.name): { \(settings.joined(separator: ", ")) } }"
      return slot == .transform ? "transforms: [\(value)]" : "\(slot.rawValue): \(value)"
    }
  }
}

/// Settings as tables, nested groups below.
private struct SettingTables {
  private(set) var lines: [String] = []
  private var known: Set<String> = []

  mutating func add(_ schema: ConfigSchema, title: String?) {
    if let title { lines += ["## \(title)", "", schema.doc, ""] }
    if schema.settings.isEmpty {
      lines += ["It has no settings.", ""]
      return
    }
    lines += ["| setting | takes | default | |", "| --- | --- | --- | --- |"]
    lines += schema.settings.map(row) + [""]
    for setting in schema.settings {
      for group in setting.type.groups where known.insert(group.name).inserted {
        // A group that holds itself is the component itself: its table is above.
        if group.schema.doc != schema.doc { add(group.schema, title: "`\(setting.key)`") }
      }
    }
  }

  private func row(_ setting: SettingInfo) -> String {
    var takes = ["\(setting.type)"]
    if let range = setting.range { takes.append(range) }
    if setting.isRequired { takes.append("**required**") }
    if let role = setting.role { takes.append("only as a \(role.rawValue)") }
    var text = setting.doc
    if !setting.examples.isEmpty {
      text += " For example \(setting.examples.map { "`\($0)`" }.joined(separator: ", "))."
    }
    let standard = setting.defaultText.map { "`\($0)`" } ?? ""
    return "| `\(setting.key)` | \(takes.joined(separator: ", ")) | \(standard) | \(Markdown.cell(text)) |"
  }
}

extension ConfigType {
  /// The groups of settings that a value may hold.
  fileprivate var groups: [ConfigObject] {
    switch self {
    case .object(let group): [group]
    case .list(let type), .map(let type): type.groups
    case .either(let types): types.flatMap(\.groups)
    default: []
    }
  }
}

/// Text as Markdown wants it.
enum Markdown {
  /// Text in a cell of a table.
  static func cell(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: " ").split(separator: "|", omittingEmptySubsequences: false)
      .joined(separator: "\\|")
  }
}
