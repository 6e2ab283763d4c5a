import SluiceBuiltin
import SluiceCore
import SluiceTesting

extension Conformance {
  /// The fixtures of everything that comes with Sluice.
  static let builtin = Conformance(
    adapters: MemoryPlace.fixtures + FilePlace.fixtures + SQLitePlace.fixtures + StdoutPlace.fixtures
      + FirestorePlace.fixtures,
    pagingStrategies: Catalog.builtin.pagingStrategies.compactMap { $0.withDefaults.map { PagingFixture($0) } },
    transforms: TransformFixture.builtin,
    stateStores: SQLiteStatePlace.fixtures + [MemoryStatePlace.fixture])
}

extension CatalogEntry {
  /// The component without a setting; nil where it needs one.
  var withDefaults: Plan? { plan(nil) }

  /// The component with settings, given as the value that a file would hold.
  func plan(_ settings: Value?) -> Plan? {
    var diagnostics = Diagnostics()
    let mark = Mark(file: "fixture.yaml", line: 1, column: 1)
    let node = ConfigNode(settings ?? .null, at: mark)
    let plan = plan(ComponentChoice(name, at: mark, settings: node), into: &diagnostics)
    return diagnostics.hasErrors ? nil : plan
  }
}

extension ConfigNode {
  /// A value as a file would hold it.
  init(_ value: Value, at mark: Mark) {
    let content: Content =
      switch value {
      case .map(let fields):
        .mapping(fields.map { Entry($0.name, at: mark, ConfigNode($0.value, at: mark)) })
      case .array(let items): .sequence(items.map { ConfigNode($0, at: mark) })
      case .string(let text): .scalar(.init(text, isPlain: false))
      default: .scalar(.init(value.configText ?? ""))
      }
    self.init(content, at: mark)
  }
}
