import SluiceCore

/// The whole set, staged beside the target and swapped in at once.
extension SQLiteAdapter {
  /// Opens the stage of a generation; see `Publishing`. A mark is taken up only where the rows up to it, read again,
  /// give its digest.
  public func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark {
    let table = table
    let path = path
    // Held until the stage is swapped in or removed.
    try lock.withLock { if $0 == nil { $0 = try JobLock(table: table.name.text, database: path) } }
    let opened = try await database.write { connection in
      _ = try table.exists(on: connection)
      try Stage.removeAll(of: table.name, butOf: generation, on: connection)
      if let mark, let stage = try Stage.resume(table.name, generation: generation, at: mark, on: connection) {
        return stage
      }
      return try Stage.begin(table.name, generation: generation, on: connection)
    }.value
    stage.withLock { $0 = opened }
    return opened.mark
  }

  func put(
    _ batch: Batch, generation: UInt64, acceptsRejections: Bool
  ) async throws -> (rejections: [Rejection], mark: StageMark, retries: Int) {
    guard let open = stage.withLock({ $0 }), open.generation == generation else {
      throw SluiceError(.internal, "a delivery came before its stage was opened", at: place)
    }
    let encoding = encoding
    let put = try await database.write { connection in
      var next = open
      let rejections = try next.apply(batch, encoding, acceptsRejections: acceptsRejections, on: connection)
      return (stage: next, rejections: rejections)
    }
    stage.withLock { $0 = put.value.stage }
    return (put.value.rejections, put.value.stage.mark, put.retries)
  }

  /// Swaps the stage in. Throws `state_conflict` where the stage is not what `content` says.
  public func publish(_ listing: CompleteListing, content: StageMark) async throws -> Publication {
    let table = table
    let open = stage.withLock { $0 }
    let generation = listing.generation
    let place = place
    let publication = try await database.write { connection in
      // A run that only has the swap left to do has not opened the stage.
      let found =
        if let open, open.generation == generation {
          open
        } else {
          try Stage.take(table.name, generation: generation, content, on: connection)
        }
      guard let stage = found, stage.mark == content, try stage.table.exists(on: connection) else {
        throw SluiceError(
          .stateConflict, "the stage is gone, or is another than the one that was filled", at: place,
          hint: "nothing was published; run again with --restart")
      }
      let publication = try StageSwap(target: table, connection: connection).perform(stage)
      try Stage.removeAll(of: table.name, on: connection)
      return publication
    }.value
    endStage()
    return publication
  }

  /// Removes the stage.
  public func discardStage() async throws {
    let table = table
    try await database.write { try Stage.removeAll(of: table.name, on: $0) }
    endStage()
  }

  /// Whether the table shows exactly this publication. Reads all its rows.
  public func shows(_ publication: Publication) async throws -> Bool {
    let table = table
    return try await database.read { try StageSwap(target: table, connection: $0).shows(publication) }
  }

  /// There is no stage any more: others may replace the table.
  private func endStage() {
    stage.withLock { $0 = nil }
    lock.withLock { $0 = nil }
  }

  private var place: Place { Place(collection: table.name.text, file: path) }
}
