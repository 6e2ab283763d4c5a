/// A component's settings, or a nested group of them: a struct whose property initialisers are the defaults.
///
/// ```swift
/// struct FileConfig: Configurable {
///   var path = ""
///   var encoding = Encoding.plain
///   static let spec = ConfigSpec<FileConfig>("Reads and writes JSON Lines files.", [
///     Setting("path", \.path, "Path of the file.", required: true, examples: ["out/users.jsonl"]),
///     Setting("encoding", \.encoding, "How values are spelled."),
///   ])
/// }
/// ```
public protocol Configurable: ConfigValue {
  /// Every setting at its default.
  init()

  /// The settings. Declared once: decoding, documentation and JSON Schema all come from it. Use a `static let`.
  static var spec: ConfigSpec<Self> { get }
}

extension Configurable {
  /// Settings of their own.
  public static var configType: ConfigType {
    .object(ConfigObject(String(reflecting: Self.self)) { Self.spec.schema })
  }

  /// Reads a mapping by the spec.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Self? {
    spec.decode(node, in: context, into: &diagnostics)
  }

  /// Nothing: each setting has its own default.
  public var configText: String? { nil }
}

/// The places of the settings that were given, for checks that look at several of them.
public struct ConfigMarks: Sendable {
  /// The key of the component or group.
  public let component: Mark
  private var marks: [String: Mark] = [:]

  init(component: Mark) { self.component = component }

  /// Where a key was set, nil where it was not.
  public internal(set) subscript(key: String) -> Mark? {
    get { marks[key] }
    set { marks[key] = newValue }
  }

  /// Where a key was set, else the component's key: a place for an error about it.
  public func place(of key: String) -> Mark { marks[key] ?? component }
}

/// The settings of a `Configurable`: what they are and how they are read.
public struct ConfigSpec<Root: Configurable>: Sendable {
  /// A check of several settings together.
  public typealias Check = @Sendable (Root, ConfigMarks, inout Diagnostics) -> Void

  /// What the component does, in a sentence or two.
  public let doc: String
  /// The settings, in the order of the documentation.
  public let settings: [Setting<Root>]
  private let check: Check?

  /// A spec. `check` runs only when every setting was read, and adds errors at the places of the keys.
  public init(_ doc: String, _ settings: [Setting<Root>], check: Check? = nil) {
    self.doc = doc
    self.settings = settings
    self.check = check
  }

  /// The settings without their Swift type.
  public var schema: ConfigSchema { ConfigSchema(doc: doc, settings: settings.map(\.info)) }

  /// Reads a mapping; an absent node gives the defaults. Adds every problem found, and returns nil if there was one.
  public func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> Root? {
    var found = Diagnostics()
    let config = read(node, in: context, into: &found)
    diagnostics.add(contentsOf: found)
    return found.hasErrors ? nil : config
  }

  private func read(_ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics) -> Root? {
    var entries: [ConfigNode.Entry] = []
    if case .mapping(let all) = node.content {
      entries = all
    } else if node.isUnresolved || !node.isAbsent {
      context.wrongType(node, expected: "a mapping of settings", hint: expectedKeys(context.role), into: &diagnostics)
      return nil
    }
    var config = Root()
    var given = ConfigMarks(component: context.mark)
    var empty: [String: Mark] = [:]
    var isComplete = true
    for entry in entries {
      guard let setting = settings.first(where: { $0.info.key == entry.key }) else {
        reportUnknown(entry, in: context, into: &diagnostics)
        continue
      }
      guard setting.info.applies(to: context.role) else {
        reportRole(entry, setting.info, in: context, into: &diagnostics)
        continue
      }
      if setting.isAbsent(entry.value) {
        refuseEmptySecret(entry, setting.info, in: context, into: &diagnostics)
        empty[entry.key] = entry.keyMark
        continue
      }
      given[entry.key] = entry.keyMark
      let settingContext = ConfigContext(
        entry.key, at: entry.keyMark, role: context.role, isSecret: context.isSecret || setting.info.isSecret)
      if !setting.apply(entry.value, settingContext, &config, &diagnostics) { isComplete = false }
    }
    for info in settings.map(\.info) where info.isRequired && info.applies(to: context.role) && given[info.key] == nil {
      isComplete = false
      reportMissing(info, emptyAt: empty[info.key], in: context, into: &diagnostics)
    }
    guard isComplete else { return nil }
    check?(config, given, &diagnostics)
    return config
  }
}

