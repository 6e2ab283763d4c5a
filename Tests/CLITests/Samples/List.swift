import SluiceCore

struct ListConfig: Configurable {
  var items: [String] = []
  static let spec = ConfigSpec<ListConfig>("A list.", [Setting("items", \.items, "The items.", required: true)])
}

final class List: Pageable {
  typealias Config = ListConfig
  static let name = "list"
  static let summary = "A list in the configuration."
  let config: ListConfig
  init(_ config: ListConfig, context: AdapterContext) async throws { self.config = config }

  // What makes it another source; a change of it asks for --restart.
  var sourceIdentity: SourceIdentity { SourceIdentity([.init("list", "configuration")]) }

  static func capabilities(of config: ListConfig) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: List.self)
    capabilities.positions = [.start, .offset]
    capabilities.order = .pinned
    return capabilities
  }

  func page(_ request: PageRequest) async throws -> Page {
    let start = if case .offset(let offset) = request.position { offset } else { 0 }
    let part = config.items.dropFirst(start).prefix(request.size)
    var builder = BatchBuilder()
    for item in part { builder.add(key: item, ["item": .string(item)]) }
    return Page(try builder.finish(), signals: PageSignals(count: part.count))
  }
}
