import SluiceCore

/// The components a job names.
struct ComponentChoices {
  var source: ComponentChoice?
  var paging: ComponentChoice?
  var transforms: [ComponentChoice] = []
  var sinks: [ComponentChoice] = []

  init(_ settings: JobSettings) {
    source = settings.source
    paging = settings.paging
    transforms = settings.transforms
    sinks = (settings.sink.map { [$0] } ?? []) + settings.sinks
  }

  /// What can be made out of a job that has errors elsewhere. Problems of its own are not reported again.
  init(readingFrom node: ConfigNode) {
    var quiet = Diagnostics()
    func choice(_ node: ConfigNode) -> ComponentChoice? {
      ComponentChoice.decode(node, in: ConfigContext("", at: node.mark), into: &quiet)
    }
    func list(_ node: ConfigNode?) -> [ComponentChoice] {
      guard case .sequence(let items)? = node?.content else { return [] }
      return items.compactMap(choice)
    }
    source = node["source"].flatMap(choice)
    paging = node["paging"].flatMap(choice)
    transforms = list(node["transforms"])
    sinks = (node["sink"].flatMap(choice).map { [$0] } ?? []) + list(node["sinks"])
  }
}

/// The components of a job, read. Nil where one has errors.
struct ComponentPlans {
  var source: AdapterPlan?
  var paging: PagingPlan?
  var transforms: [TransformPlan?]
  var sinks: [AdapterPlan?]
}

/// Finds the components of a job in the catalog and reads their settings.
struct ComponentReader {
  var catalog: Catalog

  func read(_ choices: ComponentChoices, into diagnostics: inout Diagnostics) -> ComponentPlans {
    ComponentPlans(
      source: choices.source.flatMap {
        find($0, in: catalog.adapters, kind: "adapter", as: .source, into: &diagnostics)?.plan(
          $0, role: .source, into: &diagnostics)
      },
      paging: choices.paging.flatMap {
        find($0, in: catalog.pagingStrategies, kind: "paging strategy", into: &diagnostics)?
          .plan($0, into: &diagnostics)
      } ?? defaultPaging(choices),
      transforms: choices.transforms.map {
        find($0, in: catalog.transforms, kind: "transform", into: &diagnostics)?.plan($0, into: &diagnostics)
      },
      sinks: choices.sinks.map {
        find($0, in: catalog.adapters, kind: "adapter", as: .sink, into: &diagnostics)?.plan(
          $0, role: .sink, into: &diagnostics)
      })
  }

  private func find<Plan>(
    _ choice: ComponentChoice, in entries: [CatalogEntry<Plan>], kind: String, as role: ConfigRole? = nil,
    into diagnostics: inout Diagnostics
  ) -> CatalogEntry<Plan>? {
    if let entry = entries.first(where: { $0.name == choice.name }) { return entry }
    let names = entries.filter { entry in role.map(entry.roles.contains) ?? true }.map(\.name)
    let suggestion = NearestName.find(choice.name, among: names)
    diagnostics.error(
      "unknown_component", "there is no \(kind) \"\(choice.name)\"", at: choice.mark, suggestion: suggestion,
      hint: suggestion == nil ? "there are \(names.joined(separator: ", "))" : nil)
    return nil
  }

  /// Where a job names no strategy, the first of the catalog that the source accepts without a proviso. One page is taken
  /// for all only of a source that has no way to ask for another.
  private func defaultPaging(_ choices: ComponentChoices) -> PagingPlan? {
    guard choices.paging == nil, let choice = choices.source else { return nil }
    var quiet = Diagnostics()
    guard
      let source = catalog.adapters.first(where: { $0.name == choice.name })?
        .plan(choice, role: .source, into: &quiet)
    else { return nil }
    for entry in catalog.pagingStrategies {
      let bare = ComponentChoice(entry.name, at: choice.mark, settings: ConfigNode(.mapping([]), at: choice.mark))
      guard let plan = entry.plan(bare, into: &quiet), PagingObjection(to: plan, of: source.capabilities) == nil,
        plan.position != .start || source.capabilities.positions == [.start]
      else { continue }
      return plan
    }
    return nil
  }
}

extension JobPlan {
  /// Adds every secret that the components of a job have in a configuration file, so that it is never shown. `http` and
  /// the job's other settings are included.
  public static func addSecrets(of node: ConfigNode, catalog: Catalog, to redactor: inout Redactor) {
    redactor.add(secretsOf: node, by: JobSettings.spec.schema)
    let choices = ComponentChoices(readingFrom: node)
    for choice in [choices.source].compactMap({ $0 }) + choices.sinks {
      guard let entry = catalog.adapters.first(where: { $0.name == choice.name }) else { continue }
      redactor.add(secretsOf: choice.settings, by: entry.schema)
    }
    for choice in choices.transforms {
      guard let entry = catalog.transforms.first(where: { $0.name == choice.name }) else { continue }
      redactor.add(secretsOf: choice.settings, by: entry.schema)
    }
  }
}
