import SluiceCore

/// What a sink promises that swaps a whole set in: see `Publishing`.
extension AdapterFixture {
  func addPublishing(to list: inout BehaviourList, skip: String?) {
    if let skip { return list.add("swaps a whole set in at once", skip: skip) {} }
    addStaging(to: &list)
    addResuming(to: &list)
    addShows(to: &list)
  }

  private func addStaging(to list: inout BehaviourList) {
    list.add("shows nothing before it publishes, then the whole set and nothing else") {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        try await writing(store, generation: 2) { run in
          try expect(
            run.mark?.length == 0 && run.mark?.documents == 0, "the stage begins with \(String(describing: run.mark))")
          try await run.send(documents(2..<4, revision: 1))
          try await run.send(documents(4..<6))
          try expect(run.mark?.documents == 4, "the stage counts \(run.mark?.documents ?? -1) documents of 4")
          try expectSame(try await store.contents(), documents(0..<3), "before publishing")
          try await run.publish()
          try expectSame(
            try await store.contents(), documents(2..<4, revision: 1) + documents(4..<6), "after publishing")
        }
      }
    }
    list.add("publishes an empty set") {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        try await writing(store, generation: 2) { run in
          try await run.publish()
          try expect(await run.sink.isEmpty(), "it is not empty")
        }
        try expectSame(try await store.contents(), [], "after publishing")
      }
    }
    list.add("a discarded stage is gone, what is published stays, and discarding again is no failure") {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        let mark = try await writing(store, generation: 2) { run in
          try await run.send(documents(3..<5))
          try await run.publishing.discardStage()
          try await run.publishing.discardStage()
          return run.mark
        }
        try await writing(store, generation: 2, resuming: mark) { run in
          try expect(run.mark?.length == 0, "the stage is still there")
          try await run.publishing.discardStage()
        }
        try expectSame(try await store.contents(), documents(0..<3), "after that")
      }
    }
    list.add("refuses to publish another stage than the checkpoint's, and keeps what it shows") {
      try await withStore { store in
        try await write(documents(0..<3), to: store)
        try await writing(store, generation: 2) { run in
          try await run.send(documents(3..<5))
          var other = try require(run.mark, "there is no stage")
          other.digest.low ^= 1
          let wrong = other
          _ = try await failure(of: "publishing") { try await run.publishing.publish(SinkRun.proof(2), content: wrong) }
        }
        try expectSame(try await store.contents(), documents(0..<3), "after that")
      }
    }
  }

  private func addResuming(to list: inout BehaviourList) {
    list.add("a stage is cut back to its mark and goes on") {
      try await withStore { store in
        let mark = try await writing(store) { run in
          try await run.send(documents(0..<3))
          let mark = run.mark
          // This one was staged, but its checkpoint never saved.
          try await run.send(documents(3..<5, revision: 7))
          return mark
        }
        try await writing(store, resuming: mark, sequence: 1) { run in
          try expect(run.mark == mark, "it goes on at \(String(describing: run.mark)), not \(String(describing: mark))")
          try await run.send(documents(3..<6))
          try await run.publish()
        }
        try expectSame(try await store.contents(), documents(0..<6), "published")
      }
    }
    list.add("a stage is the same, however often it is cut back") {
      try await withStore { store in
        let whole = try await writing(store) { run in
          try await run.send(documents(0..<3))
          try await run.send(documents(3..<6))
          return run.mark
        }
        try await write([], to: store, generation: 2)
        let first = try await writing(store, generation: 3) { run in
          try await run.send(documents(0..<3))
          return run.mark
        }
        try await writing(store, generation: 3, resuming: first, sequence: 1) { try await $0.send(documents(8..<9)) }
        try await writing(store, generation: 3, resuming: first, sequence: 1) { run in
          try await run.send(documents(3..<6))
          try expect(run.mark == whole, "the same deliveries made \(String(describing: run.mark))")
        }
      }
    }
    list.add("a mark that is not of the stage begins an empty one") {
      try await withStore { store in
        let mark = try await writing(store) { run in
          try await run.send(documents(0..<3))
          return try require(run.mark, "there is no stage")
        }
        var longer = mark
        longer.length += 1
        var other = mark
        other.digest.high ^= 1
        for wrong in [longer, other] {
          try await writing(store, resuming: wrong) { run in
            try expect(run.mark?.length == 0, "it goes on at \(String(describing: run.mark))")
            try await run.send(documents(0..<3))
          }
        }
        try await writing(store, resuming: mark, sequence: 1) { try await $0.publish() }
        try expectSame(try await store.contents(), documents(0..<3), "published")
      }
    }
    list.add("a new generation removes the stage of another") {
      try await withStore { store in
        let old = try await writing(store) { run in
          try await run.send(documents(0..<3))
          return run.mark
        }
        try await writing(store, generation: 2) { run in
          try await run.send(documents(3..<5))
          try await run.publish()
        }
        try expectSame(try await store.contents(), documents(3..<5), "published")
        try await writing(store, generation: 1, resuming: old) { run in
          try expect(run.mark?.length == 0, "the stage of generation 1 is still there")
          try await run.publishing.discardStage()
        }
      }
    }
    list.add("a run that has only the swap left to do publishes the stage") {
      try await withStore { store in
        let mark = try await writing(store) { run in
          try await run.send(documents(0..<3))
          return try require(run.mark, "there is no stage")
        }
        let adapter = try await store.open(as: .sink)
        try await ending({ await adapter.close() }) {
          let sink = try SinkRun(adapter, capabilities, generation: 1, sequence: 1)
          _ = try await sink.publishing.publish(SinkRun.proof(1), content: mark)
        }
        try expectSame(try await store.contents(), documents(0..<3), "published")
      }
    }
  }

  private func addShows(to list: inout BehaviourList) {
    list.add("knows its publication again, also one whose witness was never saved") {
      try await withStore { store in
        let publication = try await writing(store) { run in
          try await run.send(documents(0..<3))
          let mark = try require(run.mark, "there is no stage")
          let before = Publication(generation: 1, content: mark)
          try expect(await !run.publishing.shows(before), "it shows the stage before it was published")
          return try require(try await run.publish(), "nothing was published")
        }
        let unsaved = Publication(generation: publication.generation, content: publication.content)
        let adapter = try await store.open(as: .sink)
        try await ending({ await adapter.close() }) {
          let sink = try SinkRun(adapter, capabilities, generation: 1, sequence: 1).publishing
          try expect(await sink.shows(publication), "it does not know its publication again")
          try expect(await sink.shows(unsaved), "it does not know it without its witness")
          var other = unsaved
          other.content.digest.low ^= 1
          let wrong = other
          try expect(await !sink.shows(wrong), "it takes another publication for the one it shows")
        }
      }
    }
    list.add("looks at the target: what somebody else changed is not its publication") {
      try await withStore { store in
        let publication = try await writing(store) { run in
          try await run.send(documents(0..<3))
          return try require(try await run.publish(), "nothing was published")
        }
        try await store.put([document(1, revision: 9)])
        let adapter = try await store.open(as: .sink)
        try await ending({ await adapter.close() }) {
          let sink = try SinkRun(adapter, capabilities, generation: 1, sequence: 1).publishing
          try expect(await !sink.shows(publication), "it still takes it for its publication")
        }
      }
    }
  }
}
