import SluiceCore

/// Fits: a source that is counted, split and looked up, paged by key.
final class PartitionedSource: Partitionable, Countable, Lookup {
  typealias Config = StoreConfig
  static let name = "dictionary"
  static let summary = "A dictionary."
  static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: PartitionedSource.self)
    capabilities.positions = [.start, .after]
    capabilities.order = .byKey
    return capabilities
  }

  private let store: DictionaryStore
  init(_ config: Config, context: AdapterContext) async throws { store = config.store }

  var sourceIdentity: SourceIdentity { SourceIdentity([.init("store", "dictionary")]) }

  func splitPoints(count: Int, frozen: FrozenRequest) async throws -> [Key] {
    let ids = store.sortedIDs
    return (1..<count).map { Key(ids[$0 * ids.count / count]) }.shuffled()
  }

  func count(frozen: FrozenRequest) async throws -> DocumentCount { DocumentCount(store.all.count) }

  func page(_ request: PageRequest) async throws -> Page {
    guard [.start, .after].contains(request.position.kind) else {
      throw SluiceError(.positionLost, "the dictionary is listed by key")
    }
    let keys = store.sortedIDs.map { Key($0) }.sorted().filter { key in
      if let lower = request.range.lower, key < lower { return false }
      if let upper = request.range.upper, !(key < upper) { return false }
      if case .after(let cursor) = request.position { return cursor.key < key }
      return true
    }
    let part = keys.prefix(request.size)
    let signals = PageSignals(count: part.count, hasMore: part.count < keys.count, last: part.last.map { .init($0) })
    return Page(try await documents(for: Array(part)), signals: signals)
  }

  func documents(for keys: [Key]) async throws -> Batch {
    var builder = BatchBuilder()
    for key in keys {
      if let value = store[key.id] {
        builder.add(key: key, [Field("n", .int(value))])
      } else {
        builder.delete(key: key)
      }
    }
    return try builder.finish()
  }
}
