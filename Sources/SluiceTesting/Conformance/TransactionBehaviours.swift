import SluiceCore

/// What a sink promises that commits data, checkpoint and ledger as one: see `Transactional`.
extension AdapterFixture {
  func addTransactions(to list: inout BehaviourList, skip: String?) {
    if let skip { return list.add("commits data, checkpoint and ledger together", skip: skip) {} }
    let takesAll = refused == nil ? "it takes every document" : nil
    list.add("commits data, checkpoint and ledger together") {
      try await withStore { store in
        let batch = try Batch.of(documents(0..<3))
        try await writing(store) { run in
          try expect(await run.transactional.savedCheckpoint(job: SinkRun.job) == nil, "a fresh store has a checkpoint")
          try await run.send(batch)
        }
        try await writing(store, sequence: 1) { run in
          let saved = try await run.transactional.savedCheckpoint(job: SinkRun.job)
          let wanted = try run.progress(of: batch, 1)
          try expect(saved == wanted.checkpoint, "the checkpoint is \(String(describing: saved))")
          let entries = try await run.transactional.ledger(job: SinkRun.job).entries(for: batch)
          try expect(entries == wanted.ledger?.updates, "the ledger knows \(entries)")
          let other = try await run.transactional.savedCheckpoint(job: "another")
          try expect(other == nil, "another job has this job's checkpoint")
        }
        try expectSame(try await store.contents(), documents(0..<3), "written")
      }
    }
    list.add(
      "a delivery that fails leaves none of the three", skip: takesAll
    ) {
      try await withStore { store in
        let refused = try require(refused, "no such document")
        let batch = try Batch.of([document(1), refused])
        try await writing(store) { run in
          try await run.send(documents(0..<1))
          _ = try await failure(of: "the delivery") { try await run.send(batch, acceptsRejections: false) }
        }
        try await writing(store, sequence: 1) { run in
          let saved = try await run.transactional.savedCheckpoint(job: SinkRun.job)
          try expect(saved?.revision == 1, "the checkpoint moved to revision \(saved?.revision ?? 0)")
          let entries = try await run.transactional.ledger(job: SinkRun.job).entries(for: batch)
          try expect(entries == [nil, nil], "the ledger knows \(entries)")
        }
        try expectSame(try await store.contents(), documents(0..<1), "written")
      }
    }
    list.add(
      "the ledger is not told of a document that was rejected",
      skip: takesAll
    ) {
      try await withStore { store in
        let refused = try require(refused, "no such document")
        let batch = try Batch.of([document(0), refused])
        try await writing(store) { run in
          try await run.send(batch)
          let entries = try await run.transactional.ledger(job: SinkRun.job).entries(for: batch)
          try expect(entries.first??.status == .live && entries.last == .some(nil), "the ledger knows \(entries)")
        }
      }
    }
    list.add("what it keeps of a job moves to another name, or is forgotten, or it says that it cannot") {
      try await withStore { store in
        let batch = try Batch.of(documents(0..<3))
        try await writing(store) { run in
          try await run.send(batch)
          let sink = try run.transactional
          do {
            try await sink.moveProgress(of: SinkRun.job, to: "new")
          } catch let error as SluiceError where error.code == .invalidConfiguration { return }
          try expect(await sink.savedCheckpoint(job: SinkRun.job) == nil, "the old name still has a checkpoint")
          try expect(await sink.savedCheckpoint(job: "new") != nil, "the new name has no checkpoint")
          try expect(await sink.ledger(job: "new").liveCount() == 3, "the ledger did not move")
          try await sink.moveProgress(of: "new", to: nil)
          try expect(await sink.savedCheckpoint(job: "new") == nil, "the checkpoint was not forgotten")
          try expect(await sink.ledger(job: "new").liveCount() == 0, "the ledger was not forgotten")
          try await sink.moveProgress(of: "nothing of this name", to: nil)
        }
        try expectSame(try await store.contents(), documents(0..<3), "the documents")
      }
    }
    let fixture = self
    for promise in LedgerPromise.all {
      list.add(promise.name) {
        try await fixture.withStore { try await promise.body(SinkLedgers(fixture: fixture, store: $0)) }
      }
    }
  }
}

/// The ledger of a sink with transactions.
private struct SinkLedgers: LedgerHost {
  let fixture: AdapterFixture
  let store: any ConformanceStore

  func open(_ body: @Sendable (OpenLedger) async throws -> Void) async throws {
    let fixture = fixture
    let adapter = try await store.open(as: .sink)
    try await ending({ await adapter.close() }) {
      let run = try SinkRun(adapter, fixture.capabilities, generation: 1, sequence: 0)
      try await run.begin(resuming: nil)
      let sink = run.sink
      let identity = try require(try await sink.identity(creating: true), "it has no identity")
      let ledger = try await run.transactional.ledger(job: SinkRun.job)
      try await body(
        OpenLedger(ledger: ledger, identity: identity) { page in
          let revision = (try await run.transactional.savedCheckpoint(job: SinkRun.job)?.revision ?? 0) + 1
          let progress = SinkProgress(
            checkpoint: .sample(job: SinkRun.job, revision: revision, generation: page.generation), ledger: page)
          let kinds = page.updates
          let batch = page.batch.resolving { index, kind in kinds[index] == nil ? .dropped : kind }
          _ = try await sink.apply(
            Delivery(batch: batch, sequence: revision, generation: page.generation, progress: progress))
        })
    }
  }
}
