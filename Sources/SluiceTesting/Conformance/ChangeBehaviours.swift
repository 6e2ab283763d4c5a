import SluiceCore

/// What a sink promises that takes changes as they come.
extension AdapterFixture {
  func addChanges(to list: inout BehaviourList, _ mode: Capabilities.PublishMode) {
    if mode == .replace {
      return list.add("applies changes as they come", skip: "it is given whole sets only") {}
    }
    list.add("applies documents and deletes in their order") {
      try await withStore { store in
        try await writing(store) { run in
          try await run.send(documents(0..<3))
          let changes: [Change] = [
            .upsert(document(3)), .delete(key: document(0).key, version: .none), .upsert(document(1, revision: 1)),
            .delete(key: document(3).key, version: .none), .upsert(document(4)),
          ]
          try await run.send(.of(changes))
        }
        try expectSame(
          try await store.contents(), [document(1, revision: 1), document(2), document(4)], "after the changes")
      }
    }
    list.add("a delivery that comes again changes nothing") {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        let batch = try Batch.of([.upsert(document(3)), .delete(key: document(0).key, version: .none)])
        try await writing(store, sequence: 1) { try await $0.send(batch) }
        try await writing(store, sequence: 1) { run in
          try await run.send(batch)
          try await run.send(batch, again: true)
        }
        try expectSame(try await store.contents(), documents(1..<4), "after the third time")
      }
    }
    list.add("goes on after it was opened again") {
      try await withStore { store in
        try await writing(store) { try await $0.send(documents(0..<2)) }
        try await writing(store, sequence: 1) { try await $0.send(documents(2..<4)) }
        try expectSame(try await store.contents(), documents(0..<4), "written")
      }
    }
    list.add("deleting what is not there is no failure") {
      try await withStore { store in
        try await writing(store) { run in
          try await run.send(.of([.delete(key: document(7).key, version: .none), .upsert(document(0))]))
        }
        try expectSame(try await store.contents(), documents(0..<1), "written")
      }
    }
    list.add("is empty again when everything was deleted", skip: mode == .append ? "a log only grows" : nil) {
      try await withStore { store in
        try await write(documents(0..<2), to: store)
        try await writing(store, sequence: 1) { run in
          try await run.send(.of((0..<2).map { .delete(key: document($0).key, version: .none) }))
          try expect(await run.sink.isEmpty(), "it is not")
        }
      }
    }
    addVersions(to: &list, skip: mode == .append ? "a log keeps what comes" : nil)
    addDeletedAt(to: &list, skip: capabilities.keepsDeleted ? nil : "it does not keep what is deleted")
  }

  private func addVersions(to list: inout BehaviourList, skip: String?) {
    let skip = skip ?? (comparesVersions ? nil : "it cannot compare versions")
    if let skip { return list.add("compares versions", skip: skip) {} }
    list.add("an older version never overwrites a newer one") {
      try await withStore { store in
        try await writing(store) { run in
          try await run.send([document(0, revision: 2), document(1, revision: 2)])
          try await run.send([document(0, revision: 1), document(1, revision: 3)])
        }
        try expectSame(
          try await store.contents(), [document(0, revision: 2), document(1, revision: 3)], "after the older one")
      }
    }
    list.add("the same version overwrites") {
      try await withStore { store in
        var second = document(0)
        second.fields = Fields(fields(0, 5))
        let again = second
        try await writing(store) { run in
          try await run.send([document(0)])
          try await run.send([again])
        }
        try expectSame(try await store.contents(), [again], "after it")
      }
    }
    list.add("a delete of an older version does not remove a newer document") {
      try await withStore { store in
        try await writing(store) { run in
          try await run.send([document(0, revision: 2), document(1, revision: 2)])
          let old = document(0, revision: 1).version
          let new = document(0, revision: 3).version
          try await run.send(
            .of([.delete(key: document(0).key, version: old), .delete(key: document(1).key, version: new)]))
        }
        try expectSame(try await store.contents(), [document(0, revision: 2)], "after the deletes")
      }
    }
  }

  private func addDeletedAt(to list: inout BehaviourList, skip: String?) {
    if let skip { return list.add("keeps what is deleted, marked with the time", skip: skip) {} }
    let first = Timestamp(seconds: 1_800_000_000, nanoseconds: 0)
    let second = Timestamp(seconds: 1_800_000_060, nanoseconds: 0)
    list.add("marks what is deleted with the time, once") {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        try await writing(store, sequence: 1) { run in
          let delete = try Batch.of([.delete(key: document(1).key, version: .none)])
          try await run.send(delete, deletedAt: first)
          try await run.send(delete, deletedAt: second)
        }
        try expectSame(try await store.contents(), documents(0..<3), "kept")
        let marks = try await store.deleted()
        try expect(marks == [document(1).key: first], "the marks are \(marks)")
      }
    }
    list.add("a document that comes back loses its mark") {
      try await withStore { store in
        try await write(documents(0..<2), to: store)
        try await writing(store, sequence: 1) { run in
          let delete = try Batch.of([.delete(key: document(1).key, version: .none)])
          try await run.send(delete, deletedAt: first)
          try await run.send([document(1, revision: 1)])
        }
        try expectSame(try await store.contents(), [document(0), document(1, revision: 1)], "kept")
        let marks = try await store.deleted()
        try expect(marks.isEmpty, "the marks are \(marks)")
      }
    }
    list.add("without a time, a delete removes what was kept") {
      try await withStore { store in
        try await write(documents(0..<2), to: store)
        try await writing(store, sequence: 1) { run in
          let delete = try Batch.of([.delete(key: document(1).key, version: .none)])
          try await run.send(delete, deletedAt: first)
          try await run.send(delete)
        }
        try expectSame(try await store.contents(), documents(0..<1), "kept")
      }
    }
  }
}
