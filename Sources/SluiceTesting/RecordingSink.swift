import SluiceCore
import Synchronization

/// A sink in memory that records what was done to it, for tests: in place, or staged and swapped in.
public final class RecordingSink: Publishing {
  /// The settings: the store and the way it is shown.
  public struct Config: Configurable {
    /// What holds the documents, and outlives the sink.
    public var store = RecordingStore()
    /// How the work is shown.
    public var mode = Capabilities.PublishMode.inPlace
    /// Digits of a second's fraction that the sink claims to keep.
    public var timestampDigits = 9

    /// An empty store, in place.
    public init() {}
    /// A store.
    public init(_ store: RecordingStore, _ mode: Capabilities.PublishMode = .inPlace, digits timestampDigits: Int = 9) {
      self.store = store
      self.mode = mode
      self.timestampDigits = timestampDigits
    }
    /// Nothing that a file could set.
    public static let spec = ConfigSpec<Config>("Records what was done to it.", [])
  }

  /// `recording`.
  public static let name = "recording"
  /// For catalogs.
  public static let summary = "Records what was done to it."

  /// As the settings say.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: RecordingSink.self)
    capabilities.publishMode = config.mode
    capabilities.keepsDeleted = config.mode == .inPlace
    capabilities.timestampDigits = config.timestampDigits
    return capabilities
  }

  private let store: RecordingStore
  private let isStaging: Bool

  /// A sink on a store.
  public init(_ config: Config, context: AdapterContext) async throws {
    store = config.store
    isStaging = config.mode == .replace
  }

  /// Applies a delivery.
  public func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    try await store.beforeApply(delivery.sequence)
    let rejections = try store.apply(
      delivery.batch, sequence: delivery.sequence, staging: isStaging, accepting: delivery.acceptsRejections,
      deletedAt: delivery.deletedAt)
    return delivery.confirm(rejecting: rejections, stage: isStaging ? store.stageMark : nil)
  }

  /// The store's own identity.
  public func identity(creating: Bool) async throws -> SinkIdentity? { store.identity }

  /// Whether nothing is shown.
  public func isEmpty() async throws -> Bool { store.documents.isEmpty }

  /// Opens a stage; goes on with the one of the mark.
  public func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark {
    store.openStage(generation: generation, resuming: mark)
  }

  /// Swaps the stage in.
  public func publish(_ listing: CompleteListing, content: StageMark) async throws -> Publication {
    try store.publish(generation: listing.generation, content: content)
  }

  /// Drops the stage.
  public func discardStage() async throws { store.discardStage() }

  /// Whether the store shows this publication.
  public func shows(_ publication: Publication) async throws -> Bool { store.shows(publication) }
}

extension RecordingSink: Verifiable {
  /// The documents in the order of their keys, but for those that are only kept.
  public func contents(after place: String?, limit: Int) async throws -> Contents {
    let shown = store.documents.filter { store.deletedAt[$0.key] == nil }.sorted { $0.key < $1.key }
    // As keys: as text, composed and decomposed letters would be one place.
    let last = place.flatMap { Key(canonical: Array($0.utf8)) }
    let rest = shown.drop { document in last.map { !($0 < document.key) } ?? false }
    var builder = BatchBuilder()
    for (key, fields) in rest.prefix(limit) { builder.add(key: key, fields) }
    return Contents(try builder.finish(), next: rest.count > limit ? rest.prefix(limit).last?.key.description : nil)
  }

  /// Without the documents that it was told to refuse.
  public func asKept(_ batch: Batch) async throws -> Batch {
    let rejected = store.rejected
    return batch.resolving { index, kind in rejected.contains(batch.key(at: index)) ? .dropped : kind }
  }
}

/// The documents of a `RecordingSink` and what was done to them.
public final class RecordingStore: Sendable {
  private struct Contents {
    var documents: [Key: [Field]] = [:]
    var stage: [(Key, [Field])] = []
    var stageGeneration: UInt64 = 0
    var published: Publication?
    var publications = 0
    var writes = 0
    var deletes = 0
    var deliveries: [UInt64] = []
    var identity = 1
    var rejected: Set<Key> = []
    var marks: [Key: Timestamp] = [:]
  }

  private let contents = Mutex(Contents())
  private let hook: @Sendable (UInt64) async throws -> Void

  /// An empty store. `hook` is called with each delivery's number before it is applied, and may throw or wait.
  public init(hook: @escaping @Sendable (UInt64) async throws -> Void = { _ in }) { self.hook = hook }

