import SluiceCore

/// What a sink promises, however it shows its work: see `Writable`.
extension AdapterFixture {
  func sinkBehaviours() -> [Behaviour] {
    var list = BehaviourList("\(subject), sink")
    guard roles.contains(.sink), let mode = capabilities.publishMode else {
      list.add("is written to", skip: "it is no sink") {}
      return list.behaviours
    }
    addWriting(to: &list)
    addRefusal(to: &list)
    addState(to: &list, replaces: mode == .replace)
    addChanges(to: &list, mode)
    addVerifying(to: &list)
    addPublishing(to: &list, skip: mode == .replace ? nil : "it shows its work as \(mode.rawValue)")
    addTransactions(to: &list, skip: capabilities.isTransactional ? nil : "it has no transactions")
    return list.behaviours
  }

  /// Writes documents and shows them.
  func write(_ documents: [Document], to store: any ConformanceStore, generation: UInt64 = 1) async throws {
    try await writing(store, generation: generation) { run in
      try await run.send(documents)
      try await run.publish()
    }
  }

  private func addWriting(to list: inout BehaviourList) {
    list.add("keeps every kind of value", skip: values.isEmpty ? noValues : nil) {
      try await withStore { store in
        let wanted = [document(id: "k1", values), document(1)]
        try await write(wanted, to: store)
        try expectSame(try await store.contents(), wanted, "written")
      }
    }
    list.add("keeps keys apart by their bytes") {
      try await withStore { store in
        try await write(oddDocuments, to: store)
        try expectSame(try await store.contents(), oddDocuments, "written")
      }
    }
    list.add("takes batch after batch, empty ones among them, and batches of any size") {
      try await withStore { store in
        try await writing(store) { run in
          try await run.send(documents(0..<1))
          try await run.send([])
          try await run.send(documents(1..<400))
          try await run.send(documents(400..<403))
          try await run.publish()
        }
        try expectSame(try await store.contents(), documents(0..<403), "written")
      }
    }
    list.add("does not write what was left out of a batch") {
      try await withStore { store in
        try await writing(store) { run in
          let batch = try Batch.of(documents(0..<4)).resolving { index, kind in index % 2 == 0 ? kind : .dropped }
          try await run.send(batch)
          try await run.publish()
        }
        try expectSame(try await store.contents(), [document(0), document(2)], "written")
      }
    }
  }

  private func addRefusal(to list: inout BehaviourList) {
    let skip = refused == nil ? "it takes every document" : nil
    list.add("a document that it cannot take is a rejection with its key; the others are written", skip: skip) {
      try await withStore { store in
        let refused = try require(refused, "no such document")
        try await writing(store) { run in
          let receipt = try await run.send([document(0), refused, document(1)])
          try expect(receipt.rejections.map(\.key) == [refused.key], "rejected: \(receipt.rejections)")
          try await run.publish()
        }
        try expectSame(try await store.contents(), documents(0..<2), "written")
      }
    }
    list.add("where rejections are not accepted, it throws the document's error with its key", skip: skip) {
      try await withStore { store in
        let refused = try require(refused, "no such document")
        try await writing(store) { run in
          try await run.send([document(0)])
          let batch = try Batch.of([document(1), refused])
          let error = try await failure(of: "the delivery") { try await run.send(batch, acceptsRejections: false) }
          try expect(error.place.key == refused.key.description, "the error names \(error.place.key ?? "no key")")
          // The sink is no worse for it: without the document, the delivery comes again.
          try await run.send([document(1)])
          try await run.publish()
        }
        try expectSame(try await store.contents(), documents(0..<2), "written")
      }
    }
  }

  private func addState(to list: inout BehaviourList, replaces: Bool) {
    list.add("says whether it is empty, whoever wrote to it") {
      try await withStore { store in
        try await writing(store) { try expect(await $0.sink.isEmpty(), "a fresh store is not empty") }
        try await write(documents(0..<2), to: store)
        try await writing(store, generation: 2) { try expect(await !$0.sink.isEmpty(), "a filled store is empty") }
      }
    }
    let skip = replaces ? "a whole set is known by its content" : nil
    list.add("has an identity once it is asked for one, the same when it is opened again", skip: skip) {
      try await withStore { store in
        let first = try await writing(store) { try await $0.sink.identity(creating: true) }
        try expect(first != nil, "it makes none")
        try await write(documents(0..<2), to: store)
        let adapter = try await store.open(as: .sink)
        let again = try await ending({ await adapter.close() }) {
          try await (adapter as? any Writable)?.identity(creating: false)
        }
        try expect(first == again, "\(String(describing: first)) became \(String(describing: again))")
      }
    }
    list.add("has another identity, or none, when its data was lost", skip: skip) {
      try await withStore { store in
        let first = try await writing(store) { run in
          try await run.send(documents(0..<3))
          return try await run.sink.identity(creating: false)
        }
        try await store.lose()
        let adapter = try await store.open(as: .sink)
        let now = try await ending({ await adapter.close() }) {
          try await (adapter as? any Writable)?.identity(creating: false)
        }
        try expect(first != nil && now != first, "the identity is \(String(describing: now)) as before")
        try await write(documents(5..<6), to: store)
        try expectSame(try await store.contents(), documents(5..<6), "written after that")
      }
    }
    list.add("can be closed twice, and after a failure") {
      try await withStore { store in
        let adapter = try await store.open(as: .sink)
        await adapter.close()
        await adapter.close()
      }
    }
    list.add("a cancelled task leaves soon") {
      try await withStore { store in
        try await writing(store) { run in
          let clock = ContinuousClock()
          let start = clock.now
          await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            // Either way is right: written and confirmed, or thrown.
            group.addTask { do { try await run.send(documents(0..<2)) } catch {} }
          }
          try expect(clock.now - start < soon, "it took \(clock.now - start)")
        }
      }
    }
  }
}
