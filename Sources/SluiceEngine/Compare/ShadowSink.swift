import SluiceCore
import Synchronization

/// Stands before a sink while a job is planned or verified: takes every delivery, looks at the sink, and changes nothing.
final class ShadowSink: Publishing {
  static let name = "shadow"
  static let summary = "Looks at a sink."
  typealias Config = NoSettings

  /// What stands behind it.
  let real: any Writable
  /// The sink's name in the job.
  let sinkName: String
  let ledger: ShadowLedger
  let reconciler: Reconciler?
  /// Keys of the pages before.
  private let earlier: KeySet
  /// Whether a document that the sink would not take is rejected, as it would be.
  private let rejects: Bool
  private let isStaged: Bool
  private let staged = Mutex(0)

  init(
    _ real: any Writable, _ plan: JobPlan.SinkPlan, ledger: ShadowLedger, comparing: Bool, rejects: Bool,
    earlier: KeySet
  ) {
    self.real = real
    self.ledger = ledger
    self.earlier = earlier
    self.rejects = rejects
    sinkName = plan.name
    isStaged = plan.adapter.capabilities.publishMode == .replace
    reconciler =
      comparing && plan.adapter.capabilities.isVerifiable
      ? (real as? any Verifiable).map {
        Reconciler($0, timestampDigits: plan.adapter.capabilities.timestampDigits)
      } : nil
  }

  /// Never used: the engine makes it.
  init(_ config: NoSettings, context: AdapterContext) async throws {
    throw SluiceError(.internal, "a shadow of a sink cannot be opened by itself")
  }

  func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    let batch = delivery.batch
    let rejections = try await rejections(of: batch)
    if let first = rejections.first, !delivery.acceptsRejections { throw first.error }
    let taken = batch.indices.count { batch.isDocument(at: $0) } - rejections.count
    staged.withLock { $0 += taken }
    return delivery.confirm(rejecting: rejections, stage: isStaged ? mark : nil)
  }

  private func rejections(of batch: Batch) async throws -> [Rejection] {
    let keys: [Key]
    if let reconciler {
      keys = try await reconciler.list(batch, after: earlier)
    } else if rejects, let real = real as? any Verifiable {
      let kept = try await real.asKept(batch)
      let taken = Set(kept.indices.map(kept.key(at:)))
      keys = batch.indices.filter { batch.isDocument(at: $0) }.map(batch.key(at:)).filter { !taken.contains($0) }
    } else {
      keys = []
    }
    guard rejects else { return [] }
    return keys.map {
      Rejection(
        $0,
        SluiceError(
          .rejected, "sink \(sinkName) would not take the document because of its content",
          at: Place(key: $0.description)))
    }
  }

  /// What the sink is now; where it is nothing yet, words that no sink has.
  func identity(creating: Bool) async throws -> SinkIdentity? {
    try await real.identity(creating: false) ?? SinkIdentity("not there yet")
  }

  func isEmpty() async throws -> Bool { try await real.isEmpty() }

  func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark {
    staged.withLock { $0 = 0 }
    return .empty
  }

  func publish(_ listing: CompleteListing, content: StageMark) async throws -> Publication {
    throw SluiceError(.internal, "a shadow of a sink was asked to publish")
  }

  func discardStage() async throws {}

  func shows(_ publication: Publication) async throws -> Bool {
    try await (real as? any Publishing)?.shows(publication) ?? false
  }

  /// How many documents a stage would hold. Nothing else of it is known.
  private var mark: StageMark {
    let documents = staged.withLock { $0 }
    return StageMark(length: UInt64(documents), digest: RunningDigest().value, documents: documents)
  }
}
