import SluiceCore
import Synchronization

/// Does to a sink what the engine does in one run, without an engine.
final class SinkRun: Sendable {
  private struct State {
    var sequence: UInt64
    var mark: StageMark?
    var identity: SinkIdentity?
  }

  static let job = "conformance"

  let sink: any Writable
  let generation: UInt64
  private let stages: (any Publishing)?
  private let commits: (any Transactional)?
  private let state: Mutex<State>

  init(_ adapter: any Adapter, _ capabilities: Capabilities, generation: UInt64, sequence: UInt64) throws {
    sink = try require(adapter as? any Writable, "the capabilities name a publish mode, but it is not Writable")
    self.generation = generation
    stages = capabilities.publishMode == .replace ? adapter as? any Publishing : nil
    commits = capabilities.isTransactional ? adapter as? any Transactional : nil
    try expect(stages != nil || capabilities.publishMode != .replace, "it replaces, but is not Publishing")
    try expect(commits != nil || !capabilities.isTransactional, "it is said to be transactional, but is not")
    state = Mutex(State(sequence: sequence))
  }

  /// How far the stage reaches.
  var mark: StageMark? { state.withLock { $0.mark } }
  /// The sink as one that stages.
  var publishing: any Publishing { get throws { try require(stages, "it does not stage") } }
  /// The sink as one with transactions.
  var transactional: any Transactional { get throws { try require(commits, "it has no transactions") } }

  func begin(resuming mark: StageMark?) async throws {
    let identity = try await sink.identity(creating: true)
    let opened = try await stages?.openStage(generation: generation, resuming: mark)
    _ = try await commits?.ledger(job: Self.job)
    state.withLock {
      $0.identity = identity
      $0.mark = opened
    }
  }

  /// Delivers a batch, under the next number, or once more under the last one.
  @discardableResult func send(
    _ batch: Batch, again: Bool = false, acceptsRejections: Bool = true, deletedAt: Timestamp? = nil
  ) async throws -> Receipt {
    let number = state.withLock { again ? $0.sequence : $0.sequence + 1 }
    let progress = commits == nil ? nil : try self.progress(of: batch, number)
    let delivery = Delivery(
      batch: batch, sequence: number, generation: generation, progress: progress,
      acceptsRejections: acceptsRejections, deletedAt: deletedAt)
    let receipt = try await sink.apply(delivery)
    try expect(
      receipt.sequence == number && receipt.generation == generation, "the receipt is of another delivery")
    try expect(stages == nil || receipt.stage != nil, "the receipt of a sink that stages names no stage")
    state.withLock {
      $0.sequence = number
      if let stage = receipt.stage { $0.mark = stage }
    }
    return receipt
  }

  @discardableResult func send(_ documents: [Document]) async throws -> Receipt { try await send(.of(documents)) }

  /// Shows what was delivered, where the sink stages.
  @discardableResult func publish() async throws -> Publication? {
    guard let stages else { return nil }
    let mark = try require(mark, "there is no stage")
    return try await stages.publish(Self.proof(generation), content: mark)
  }

  /// The proof of a listing that went through.
  static func proof(_ generation: UInt64) throws -> CompleteListing {
    var listing = Listing(generation: generation, frozen: FrozenRequest(), order: .byKey)
    listing.confirmPage(of: 0, next: .end(.noToken), highest: nil, isEmpty: false)
    return try listing.finish().get()
  }

  /// What a sink with transactions commits beside a delivery of this number.
  func progress(of batch: Batch, _ number: UInt64) throws -> SinkProgress {
    let identity = try require(
      state.withLock { $0.identity }, "a sink with transactions needs an identity to keep a ledger under")
    return SinkProgress(
      checkpoint: .sample(job: Self.job, revision: number, generation: generation),
      ledger: .sample(batch, identity: identity, generation: generation))
  }
}

extension Batch {
  /// A batch of whole documents.
  static func of(_ documents: [Document]) throws -> Batch { try of(documents.map { .upsert($0) }) }

  static func of(_ changes: [Change]) throws -> Batch {
    var builder = BatchBuilder()
    for change in changes { builder.add(change) }
    return try builder.finish()
  }
}

extension Checkpoint {
  /// A checkpoint in the middle of a listing, with something in every place.
  static func sample(job: String, revision: UInt64, generation: UInt64 = 1) -> Checkpoint {
    let fingerprint = Fingerprint(high: revision, low: .max)
    let mark = StageMark(length: revision, digest: fingerprint, documents: 3)
    let cursor = PagePosition.Cursor(Key("\u{E9}/%"), values: [.double(.nan), .string("\"\u{0}"), .null])
    let listing = Listing(
      generation: generation, frozen: FrozenRequest([.init("order", "name"), .init("empty", "")]), order: .byKey,
      partitions: [
        .init(range: KeyRange(upTo: Key("m")), progress: .at(.after(cursor)), pages: 2, highest: Key("k")),
        .init(range: KeyRange(from: Key("m")), progress: .ended(.noMore), pages: 1),
      ], taint: .init("cap_reached", "a cap was reached"), unreadable: 1)
    var counters = Counters()
    counters.pages = 3
    counters.reads = Int(Int64.max)
    return Checkpoint(
      job: job, revision: revision, source: SourceIdentity([.init("collection", "users")]), paging: fingerprint,
      phase: .snapshot(watchFrom: WatchPosition("w")), listing: listing,
      sinks: [
        "sink": SinkCursor(
          identity: SinkIdentity("id"), sequence: 4, stage: mark,
          publication: Publication(generation: 1, content: mark, witness: "w"), shape: fingerprint,
          listingShape: fingerprint, heldBefore: 12)
      ], counters: counters, savedAt: Timestamp(seconds: 1_700_000_000, nanoseconds: 1))
  }
}

extension LedgerPage {
  /// A page of which everything was written, or deleted.
  static func sample(
    _ batch: Batch, identity: SinkIdentity, generation: UInt64 = 1, updating: Bool = true, sink: String = "sink"
  ) -> LedgerPage {
    let updates: [LedgerEntry?] = batch.indices.map { index in
      guard updating, batch.kind(at: index) != .dropped else { return nil }
      return LedgerEntry(
        version: batch.header(at: index).version, fingerprint: batch.fingerprint(at: index),
        status: batch.kind(at: index) == .delete ? .tombstone : .live)
    }
    return LedgerPage(
      sink: sink, identity: identity, batch: batch, updates: updates,
      seen: batch.indices.map { batch.kind(at: $0) != .delete }, generation: generation)
  }
}
