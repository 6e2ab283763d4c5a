/// A store that can be written.
public protocol Writable: Adapter {
  /// Applies one delivery and confirms it.
  ///
  /// Called with one delivery at a time, in the order of their numbers. Must be idempotent by key: after a crash the
  /// last delivery may come again. An older version never overwrites a newer one where the store can tell. A document
  /// that the store cannot take because of its content is a rejection in the receipt; every other failure throws, and
  /// then nothing is taken as applied.
  func apply(_ delivery: consuming Delivery) async throws -> Receipt

  /// What tells this store's present content apart from another's, or from the same store emptied and made anew: a
  /// random id beside a table. Nil when there is none yet. A ledger is valid only for the identity it was made under.
  ///
  /// Called before the first delivery. With `creating`, a store that has no identity makes one.
  func identity(creating: Bool) async throws -> SinkIdentity?

  /// Whether the target holds no documents at all, whoever wrote them. A listing without documents is then harmless.
  func isEmpty() async throws -> Bool
}

/// What a ledger is bound to.
public struct SinkIdentity: Sendable, Hashable {
  /// The words, the sink's own.
  public var text: String

  /// An identity.
  public init(_ text: String) { self.text = text }
}

/// A sink that can stage a whole set beside the target and swap it in at once.
public protocol Publishing: Writable {
  /// Opens the stage of a generation. Deliveries go to the stage from then on.
  ///
  /// With `mark`, the stage is cut back to it. Where that cannot be done (no stage, shorter, other content) an empty
  /// one is begun. Answers how far the stage reaches: `mark`, or a mark of length 0. Stages of other generations are
  /// removed.
  func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark

  /// Swaps the stage in, all or nothing. Whoever looks sees the old set or the new one, never a part. `content` is the
  /// stage as the checkpoint knows it; another stage is refused. After a crash in between, the engine asks `shows(_:)`
  /// before it calls again.
  ///
  /// Replacing a set removes what is absent from the new one: that is why it takes the proof of a complete listing.
  func publish(_ listing: CompleteListing, content: StageMark) async throws -> Publication

  /// Removes the stage, if there is one. What is published stays.
  func discardStage() async throws

  /// Whether what the target shows now is exactly this publication. Must look at the target, not at a memory of it.
  /// The witness is empty where the crash came before the publication was saved: compare length and digest then.
  func shows(_ publication: Publication) async throws -> Bool
}

/// What was swapped in.
public struct Publication: Sendable, Hashable {
  /// The listing's generation.
  public var generation: UInt64
  /// The content: its length, digest and number of documents.
  public var content: StageMark
  /// Words of the sink's own by which `shows(_:)` knows it again.
  public var witness: String

  /// What was swapped in.
  public init(generation: UInt64, content: StageMark, witness: String = "") {
    self.generation = generation
    self.content = content
    self.witness = witness
  }
}

/// A sink that commits data, checkpoint and ledger in one transaction of its own.
///
/// `apply(_:)` then commits `Delivery.progress` with the batch; what the progress says of a rejected document is left
/// out. The state store's copy of the checkpoint may lag by one delivery; the newer of the two counts.
public protocol Transactional: Writable {
  /// The checkpoint that was committed last for this job; nil when there is none.
  func savedCheckpoint(job: String) async throws -> Checkpoint?

  /// The ledger of this job, kept in the sink's own store. It is valid for the sink's identity by construction.
  func ledger(job: String) async throws -> any Ledger

  /// Moves what is kept of a job, checkpoint and ledger, to another name; nil forgets it. Nothing where nothing is kept.
  /// Documents stay as they are. Called by `state rename` and `state reset`, while no run holds the job.
  func moveProgress(of job: String, to other: String?) async throws
}

extension Transactional {
  /// Throws `invalid_configuration`: the sink cannot do it.
  public func moveProgress(of job: String, to other: String?) async throws {
    throw SluiceError(
      .invalidConfiguration, "\(Self.name) cannot move what it keeps of a job",
      at: Place(job: job, component: Self.name))
  }
}
