import SluiceCore

/// Changes as they come: data, ledger and checkpoint in one transaction.
extension SQLiteAdapter {
  /// The checkpoint that was committed last for this job and table.
  public func savedCheckpoint(job: String) async throws -> Checkpoint? {
    let (target, path) = (table.name.text, path)
    return try await database.read { connection in
      guard try SinkSchema.isPresent(on: connection) else { return nil }
      return try connection.first(
        "SELECT checkpoint FROM _sluice_checkpoints WHERE job = ? AND target = ?", .text(job), .text(target)
      ) { try SavedCheckpoint.read($0.text(0), path: path) }
    }
  }

  /// The ledger of this job for the table, in the same database.
  public func ledger(job: String) async throws -> any Ledger {
    let opened = SQLiteLedger(try await ledgerTables(job: job), in: database)
    ledger.withLock { $0 = opened }
    return opened
  }

  /// Moves checkpoint and ledger of a job to another name, or forgets them.
  public func moveProgress(of job: String, to other: String?) async throws {
    let target = table.name.text
    try await database.write { connection in
      try LedgerSchema.sink.move(job: job, target: target, to: other, on: connection)
      let saved = try connection.first(
        "SELECT checkpoint FROM _sluice_checkpoints WHERE job = ? AND target = ?", .text(job), .text(target)
      ) { try SavedCheckpoint.read($0.text(0), path: connection.path) }
      try connection.run("DELETE FROM _sluice_checkpoints WHERE job = ? AND target = ?", .text(job), .text(target))
      guard let other, var checkpoint = saved else { return }
      checkpoint.job = other
      try connection.run(
        "INSERT OR REPLACE INTO _sluice_checkpoints (job, target, checkpoint) VALUES (?, ?, ?)", .text(other),
        .text(target), .text(SavedCheckpoint.text(of: checkpoint)))
    }
  }

  private func ledgerTables(job: String) async throws -> LedgerTables {
    let table = table
    return try await database.write { connection in
      let identity = try TableIdentity(table: table, connection: connection).make()
      return try LedgerSchema.sink.open(job: job, target: table.name.text, identity: identity, on: connection)
    }.value
  }

  func write(
    _ batch: Batch, _ progress: SinkProgress?, acceptsRejections: Bool, deletedAt: Timestamp?
  ) async throws -> (rejections: [Rejection], retries: Int) {
    let (table, encoding) = (table, encoding)
    let checkpoint = progress.map { (job: $0.checkpoint.job, text: SavedCheckpoint.text(of: $0.checkpoint)) }
    let ledger = ledger.withLock { $0 }
    let written = try await database.write { connection in
      var writer = try RowWriter(
        table, encoding, acceptsRejections: acceptsRejections, deletedAt: deletedAt, on: connection)
      try writer.apply(batch)
      if let checkpoint {
        try connection.run(
          "INSERT OR REPLACE INTO _sluice_checkpoints (job, target, checkpoint) VALUES (?, ?, ?)",
          .text(checkpoint.job), .text(table.name.text), .text(checkpoint.text))
      }
      if let page = progress?.ledger?.leavingOut(writer.rejections) {
        guard let ledger else { throw SluiceError(.internal, "the ledger of the table was not opened") }
        try ledger.apply(page, on: connection)
      }
      return writer.rejections
    }
    return (written.value, written.retries)
  }
}

extension LedgerPage {
  /// The page without what it says of documents that the sink did not take. They stay seen.
  fileprivate func leavingOut(_ rejections: [Rejection]) -> LedgerPage {
    guard !rejections.isEmpty else { return self }
    let keys = Set(rejections.map(\.key))
    var page = self
    for index in batch.indices where updates[index] != nil && keys.contains(batch.key(at: index)) {
      page.updates[index] = nil
    }
    return page
  }
}
