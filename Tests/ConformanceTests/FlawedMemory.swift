import SluiceCore
import SluiceMemory
import Synchronization

/// What can be wrong with an adapter.
enum Flaw: String, CaseIterable {
  case losesLastOfPage, miscounts, startsOver, forgetsAbsent, countsOneMore, missesKeys
  case publishesEarly, ignoresMark, publishesAnything, alwaysShows, forgetsUnsaved
  case overwritesNewer, losesDeletes, keepsIdentity, alwaysEmpty, losesValues, removesMarked

  /// A promise that it breaks.
  var breaks: String {
    switch self {
    case .losesLastOfPage, .miscounts: "listed by token, every page size brings everything once"
    case .startsOver: "an unknown token is a lost position"
    case .forgetsAbsent: "a look-up gives the document of each key that is there, and a delete for each that is not"
    case .countsOneMore: "counts what a listing brings"
    case .missesKeys: "its keys are told apart by their bytes"
    case .publishesEarly: "shows nothing before it publishes, then the whole set and nothing else"
    case .ignoresMark: "a stage is cut back to its mark and goes on"
    case .publishesAnything: "refuses to publish another stage than the checkpoint's, and keeps what it shows"
    case .alwaysShows: "looks at the target: what somebody else changed is not its publication"
    case .forgetsUnsaved: "knows its publication again, also one whose witness was never saved"
    case .overwritesNewer: "an older version never overwrites a newer one"
    case .losesDeletes: "applies documents and deletes in their order"
    case .keepsIdentity: "has another identity, or none, when its data was lost"
    case .alwaysEmpty: "says whether it is empty, whoever wrote to it"
    case .losesValues: "keeps every kind of value"
    case .removesMarked: "marks what is deleted with the time, once"
    }
  }

  /// Whether it shows where changes are applied as they come.
  var isInPlace: Bool {
    [.overwritesNewer, .losesDeletes, .keepsIdentity, .alwaysEmpty, .losesValues, .removesMarked].contains(self)
  }
}

/// A memory adapter with one flaw.
final class FlawedMemory: Publishing, Lookup, Countable {
  struct Config: Configurable {
    var memory = MemoryAdapter.Config()
    var flaw = Flaw.miscounts
    static let spec = ConfigSpec<Config>("Flawed.", [])
  }

  static let name = "flawed"
  static let summary = "Flawed."

  static func capabilities(of config: Config) -> Capabilities { MemoryAdapter.capabilities(of: config.memory) }

  private let memory: MemoryAdapter
  private let flaw: Flaw
  private let mark = Mutex<StageMark?>(nil)
  private let seen = Mutex<Set<String>>([])

  init(_ config: Config, context: AdapterContext) async throws {
    memory = MemoryAdapter(config.memory, context: context)
    flaw = config.flaw
  }

  var sourceIdentity: SourceIdentity { memory.sourceIdentity }

  func freeze() async throws -> FrozenRequest { await memory.freeze() }

  func page(_ request: PageRequest) async throws -> Page {
    var page: Page
    do {
      page = try memory.page(request)
    } catch  where flaw == .startsOver {
      page = try memory.page(PageRequest(size: request.size, frozen: request.frozen))
    }
    if flaw == .losesLastOfPage, page.batch.count > 1 { page.batch = page.batch.slice(0..<page.batch.count - 1) }
    if flaw == .miscounts { page.signals.count += 1 }
    if flaw == .missesKeys {
      // As a dictionary of Swift's strings would.
      page.batch = try .of(page.batch.filter { change in seen.withLock { $0.insert("\(change.key)").inserted } })
    }
    return page
  }

  func documents(for keys: [Key]) async throws -> Batch {
    let found = try memory.documents(for: keys)
    if flaw != .forgetsAbsent { return found }
    return try .of(found.filter { if case .upsert = $0 { true } else { false } })
  }

  func count(frozen: FrozenRequest) async throws -> DocumentCount {
    let count = try memory.count(frozen: frozen)
    return flaw == .countsOneMore ? DocumentCount(count.documents + 1) : count
  }

  func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    var changes = Array(delivery.batch)
    if flaw == .losesDeletes { changes.removeAll { if case .delete = $0 { true } else { false } } }
    if flaw == .overwritesNewer || flaw == .losesValues {
      changes = changes.map { change in
        guard case .upsert(let document) = change else { return change }
        let fields = document.fields.materialized.filter { flaw != .losesValues || $0.value != .null }
        return .upsert(Document(key: document.key, fields))
      }
    }
    if flaw == .publishesEarly {
      let store = MemoryStore.named(memory.settings.name)
      for case .upsert(let document) in changes { store.upsert(document) }
    }
    let receipt = try memory.apply(
      Delivery(
        batch: .of(changes), sequence: delivery.sequence, generation: delivery.generation,
        deletedAt: flaw == .removesMarked ? nil : delivery.deletedAt))
    mark.withLock { $0 = receipt.stage }
    return receipt
  }

  func identity(creating: Bool) async throws -> SinkIdentity? {
    flaw == .keepsIdentity ? SinkIdentity("the same") : memory.identity(creating: creating)
  }

  func isEmpty() async throws -> Bool { flaw == .alwaysEmpty || memory.isEmpty() }

  func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark {
    let opened = memory.openStage(generation: generation, resuming: flaw == .ignoresMark ? nil : mark)
    return flaw == .ignoresMark ? mark ?? opened : opened
  }

  func publish(_ listing: CompleteListing, content: StageMark) async throws -> Publication {
    let staged = mark.withLock { $0 }
    return try memory.publish(listing, content: flaw == .publishesAnything ? staged ?? content : content)
  }

  func discardStage() async throws { memory.discardStage() }

  func shows(_ publication: Publication) async throws -> Bool {
    switch flaw {
    case .alwaysShows: true
    case .forgetsUnsaved: !publication.witness.isEmpty && memory.shows(publication)
    default: memory.shows(publication)
    }
  }
}

extension Batch {
  static func of(_ changes: some Sequence<Change>) throws -> Batch {
    var builder = BatchBuilder()
    for change in changes { builder.add(change) }
    return try builder.finish()
  }
}
