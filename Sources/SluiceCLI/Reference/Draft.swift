import SluiceCore
import SluiceEngine

/// A configuration to begin with: what is required filled in, everything else as a comment at its default.
struct Draft: Sendable {
  var source = "firestore"
  var paging: String?
  var transforms: [String] = []
  var sinks: [String] = []
  var job: String?

  /// The text. Throws `usage` for a name that the catalog does not know.
  func text(_ catalog: Catalog) throws(SluiceError) -> String {
    let source = try find(source, .source, catalog)
    var lines = [
      "# yaml-language-server: $schema=sluice.schema.json",
      "# With the line above an editor completes and checks this file:  sluice schema > sluice.schema.json",
      "# What is a comment below stands at its default, or shows what may be set.", "version: 1", "jobs:",
      "  \(job ?? "\(source.name)-copy"):",
    ]
    lines += component(source, .source, catalog, key: "    source:", indent: 6)
    if let paging {
      lines += component(try find(paging, .paging, catalog), .paging, catalog, key: "    paging:", indent: 6)
    }
    if !transforms.isEmpty {
      lines.append("    transforms:")
      for name in transforms {
        lines += component(try find(name, .transform, catalog), .transform, catalog, key: nil, indent: 6)
      }
    }
    lines.append("    sinks:")
    for name in sinks.isEmpty ? ["file"] : sinks {
      lines += component(try find(name, .sink, catalog), .sink, catalog, key: nil, indent: 6, apartFrom: source)
    }
    return (lines + jobSettings).joined(separator: "\n") + "\n"
  }

  /// What else a job may have, as comments.
  private var jobSettings: [String] {
    var lines: [String] = []
    for setting in JobPlan.schema.settings where ComponentSlot(key: setting.key) == nil {
      lines += comment(setting).map { "    # \($0)" }
      guard case .object(let group) = setting.type else {
        lines.append("    # \(setting.key): \(YAMLText.block(setting.sample))")
        continue
      }
      lines.append("    # \(setting.key):")
      for setting in group.schema.settings {
        let text = setting.defaultText ?? setting.examples.first
        lines.append("    #   \(setting.key):\(text.map { " \(YAMLText.block($0))" } ?? "")   # \(setting.doc)")
      }
    }
    return lines
  }

  private func find(_ name: String, _ slot: ComponentSlot, _ catalog: Catalog) throws(SluiceError) -> ListedComponent {
    if let component = catalog.component(name, for: slot) { return component }
    let names = catalog.components(for: slot).map(\.name)
    let nearest = NearestName.find(name, among: names)
    throw SluiceError(
      .usage, "there is no \(slot.rawValue) \"\(name)\"",
      hint: nearest.map { "did you mean \($0)?" } ?? "there are \(names.joined(separator: ", "))")
  }

  /// A component with its settings: under a key, or as an item of a list.
  private func component(
    _ component: ListedComponent, _ slot: ComponentSlot, _ catalog: Catalog, key: String?, indent: Int,
    apartFrom other: ListedComponent? = nil
  ) -> [String] {
    let space = String(repeating: " ", count: indent)
    let settings = component.settings(as: slot.role)
    let filled = Set(catalog.startingSettings(of: component, for: slot).map(\.key))
    var lines = key.map { [$0] } ?? []
    lines.append("\(space)# \(component.summary)")
    lines.append("\(space)\(key == nil ? "- " : "")\(component.name):")
    let inner = space + (key == nil ? "    " : "  ")
    for setting in settings {
      lines += comment(setting).map { "\(inner)# \($0)" }
      if filled.contains(setting.key) {
        lines.append("\(inner)\(setting.key): \(value(of: setting, apart: component.name == other?.name))")
      } else {
        let text = setting.defaultText ?? setting.examples.first
        lines.append("\(inner)# \(setting.key):\(text.map { " \(YAMLText.block($0))" } ?? "")")
      }
    }
    return lines
  }

  private func comment(_ setting: SettingInfo) -> [String] {
    let range = setting.range.map { ", \($0)" } ?? ""
    return ["\(setting.doc) (\(setting.type)\(range)\(setting.isRequired ? ", required" : ""))"]
  }

  /// A sink of the source's kind must not be the source itself.
  private func value(of setting: SettingInfo, apart: Bool) -> String {
    guard apart, case .string = setting.type else { return YAMLText.block(setting.sample) }
    let parts = setting.sample.split(separator: "/", omittingEmptySubsequences: false)
    return YAMLText.block((parts.dropLast() + ["copy_\(parts.last ?? "")"]).joined(separator: "/"))
  }
}
