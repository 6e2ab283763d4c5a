import SluiceCore

/// What a source promises that has a feed of its own changes: see `Watchable`.
extension AdapterFixture {
  func feedBehaviours() -> [Behaviour] {
    var list = BehaviourList("\(subject), feed")
    guard roles.contains(.source), capabilities.feed != nil else {
      list.add("is followed", skip: "it has no feed") {}
      return list.behaviours
    }
    addChangesOfFeed(to: &list)
    addPositionsOfFeed(to: &list)
    addEndOfFeed(to: &list)
    return list.behaviours
  }

  private func addChangesOfFeed(to list: inout BehaviourList) {
    list.add("every change after the mark comes") {
      try await withStore { store in
        try await store.put(documents(0..<3))
        try await following(store) { source in
          let mark = try await source.mark()
          try await store.put([document(3), document(1, revision: 1)])
          let wanted = [document(3), document(1, revision: 1)]
          let batches = try await follow(source, after: mark, until: wanted.map(\.key))
          var last: [Key: Document] = [:]
          for case .upsert(let found) in batches.flatMap({ Array($0.batch) }) { last[found.key] = found }
          try expectSame(wanted.compactMap { last[$0.key] }, wanted, "after the mark")
        }
      }
    }
    list.add("deletes come", skip: capabilities.feedSeesDeletes ? nil : "its feed does not tell of them") {
      try await withStore { store in
        try await store.put(documents(0..<3))
        try await following(store) { source in
          let mark = try await source.mark()
          try await store.remove([document(1).key])
          let batches = try await follow(source, after: mark, until: [document(1).key])
          let change = batches.flatMap { Array($0.batch) }.last { $0.key == document(1).key }
          guard case .delete? = change else { throw ConformanceFailure("\(String(describing: change)) came") }
        }
      }
    }
  }

  private func addPositionsOfFeed(to list: inout BehaviourList) {
    list.add("goes on from each of its positions without a gap") {
      try await withStore { store in
        let mark = try await following(store) { try await $0.mark() }
        for number in 0..<3 { try await store.put([document(number)]) }
        let keys = documents(0..<3).map(\.key)
        let batches = try await following(store) { try await follow($0, after: mark, until: keys) }
        try await store.put([document(9)])
        for (index, batch) in batches.enumerated() {
          // Opened anew: all that is left is the position.
          let rest = try await following(store) {
            try await follow($0, after: batch.position, until: [document(9).key])
          }
          let found = Set(rest.flatMap { $0.batch.map(\.key) })
          let wanted = Set(batches[(index + 1)...].flatMap { $0.batch.map(\.key) })
          try expect(found.isSuperset(of: wanted), "after batch \(index + 1), of \(wanted) only \(found) came")
        }
      }
    }
    list.add("an unknown position is lost, and never taken for now") {
      try await withStore { store in
        try await following(store) { source in
          try await expect(.positionLost, from: "following it") {
            let stream = try await source.changes(after: WatchPosition("none of this feed"))
            return try await ending({ stream.cancel() }) { try await stream.next() }
          }
        }
      }
    }
  }

  private func addEndOfFeed(to list: inout BehaviourList) {
    for byTask in [false, true] {
      list.add("whoever waits for a change leaves soon when the \(byTask ? "task" : "feed") is cancelled") {
        try await withStore { store in
          try await following(store) { source in
            let stream = try await source.changes(after: source.mark())
            let clock = ContinuousClock()
            let start = clock.now
            await withTaskGroup(of: Void.self) { group in
              // Either way is right: an end, or an error.
              group.addTask { do { _ = try await stream.next() } catch {} }
              await Task.yield()
              if byTask { group.cancelAll() } else { stream.cancel() }
            }
            stream.cancel()
            try expect(clock.now - start < soon, "it took \(clock.now - start)")
          }
        }
      }
    }
  }

  @discardableResult private func following<R: Sendable>(
    _ store: any ConformanceStore, _ body: @Sendable (any Watchable) async throws -> R
  ) async throws -> R {
    let adapter = try await store.open(as: .source)
    return try await ending({ await adapter.close() }) {
      try await body(require(adapter as? any Watchable, "it is said to have a feed, but is not Watchable"))
    }
  }

  /// Pulls until changes of all keys have come.
  private func follow(
    _ source: any Watchable, after position: WatchPosition, until keys: [Key]
  ) async throws -> [ChangeBatch] {
    let stream = try await source.changes(after: position)
    return try await ending({ stream.cancel() }) {
      var batches: [ChangeBatch] = []
      var missing = Set(keys)
      while !missing.isEmpty {
        let batch = try require(try await stream.next(), "the feed ended before \(missing) came")
        batches.append(batch)
        try expect(batch.kind != .resync, "the feed lost its place")
        try expect(batches.count < 1000, "\(missing) did not come in 1000 batches")
        missing.subtract(batch.batch.map(\.key))
      }
      return batches
    }
  }
}