extension ConfigSpec {
  private func expectedKeys(_ role: ConfigRole?) -> String? {
    let keys = settings.map(\.info).filter { $0.applies(to: role) }.map(\.key)
    return keys.isEmpty ? "it has no settings" : "its settings are \(keys.joined(separator: ", "))"
  }

  /// A secret that came out empty would silently mean "without credentials". `${env:NAME:-}` says that this is meant.
  private func refuseEmptySecret(
    _ entry: ConfigNode.Entry, _ info: SettingInfo, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) {
    guard info.isSecret, case .scalar(let scalar) = entry.value.content, let expression = scalar.expression,
      !expression.contains(":-")
    else { return }
    diagnostics.error(
      "empty_secret", "\(entry.key): \(scalar.secretDisplay) is empty", at: entry.value.mark,
      hint: "remove \(entry.key) to go without, or write ${env:NAME:-} where it may be empty")
  }

  private func reportUnknown(
    _ entry: ConfigNode.Entry, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) {
    let known = settings.map(\.info).filter { $0.applies(to: context.role) }
    if let renamed = known.first(where: { $0.renamedFrom.contains(entry.key) }) {
      diagnostics.error(
        "unknown_key", "\(entry.key) was renamed to \(renamed.key)", at: entry.keyMark, hint: "write \(renamed.key)")
      return
    }
    let names = known.flatMap { info in [(info.key, info.key)] + info.renamedFrom.map { ($0, info.key) } }
    let nearest = NearestName.find(entry.key, among: names.map(\.0))
    let suggestion = names.first { $0.0 == nearest }?.1
    let home = suggestion == nil ? known.first { $0.type.hasKey(entry.key) } : nil
    diagnostics.error(
      "unknown_key", "unknown key \"\(entry.key)\" in \(context.name)", at: entry.keyMark, suggestion: suggestion,
      hint: home.map { "\(entry.key) belongs under \($0.key)" }
        ?? (suggestion == nil ? expectedKeys(context.role) : nil)
    )
  }

  private func reportRole(
    _ entry: ConfigNode.Entry, _ info: SettingInfo, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) {
    let wanted = info.role?.rawValue ?? ""
    let actual = context.role?.rawValue ?? ""
    diagnostics.error(
      "wrong_role", "\(entry.key) is a setting of a \(wanted), and this is a \(actual)", at: entry.keyMark,
      hint: "remove it here")
  }

  private func reportMissing(
    _ info: SettingInfo, emptyAt mark: Mark?, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) {
    let isText = if case .string = info.type { true } else { false }
    let hint =
      mark != nil && isText ? "null, ~ and nothing mean that the key is not there: quote them to mean text" : nil
    let example = info.examples.first.map { "for example \(info.key): \($0)" }
    diagnostics.error(
      "missing_key", "\(info.key) is required by \(context.name)", at: mark ?? context.mark, hint: hint ?? example)
  }
}

extension SettingInfo {
  /// Whether a component in this role has the setting.
  package func applies(to role: ConfigRole?) -> Bool { self.role == nil || role == nil || self.role == role }
}

extension ConfigType {
  /// Whether it is a group of settings with this key.
  fileprivate func hasKey(_ key: String) -> Bool {
    guard case .object(let object) = self else { return false }
    return object.schema.settings.contains { $0.key == key }
  }
}
