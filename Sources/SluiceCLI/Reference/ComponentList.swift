import SluiceCore

/// What a component is.
enum ComponentKind: String, CaseIterable, Sendable {
  case adapter
  case paging
  case watch
  case transform
  case state
}

/// A component of the catalog, as documentation, schema and listings see it.
struct ListedComponent: Sendable {
  var kind: ComponentKind
  var name: String
  var summary: String
  var schema: ConfigSchema
  /// What an adapter can be; empty for the other kinds.
  var roles: [ConfigRole]

  /// The settings that count in a role, all of them without one.
  func settings(as role: ConfigRole?) -> [SettingInfo] { schema.settings.filter { $0.applies(to: role) } }
}

/// A place in a configuration that takes a component.
enum ComponentSlot: String, CaseIterable, Sendable {
  case source
  case paging
  case watch
  case transform
  case sink
  case state

  /// The keys that take a component or a list of them. A key of a job that is not here has no place in the schema: a
  /// test compares this with the job's own spec.
  static let keys: [(key: String, slot: ComponentSlot)] = [
    ("source", .source), ("paging", .paging), ("watch", .watch), ("transforms", .transform), ("sink", .sink),
    ("sinks", .sink), ("state", .state),
  ]

  /// The place that a key of a job or of the file is.
  init?(key: String) {
    guard let slot = Self.keys.first(where: { $0.key == key })?.slot else { return nil }
    self = slot
  }

  /// What an adapter is there.
  var role: ConfigRole? {
    switch self {
    case .source: .source
    case .sink: .sink
    default: nil
    }
  }

  /// The kind of component it takes.
  var kind: ComponentKind {
    switch self {
    case .source, .sink: .adapter
    case .paging: .paging
    case .watch: .watch
    case .transform: .transform
    case .state: .state
    }
  }
}

extension Catalog {
  /// Every component, kind by kind, in the order of the catalog.
  var components: [ListedComponent] {
    func listed<Plan>(_ entries: [CatalogEntry<Plan>], _ kind: ComponentKind) -> [ListedComponent] {
      entries.map {
        ListedComponent(kind: kind, name: $0.name, summary: $0.summary, schema: $0.schema, roles: $0.roles)
      }
    }
    return listed(adapters, .adapter) + listed(pagingStrategies, .paging) + listed(watchStrategies, .watch)
      + listed(transforms, .transform) + listed(stateStores, .state)
  }

  /// The components that a place takes.
  func components(for slot: ComponentSlot) -> [ListedComponent] {
    components.filter { component in
      component.kind == slot.kind && (slot.role.map { component.roles.contains($0) } ?? true)
    }
  }

  /// The component that a place means by a name.
  func component(_ name: String, for slot: ComponentSlot) -> ListedComponent? {
    components(for: slot).first { $0.name == name }
  }
}
