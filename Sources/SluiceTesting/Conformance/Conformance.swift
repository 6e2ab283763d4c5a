import SluiceCore

/// The conformance kit: the promises of the contract, for every component of a catalog.
///
/// A component is enrolled by being registered; one without a fixture fails. What a component cannot do, its capabilities
/// say, and the behaviours that ask for it are skipped with the reason. Nothing of the kit knows a test framework:
///
///     let conformance = Conformance(adapters: [AdapterFixture(MyStore.self, like: config) { try await MyPlace() }])
///     let behaviours = conformance.behaviours(of: Catalog().adding(MyStore.self))
public struct Conformance: Sendable {
  /// Stores of the adapters.
  public var adapters: [AdapterFixture]
  /// The paging strategies. Every source that accepts their positions is listed by them, too.
  public var pagingStrategies: [PagingFixture]
  /// The transforms.
  public var transforms: [TransformFixture]
  /// The state stores.
  public var stateStores: [StateStoreFixture]

  /// Fixtures of the components of a catalog; those of kinds that it does not have may be left out.
  public init(
    adapters: [AdapterFixture] = [], pagingStrategies: [PagingFixture] = [], transforms: [TransformFixture] = [],
    stateStores: [StateStoreFixture] = []
  ) {
    self.adapters = adapters
    self.pagingStrategies = pagingStrategies
    self.transforms = transforms
    self.stateStores = stateStores
  }

  /// Every promise of every component of the catalog, also those that are to be skipped.
  public func behaviours(of catalog: Catalog) -> [Behaviour] {
    enrolment(of: catalog)
      + adapters.flatMap { adapter in
        adapter.excusing(
          adapter.claimBehaviours()
            + adapter.sourceBehaviours(paging: pagingStrategies.filter(\.variant.isEmpty).map(\.plan))
            + adapter.feedBehaviours() + adapter.sinkBehaviours())
      }
      + pagingStrategies.flatMap { $0.behaviours() } + transforms.flatMap { $0.behaviours() }
      + stateStores.flatMap { $0.behaviours() }
  }

  /// For each component, that there is a fixture of it and that it is documented.
  private func enrolment(of catalog: Catalog) -> [Behaviour] {
    enrolled("adapter", catalog.adapters, adapters.map(\.component))
      + enrolled("paging", catalog.pagingStrategies, pagingStrategies.map(\.plan.name))
      + enrolled("watch", catalog.watchStrategies, [])
      + enrolled("transform", catalog.transforms, transforms.map(\.plan.name))
      + enrolled("state", catalog.stateStores, stateStores.map(\.component))
  }

  private func enrolled<Plan>(
    _ kind: String, _ registered: [CatalogEntry<Plan>], _ fixtures: [String]
  ) -> [Behaviour] {
    let strangers = Set(fixtures).subtracting(registered.map(\.name)).sorted()
    return registered.flatMap { entry in
      let (name, summary, schema) = (entry.name, entry.summary, entry.schema)
      return [
        Behaviour("\(kind) \(name)", "has a fixture") {
          try expect(fixtures.contains(name), "\(kind) \(name) is registered, but there is no fixture to test it with")
        },
        Behaviour("\(kind) \(name)", "has names in snake_case, and says what it and its settings are") {
          for word in [name] + schema.settings.map(\.key) {
            let isPlain = word.utf8.allSatisfy {
              (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
            }
            try expect(isPlain && !word.isEmpty, "\(word) is not in snake_case")
          }
          try expect(!summary.isEmpty && !schema.doc.isEmpty, "it does not say what it is")
          for setting in schema.settings { try expect(!setting.doc.isEmpty, "\(setting.key) has no documentation") }
        },
      ]
    }
      + strangers.map { name in
        Behaviour("\(kind) \(name)", "is registered") {
          throw ConformanceFailure("there is a fixture of \(kind) \(name), but the catalog has no such component")
        }
      }
  }
}

extension AdapterFixture {
  /// The behaviours without those that the adapter is excused from.
  func excusing(_ behaviours: [Behaviour]) -> [Behaviour] {
    let names = Set(behaviours.map(\.name))
    return behaviours.map { behaviour in
      guard behaviour.skipReason == nil, let reason = exceptions[behaviour.name] else { return behaviour }
      return Behaviour(behaviour.subject, behaviour.name, skipReason: reason) {}
    }
      + exceptions.keys.filter { !names.contains($0) }.sorted().map { name in
        Behaviour(subject, "is excused from behaviours that there are") {
          throw ConformanceFailure("there is no behaviour \"\(name)\"")
        }
      }
  }
}

/// What capabilities promise by themselves: see `Adapter.capabilities(of:)`.
extension AdapterFixture {
  func claimBehaviours() -> [Behaviour] {
    var list = BehaviourList(subject)
    list.add("claims nothing that its type does not conform to") {
      let (can, type) = (capabilities, conformances)
      try expect(can.positions.isEmpty || !type.positions.isEmpty, "it names positions, but is not Pageable")
      try expect(can.positions.isEmpty || can.positions.contains(.start), "its positions lack start")
      try expect(!can.isPartitionable || type.isPartitionable, "it is said to be split, but is not Partitionable")
      try expect(!can.isCountable || type.isCountable, "it is said to count, but is not Countable")
      try expect(!can.hasLookup || type.hasLookup, "it is said to look up, but is not Lookup")
      try expect(can.feed == nil || type.feed != nil, "it is said to have a feed, but is not Watchable")
      try expect(can.publishMode == nil || type.publishMode != nil, "it names a publish mode, but is not Writable")
      try expect(!can.isTransactional || type.isTransactional, "it claims transactions, but is not Transactional")
      try expect(!can.isVerifiable || type.isVerifiable, "it is said to be read back, but is not Verifiable")
      try expect((0...9).contains(can.timestampDigits), "it keeps \(can.timestampDigits) digits of a second")
      try expect(
        can.publishMode != .replace || !can.isTransactional, "changes that are staged cannot be committed as they come")
      try expect(can.isReadable || can.isWritable, "it can be neither a source nor a sink")
    }
    return list.behaviours
  }
}
