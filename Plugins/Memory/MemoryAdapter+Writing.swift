import SluiceCore

extension MemoryAdapter: Publishing {
  /// Applies the delivery to the store, or with `publish: replace` adds it to the stage.
  public func apply(_ delivery: consuming Delivery) throws -> Receipt {
    if settings.publish == .replace {
      return delivery.confirm(stage: try addToStage(delivery.batch))
    }
    store.apply(delivery.batch, deletedAt: delivery.deletedAt)
    return delivery.confirm()
  }

  /// The store's random words: they end with the process, and with them the ledger's worth.
  public func identity(creating: Bool) -> SinkIdentity? { SinkIdentity(store.identity) }

  /// Whether the store has no documents.
  public func isEmpty() -> Bool { store.count == 0 }

  /// Opens the stage, taking up what an earlier run of this process staged where `mark` fits it.
  public func openStage(generation: UInt64, resuming mark: StageMark?) -> StageMark {
    let owner = owner
    return store.state.withLock { state in
      var stage = MemoryStage(generation: generation, owner: owner)
      if let mark, let held = state.stage, held.generation == generation, let cut = held.cut(to: mark, owner: owner) {
        stage = cut
      }
      state.stage = stage
      return stage.mark
    }
  }

  /// Swaps the staged set in. A reader has the old set or the new one.
  public func publish(_ listing: CompleteListing, content: StageMark) throws -> Publication {
    let owner = owner
    let name = settings.name
    let identity = store.identity
    return try store.state.withLock { state in
      // A run that resumes after the last page has not opened the stage itself.
      guard let stage = state.stage, stage.generation == listing.generation,
        let cut = stage.mark == content ? stage : stage.cut(to: content, owner: owner)
      else { throw Self.lostStage(name) }
      return state.swapIn(cut, content: content, store: identity)
    }
  }

  /// Drops the stage.
  public func discardStage() { store.state.withLock { $0.stage = nil } }

  /// Whether nothing has changed in the store since this publication was swapped in.
  public func shows(_ publication: Publication) -> Bool {
    let identity = store.identity
    return store.state.withLock { state in
      if publication.witness.isEmpty {
        guard let published = state.published else { return false }
        return published.revision == state.revision && published.publication.generation == publication.generation
          && published.publication.content == publication.content
      }
      return publication.witness == MemoryStore.State.witness(store: identity, revision: state.revision)
    }
  }

  private func addToStage(_ batch: Batch) throws -> StageMark {
    let owner = owner
    let name = settings.name
    return try store.state.withLock { state in
      guard state.stage?.owner == owner else { throw Self.lostStage(name) }
      state.stage?.append(batch)
      return state.stage?.mark ?? MemoryStage(generation: 0, owner: owner).mark
    }
  }

  private static func lostStage(_ name: String) -> SluiceError {
    SluiceError(
      .io, "what was staged for the memory store is no longer there", at: Place(collection: name),
      hint: "two jobs that replace one store take it from each other: give each its own name")
  }
}

extension MemoryAdapter: Verifiable {
  /// The documents in the order of their keys. Nothing is lost by keeping them.
  public func contents(after place: String?, limit: Int) throws -> Contents {
    let (snapshot, marked) = store.state.withLock { ($0.snapshot(), $0.marked) }
    var start = 0
    if let place {
      guard let key = Key(canonical: Array(place.utf8)) else {
        throw SluiceError(.internal, "the place is no key", at: Place(collection: settings.name))
      }
      start = snapshot.firstIndex(beyond: key)
    }
    let end = min(snapshot.count, start + limit)
    var builder = BatchBuilder()
    for document in snapshot[start..<end] where !marked.contains(document.key) { builder.add(document) }
    return Contents(try builder.finish(), next: end < snapshot.count ? snapshot[end - 1].key.description : nil)
  }
}

extension MemoryStore {
  /// Applies changes, all at once for whoever looks. An older version does not overwrite a newer one. With `deletedAt`
  /// a deleted document stays, and its field `deleted_at` has that time.
  func apply(_ batch: Batch, deletedAt: Timestamp? = nil) {
    let changes = batch.map { change in
      if case .upsert(let document) = change { Change.upsert(document.compacted()) } else { change }
    }
    state.withLock { state in
      for change in changes {
        let held = state.documents[change.key]?.version ?? .none
        switch change {
        case .upsert(let document):
          if !document.isMissing, !document.version.isOlder(than: held) { _ = state.put(document) }
        case .delete(let key, let version):
          if version.isOlder(than: held) { continue }
          if let deletedAt { state.mark(key, deletedAt: deletedAt) } else { _ = state.remove(key) }
        case .dropped: break
        }
      }
    }
  }
}

extension MemoryStore.State {
  /// Marks a document as deleted, once. Its version stays.
  fileprivate mutating func mark(_ key: Key, deletedAt: Timestamp) {
    guard let document = documents[key], document.fields["deleted_at"] == nil else { return }
    let fields = document.fields.materialized + [Field("deleted_at", .timestamp(deletedAt))]
    _ = put(Document(key: key, header: document.header, fields))
    marked.insert(key)
  }

  /// Words that name the store's state.
  static func witness(store: String, revision: UInt64) -> String { "\(store)@\(revision)" }

  /// Makes the staged set the store's content.
  fileprivate mutating func swapIn(_ stage: MemoryStage, content: StageMark, store: String) -> Publication {
    revision += 1
    let version = Version.sequence(revision)
    let set = stage.documents().map { document in
      if document.version != .none { return document }
      var document = document
      document.header.version = version
      return document
    }
    documents = OrderedDocuments(ordered: set)
    marked = []
    self.stage = nil
    let publication = Publication(
      generation: stage.generation, content: content, witness: Self.witness(store: store, revision: revision))
    published = (publication, revision)
    return publication
  }
}