  /// What is shown.
  public var documents: [Key: [Field]] { contents.withLock { $0.documents } }
  /// Documents written so far, also into stages.
  public var writes: Int { contents.withLock { $0.writes } }
  /// Documents deleted so far.
  public var deletes: Int { contents.withLock { $0.deletes } }
  /// Documents that are kept although they were deleted, with the time of that.
  public var deletedAt: [Key: Timestamp] { contents.withLock { $0.marks } }
  /// Sets swapped in so far.
  public var publications: Int { contents.withLock { $0.publications } }
  /// The numbers of the deliveries, in order.
  public var deliveries: [UInt64] { contents.withLock { $0.deliveries } }

  /// Makes the sink refuse documents of these keys because of their content.
  public func reject(_ keys: Set<Key>) { contents.withLock { $0.rejected = keys } }

  /// Changes what is shown, behind everybody's back and under the same identity.
  public func change(_ body: (inout [Key: [Field]]) -> Void) {
    var shown = documents
    body(&shown)
    let changed = shown
    contents.withLock { $0.documents = changed }
  }

  /// Empties the store behind everybody's back: another identity, nothing shown.
  public func wipe() {
    contents.withLock { contents in
      contents.documents = [:]
      contents.stage = []
      contents.published = nil
      contents.identity += 1
    }
  }

  fileprivate var rejected: Set<Key> { contents.withLock { $0.rejected } }

  fileprivate func beforeApply(_ sequence: UInt64) async throws { try await hook(sequence) }

  fileprivate var identity: SinkIdentity { contents.withLock { SinkIdentity("recording-\($0.identity)") } }

  fileprivate func apply(
    _ batch: Batch, sequence: UInt64, staging: Bool, accepting: Bool, deletedAt: Timestamp?
  ) throws -> [Rejection] {
    try contents.withLock { contents in
      contents.deliveries.append(sequence)
      var rejections: [Rejection] = []
      for change in batch {
        switch change {
        case .upsert(let document):
          if contents.rejected.contains(document.key) {
            let error = SluiceError(.rejected, "the sink does not take it", at: Place(key: "\(document.key)"))
            guard accepting else { throw error }
            rejections.append(Rejection(document.key, error))
            continue
          }
          contents.writes += 1
          contents.marks[document.key] = nil
          if staging {
            contents.stage.append((document.key, document.fields.materialized))
          } else {
            contents.documents[document.key] = document.fields.materialized
          }
        case .delete(let key, _):
          contents.deletes += 1
          if let deletedAt {
            if contents.documents[key] != nil, contents.marks[key] == nil { contents.marks[key] = deletedAt }
          } else {
            contents.documents[key] = nil
            contents.marks[key] = nil
          }
        case .dropped: break
        }
      }
      return rejections
    }
  }

  fileprivate var stageMark: StageMark { contents.withLock { Self.mark($0.stage) } }

  private static func mark(_ stage: [(Key, [Field])]) -> StageMark {
    var digest = RunningDigest()
    for (key, fields) in stage {
      digest.append(key.bytes.span)
      digest.append(Fingerprint(of: .map(fields)))
    }
    return StageMark(length: UInt64(stage.count), digest: digest.value, documents: stage.count)
  }

  fileprivate func openStage(generation: UInt64, resuming mark: StageMark?) -> StageMark {
    contents.withLock { contents in
      if let mark, contents.stageGeneration == generation, contents.stage.count >= Int(mark.length) {
        let prefix = Array(contents.stage.prefix(Int(mark.length)))
        if Self.mark(prefix) == mark {
          contents.stage = prefix
          return mark
        }
      }
      contents.stage = []
      contents.stageGeneration = generation
      return Self.mark([])
    }
  }

  fileprivate func publish(generation: UInt64, content: StageMark) throws -> Publication {
    try contents.withLock { contents in
      guard contents.stageGeneration == generation, Self.mark(contents.stage) == content else {
        throw SluiceError(.internal, "another stage than the checkpoint's")
      }
      contents.documents = Dictionary(contents.stage) { $1 }
      contents.stage = []
      contents.publications += 1
      let publication = Publication(generation: generation, content: content, witness: "\(contents.identity)")
      contents.published = publication
      return publication
    }
  }

  fileprivate func discardStage() { contents.withLock { $0.stage = [] } }

  fileprivate func shows(_ publication: Publication) -> Bool {
    contents.withLock { $0.published?.content == publication.content }
  }
}
