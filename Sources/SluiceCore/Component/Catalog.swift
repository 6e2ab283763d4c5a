/// The components a program knows. A value: there is no global registry, and adding a component is adding it here.
///
///     let catalog = Catalog.builtin.adding(MyStore.self)
public struct Catalog: Sendable {
  /// Sources and sinks.
  public private(set) var adapters: [CatalogEntry<AdapterPlan>] = []
  /// Paging strategies.
  public private(set) var pagingStrategies: [CatalogEntry<PagingPlan>] = []
  /// Watch strategies.
  public private(set) var watchStrategies: [CatalogEntry<WatchPlan>] = []
  /// Transforms.
  public private(set) var transforms: [CatalogEntry<TransformPlan>] = []
  /// State stores.
  public private(set) var stateStores: [CatalogEntry<StatePlan>] = []

  /// A catalog without components.
  public init() {}

  /// The catalog with this adapter. One of the same name is replaced.
  public func adding<A: Adapter>(_ type: A.Type) -> Catalog {
    let conformances = Capabilities(conformancesOf: type)
    let roles = ConfigRole.allCases.filter { $0 == .source ? conformances.isReadable : conformances.isWritable }
    return replacing(\.adapters, with: type, roles: roles) { node, context, diagnostics in
      A.Config.spec.decode(node, in: context, into: &diagnostics).map { AdapterPlan(A.self, $0) }
    }
  }

  /// The catalog with this paging strategy. One of the same name is replaced.
  public func adding<P: PagingStrategy>(_ type: P.Type) -> Catalog {
    replacing(\.pagingStrategies, with: type) { node, context, diagnostics in
      P.Config.spec.decode(node, in: context, into: &diagnostics).flatMap { config in
        diagnostics.catching(at: context.mark) { PagingPlan(try P(config)) }
      }
    }
  }

  /// The catalog with this watch strategy. One of the same name is replaced.
  public func adding<W: WatchStrategy>(_ type: W.Type) -> Catalog {
    replacing(\.watchStrategies, with: type) { node, context, diagnostics in
      W.Config.spec.decode(node, in: context, into: &diagnostics).flatMap { config in
        diagnostics.catching(at: context.mark) { WatchPlan(try W(config), config) }
      }
    }
  }

  /// The catalog with this transform. One of the same name is replaced.
  public func adding<T: Transform>(_ type: T.Type) -> Catalog {
    replacing(\.transforms, with: type) { node, context, diagnostics in
      T.Config.spec.decode(node, in: context, into: &diagnostics).flatMap { config in
        // Made once here, so that `check` finds a script that does not compile.
        diagnostics.catching(at: context.mark) { _ = try T(config) }.map { TransformPlan(T.self, config) }
      }
    }
  }

  /// The catalog with this state store. One of the same name is replaced.
  public func adding<S: StateStore>(_ type: S.Type) -> Catalog {
    replacing(\.stateStores, with: type) { node, context, diagnostics in
      S.Config.spec.decode(node, in: context, into: &diagnostics).map { StatePlan(S.self, $0) }
    }
  }

  private func replacing<Plan, C: Component>(
    _ path: WritableKeyPath<Catalog, [CatalogEntry<Plan>]>, with type: C.Type, roles: [ConfigRole] = [],
    decode: @escaping @Sendable (ConfigNode, ConfigContext, inout Diagnostics) -> Plan?
  ) -> Catalog {
    let entry = CatalogEntry(
      name: C.name, summary: C.summary, schema: C.Config.spec.schema, roles: roles, decode: decode)
    var catalog = self
    catalog[keyPath: path].removeAll { $0.name == C.name }
    catalog[keyPath: path].append(entry)
    return catalog
  }
}

/// A component that a catalog knows.
public struct CatalogEntry<Plan: Sendable>: Sendable {
  /// The name in a configuration.
  public let name: String
  /// One sentence.
  public let summary: String
  /// What can be set, for documentation and schema.
  public let schema: ConfigSchema
  /// What an adapter can be, by what its type conforms to; empty for other components.
  public let roles: [ConfigRole]
  private let decode: @Sendable (ConfigNode, ConfigContext, inout Diagnostics) -> Plan?

  fileprivate init(
    name: String, summary: String, schema: ConfigSchema, roles: [ConfigRole],
    decode: @escaping @Sendable (ConfigNode, ConfigContext, inout Diagnostics) -> Plan?
  ) {
    self.name = name
    self.summary = summary
    self.schema = schema
    self.roles = roles
    self.decode = decode
  }

  /// Reads the settings of a choice. Adds every problem to `diagnostics`; nil when it cannot be used.
  public func plan(_ choice: ComponentChoice, role: ConfigRole? = nil, into diagnostics: inout Diagnostics) -> Plan? {
    decode(choice.settings, ConfigContext(name, at: choice.mark, role: role), &diagnostics)
  }
}

extension Diagnostics {
  /// Runs `body`; an error becomes a diagnostic at `mark`.
  fileprivate mutating func catching<T>(at mark: Mark, _ body: () throws -> T) -> T? {
    do {
      return try body()
    } catch let error as SluiceError {
      self.error(error.code.name, error.message, at: mark, hint: error.hint)
    } catch {
      self.error("invalid_configuration", "\(error)", at: mark)
    }
    return nil
  }
}
