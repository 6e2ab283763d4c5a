import SluiceCore

/// What a sink promises that can be read back: see `Verifiable`.
extension AdapterFixture {
  func addVerifying(to list: inout BehaviourList) {
    guard capabilities.isVerifiable else { return list.add("is read back", skip: "it cannot be read back") {} }
    list.add("is read back in parts of any size, each document once") {
      try await withStore { store in
        try expect(await readBack(store, limit: 3).isEmpty, "a fresh store has documents")
        try await write(documents(0..<7), to: store)
        for limit in [1, 2, 3, 7, 8] {
          try expectSame(try await readBack(store, limit: limit), documents(0..<7), "in parts of \(limit)")
        }
      }
    }
    list.add("its keys are read back by their bytes") {
      try await withStore { store in
        try await write(oddDocuments, to: store)
        try expectSame(try await readBack(store, limit: 3), oddDocuments, "read back")
      }
    }
    list.add("what it says that it keeps is what is read back") {
      try await withStore { store in
        let given = [document(0), document(id: "k1", values), document(id: "k2", SampleContent.values)]
        let batch = try Batch.of(given + [refused].compactMap(\.self))
        let adapter = try await store.open(as: .sink)
        let kept = try await ending({ await adapter.close() }) { try await verifiable(adapter).asKept(batch) }
        let rejected = try await writing(store) { run in
          let receipt = try await run.send(batch)
          try await run.publish()
          return receipt.rejections.map(\.key)
        }
        let wanted = kept.compactMap { if case .upsert(let document) = $0 { document } else { nil } }
        try expectSame(try await readBack(store, limit: 10), wanted, "read back")
        let left = batch.map(\.key).filter { key in !wanted.contains { $0.key == key } }
        try expect(left.sorted() == rejected.sorted(), "it rejects \(rejected), but says that it leaves out \(left)")
      }
    }
    list.add("what is staged is not read back", skip: capabilities.publishMode == .replace ? nil : "it does not stage")
    {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        try await writing(store, generation: 2) { run in
          try await run.send(documents(3..<6))
          try expectSame(try await readBack(run.sink, limit: 2), documents(0..<3), "beside a stage")
        }
      }
    }
    list.add(
      "what is only marked as deleted is not read back",
      skip: capabilities.keepsDeleted ? nil : "it does not keep what is deleted"
    ) {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        try await writing(store, sequence: 1) { run in
          let delete = try Batch.of([.delete(key: document(1).key, version: .none)])
          try await run.send(delete, deletedAt: Timestamp(seconds: 1_800_000_000, nanoseconds: 0))
        }
        try expectSame(try await readBack(store, limit: 1), [document(0), document(2)], "read back")
      }
    }
  }

  private func verifiable(_ adapter: any Adapter) throws -> any Verifiable {
    try require(adapter as? any Verifiable, "it is said to be read back, but is not Verifiable")
  }

  private func readBack(_ store: any ConformanceStore, limit: Int) async throws -> [Document] {
    let adapter = try await store.open(as: .sink)
    return try await ending({ await adapter.close() }) { try await readBack(adapter, limit: limit) }
  }

  private func readBack(_ adapter: any Adapter, limit: Int) async throws -> [Document] {
    let sink = try verifiable(adapter)
    var found: [Document] = []
    var place: String?
    for _ in 0..<500 {
      let part = try await sink.contents(after: place, limit: limit)
      try expect(part.batch.count <= limit, "\(limit) documents were asked for, \(part.batch.count) came")
      found += part.batch.compactMap { if case .upsert(let document) = $0 { document } else { nil } }
      guard let next = part.next else { return found }
      place = next
    }
    throw ConformanceFailure("reading it back does not end")
  }
}
