/// A batch on its way into a sink. Only the engine makes one, and only a delivery can make a `Receipt`: a checkpoint
/// that takes receipts can therefore not run ahead of what the sink confirmed.
///
/// It can be neither copied nor stored: a sink confirms it, or throws.
public struct Delivery: ~Copyable, Sendable {
  /// The documents and deletes to apply, in order. Documents that a transform left out are not among what it visits.
  public let batch: Batch
  /// The number of this delivery in its generation, from 1, without gaps.
  public let sequence: UInt64
  /// The generation of the listing or watch it belongs to.
  public let generation: UInt64
  /// What a `Transactional` sink commits together with the batch; nil for others.
  public let progress: SinkProgress?
  /// Whether the job goes on without documents that cannot be taken. Where it does not, the sink throws the first
  /// document's error, with its key, and leaves out the whole delivery where it has transactions.
  public let acceptsRejections: Bool
  /// Where set, a delete does not remove: the document stays, marked with this time, and an upsert of its key takes the
  /// mark away. Nil: a delete removes. Only sinks whose capabilities say `keepsDeleted` get a time.
  public let deletedAt: Timestamp?

  package init(
    batch: Batch, sequence: UInt64, generation: UInt64, progress: SinkProgress? = nil, acceptsRejections: Bool = true,
    deletedAt: Timestamp? = nil
  ) {
    self.batch = batch
    self.sequence = sequence
    self.generation = generation
    self.progress = progress
    self.acceptsRejections = acceptsRejections
    self.deletedAt = deletedAt
  }

  /// Confirms that everything but `rejections` is applied, to the durability the sink promises.
  ///
  /// - Parameters:
  ///   - rejections: documents that the sink cannot take because of their content. Anything else is an error to throw.
  ///   - stage: the stage after this batch, for a sink that is staging.
  ///   - retries: how often a step had to be tried again.
  public consuming func confirm(
    rejecting rejections: [Rejection] = [], stage: StageMark? = nil, retries: Int = 0
  ) -> Receipt {
    Receipt(sequence: sequence, generation: generation, rejections: rejections, stage: stage, retries: retries)
  }
}

/// A document that was left out because of its content, and why.
public struct Rejection: Sendable {
  /// The document's key.
  public var key: Key
  /// Why, with the field where it is known.
  public var error: SluiceError

  /// A document that was left out.
  public init(_ key: Key, _ error: SluiceError) {
    self.key = key
    self.error = error
  }
}

/// A sink's word that a delivery is applied. Made only by `Delivery.confirm(rejecting:stage:retries:)`.
public struct Receipt: Sendable {
  /// The delivery's number.
  public let sequence: UInt64
  /// The delivery's generation.
  public let generation: UInt64
  /// What was left out because of its content.
  public let rejections: [Rejection]
  /// The stage after the delivery.
  public let stage: StageMark?
  /// How often a step had to be tried again.
  public let retries: Int

  fileprivate init(sequence: UInt64, generation: UInt64, rejections: [Rejection], stage: StageMark?, retries: Int) {
    self.sequence = sequence
    self.generation = generation
    self.rejections = rejections
    self.stage = stage
    self.retries = retries
  }
}

/// How far a stage has grown: enough to cut it back to this point after a crash, or to see that it is another.
public struct StageMark: Sendable, Hashable {
  /// Length: bytes of a file, rows of a table. Zero is an empty stage.
  public var length: UInt64
  /// A running digest over the content so far.
  public var digest: Fingerprint
  /// Documents so far.
  public var documents: Int

  /// How far a stage has grown.
  public init(length: UInt64, digest: Fingerprint, documents: Int) {
    self.length = length
    self.digest = digest
    self.documents = documents
  }
}

/// What a transactional sink commits together with a batch.
public struct SinkProgress: Sendable {
  /// The job's checkpoint as it is once this delivery is applied.
  public var checkpoint: Checkpoint
  /// What the ledger learns from this delivery.
  public var ledger: LedgerPage?

  /// What a transactional sink commits together with a batch.
  public init(checkpoint: Checkpoint, ledger: LedgerPage?) {
    self.checkpoint = checkpoint
    self.ledger = ledger
  }
}
