import SluiceCore
import SluiceEngine

/// Which paging strategies can page which adapters, and what must be set for it: computed from their capabilities, by
/// the same rule as `check`, without a connection.
///
/// An adapter is looked at with its required settings at their first example and all others at their defaults, then with
/// one other setting at each value that it can have.
package struct PagingMatrix: Sendable {
  /// Whether a strategy can page an adapter.
  package enum Answer: Sendable, Equatable {
    /// As they are.
    case yes
    /// With any one of these settings.
    case with([Condition])
    /// Not at all; why.
    case no(String)
  }

  /// A setting that makes it possible.
  package struct Condition: Sendable, Equatable {
    /// The adapter or the strategy whose setting it is.
    package var component: String
    /// As it would be written: `consistent: true`.
    package var setting: String
  }

  /// What is known of one adapter.
  package struct Row: Sendable {
    /// The adapter.
    package var adapter: String
    /// One answer for each strategy, in their order.
    package var answers: [Answer]
  }

  /// The strategies, in the order of the catalog.
  package let strategies: [String]
  /// The adapters that can be listed, in the order of the catalog.
  package let rows: [Row]

  /// Computes the matrix of a catalog.
  package init(_ catalog: Catalog) {
    let strategies = catalog.pagingStrategies.map { entry in
      (name: entry.name, variants: SettingVariants(entry.schema, role: nil).plans { entry.plan($0, into: &$1) })
    }
    self.strategies = strategies.map(\.name)
    rows = catalog.adapters.compactMap { entry in
      let variants = SettingVariants(entry.schema, role: .source).plans { entry.plan($0, role: .source, into: &$1) }
      guard variants.contains(where: { !$0.plan.capabilities.positions.isEmpty }) else { return nil }
      return Row(
        adapter: entry.name,
        answers: strategies.map { Self.answer((entry.name, variants), $0) })
    }
  }

  private typealias Variants<Plan> = (name: String, variants: [(plan: Plan, setting: String?)])

  private static func answer(_ adapter: Variants<AdapterPlan>, _ strategy: Variants<PagingPlan>) -> Answer {
    guard let source = adapter.variants.first(where: { $0.setting == nil })?.plan.capabilities,
      let paging = strategy.variants.first(where: { $0.setting == nil })?.plan
    else { return .no("it cannot be tried: a required setting has no example") }
    guard let objection = PagingObjection(to: paging, of: source) else { return .yes }
    let conditions =
      adapter.variants.compactMap { variant in
        variant.setting.flatMap {
          PagingObjection(to: paging, of: variant.plan.capabilities) == nil
            ? Condition(component: adapter.name, setting: $0) : nil
        }
      }
      + strategy.variants.compactMap { variant in
        variant.setting.flatMap {
          PagingObjection(to: variant.plan, of: source) == nil ? Condition(component: strategy.name, setting: $0) : nil
        }
      }
    return conditions.isEmpty ? .no(objection.reason) : .with(conditions)
  }
}
