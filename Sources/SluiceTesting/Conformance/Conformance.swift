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
          adapter.sourceBehaviours(paging: pagingStrategies.filter(\.variant.isEmpty).map(\.plan))
            + adapter.sinkBehaviours())
      }
      + pagingStrategies.flatMap { $0.behaviours() } + transforms.flatMap { $0.behaviours() }
      + stateStores.flatMap { $0.behaviours() }
  }

  /// One behaviour for each component: that there is a fixture of it.
  private func enrolment(of catalog: Catalog) -> [Behaviour] {
    enrolled("adapter", catalog.adapters.map(\.name), adapters.map(\.component))
      + enrolled("paging", catalog.pagingStrategies.map(\.name), pagingStrategies.map(\.plan.name))
      + enrolled("watch", catalog.watchStrategies.map(\.name), [])
      + enrolled("transform", catalog.transforms.map(\.name), transforms.map(\.plan.name))
      + enrolled("state", catalog.stateStores.map(\.name), stateStores.map(\.component))
  }

  private func enrolled(_ kind: String, _ registered: [String], _ fixtures: [String]) -> [Behaviour] {
    let strangers = Set(fixtures).subtracting(registered).sorted()
    return registered.map { name in
      Behaviour("\(kind) \(name)", "has a fixture") {
        try expect(fixtures.contains(name), "\(kind) \(name) is registered, but there is no fixture to test it with")
      }
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
