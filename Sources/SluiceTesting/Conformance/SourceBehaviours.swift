import SluiceCore

/// What a source that is listed promises, whatever its positions: see `Pageable`, `Lookup`, `Countable` and
/// `Partitionable`.
extension AdapterFixture {
  func sourceBehaviours(paging: [PagingPlan]) -> [Behaviour] {
    var list = BehaviourList("\(subject), source")
    guard roles.contains(.source), !capabilities.positions.isEmpty else {
      list.add("is listed page by page", skip: "it is no source of pages") {}
      return list.behaviours
    }
    let kinds =
      capabilities.positions.count == 1 ? capabilities.positions : capabilities.positions.subtracting([.start])
    for kind in kinds.sorted(by: { $0.rawValue < $1.rawValue }) { addListing(PageWay(kind), to: &list) }
    for plan in paging where accepts(plan) { addListing(PageWay(plan), to: &list) }
    addPositions(to: &list)
    addContent(to: &list)
    addMutation(to: &list)
    addAbilities(to: &list)
    addLife(to: &list)
    return list.behaviours
  }

  /// The plainest way to list it.
  var plainWay: PageWay {
    let order: [PagePosition.Kind] = [.token, .after, .url, .number, .offset]
    return PageWay(order.first(where: capabilities.positions.contains) ?? .start)
  }

  private func accepts(_ plan: PagingPlan) -> Bool {
    capabilities.positions.contains(plan.position)
      && !(plan.needs.contains(.orderedKeys) && capabilities.order == .unstable)
  }

  private func addContent(to list: inout BehaviourList) {
    let way = plainWay
    list.add("its documents have every kind of value as it was stored", skip: values.isEmpty ? noValues : nil) {
      try await withStore { store in
        let wanted = [document(id: "k1", values), document(1)]
        try await store.put(wanted)
        let walk = try await reading(store) { try await PageWalk.list($0, way, size: 10) }
        try expectSame(walk.documents, wanted, "listed")
      }
    }
    list.add("its keys are told apart by their bytes") {
      try await withStore { store in
        try await store.put(oddDocuments)
        let size = way.kind == .start ? ids.count + 1 : 3
        let walk = try await reading(store) { try await PageWalk.list($0, way, size: size) }
        try expectSame(walk.documents, oddDocuments, "listed")
      }
    }
    list.add("its documents have versions that grow", skip: capabilities.hasVersions ? nil : "it has no versions") {
      try await withStore { store in
        try await store.put([document(1)])
        let old = try await only(store)
        try await store.put([document(1, revision: 1)])
        let new = try await only(store)
        try expect(old.version != .none, "the document has no version")
        try expect(old.version.isOlder(than: new.version), "\(new.version) is not newer than \(old.version)")
        try expectSame([new], [document(1, revision: 1)], "listed")
      }
    }
  }

  /// The only document of a store, as it is listed.
  private func only(_ store: any ConformanceStore) async throws -> Document {
    let walk = try await reading(store) { try await PageWalk.list($0, plainWay, size: 10) }
    return try require(walk.documents.first, "the document that was put in is not listed")
  }

  private func addMutation(to list: inout BehaviourList) {
    let way = plainWay
    let order = capabilities.order
    let isOnePage = way.kind == .start ? "there is one page only" : nil
    // A changing store that is counted through has no order: the engine takes it for unstable.
    let isCounted = way.kind == .offset || way.kind == .number ? "its pages are counted" : nil
    list.add(
      "a document that stays is listed once, whatever comes and goes between the pages",
      skip: order != .byKey ? "its order is \(order.rawValue)" : isOnePage ?? isCounted
    ) {
      try await withStore { store in
        try await store.put(documents(10..<20))
        let walk = try await reading(store) { source in
          try await PageWalk.list(source, way, size: 3) { page in
            guard page == 1 else { return }
            try await store.put(documents(0..<5) + documents(20..<22) + [document(15, revision: 1)])
            try await store.remove([document(11).key, document(18).key])
          }
        }
        let keys = walk.documents.map(\.key)
        for number in 10..<20 where ![11, 18].contains(number) {
          let count = keys.count { $0 == document(number).key }
          try expect(count == 1, "\(document(number).key) was listed \(count) times")
        }
        try expect(keys == keys.sorted(), "the keys do not come in their order: \(keys)")
      }
    }
    list.add(
      "all pages are of one moment, or the position is lost",
      skip: order != .pinned ? "its order is \(order.rawValue)" : isOnePage
    ) {
      try await withStore { store in
        try await store.put(documents(0..<6))
        do {
          let walk = try await reading(store) { source in
            try await PageWalk.list(source, way, size: 2) { page in
              guard page == 1 else { return }
              try await store.put([document(5, revision: 1), document(9)])
              try await store.remove([document(4).key])
            }
          }
          try expectSame(walk.documents, documents(0..<6), "listed")
        } catch let error as SluiceError {
          try expect(error.code == .positionLost, "it threw \(error.code): \(error.message)")
        }
      }
    }
  }

  private func addLife(to list: inout BehaviourList) {
    list.add("is the same source when it is opened again") {
      try await withStore { store in
        try await store.put(documents(0..<1))
        let first = try await reading(store) { $0.sourceIdentity }
        let second = try await reading(store) { $0.sourceIdentity }
        try expect(first == second, "\(first) became \(second)")
      }
    }
    list.add("a cancelled task leaves soon") {
      try await withStore { store in
        try await store.put(documents(0..<3))
        try await reading(store) { source in
          let frozen = try await source.freeze()
          let held = try await store.hold()
          let clock = ContinuousClock()
          let (time, isDone) = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
              do { _ = try await source.page(PageRequest(size: 3, frozen: frozen)) } catch { return false }
              return true
            }
            await held?()
            let start = clock.now
            group.cancelAll()
            let isDone = try await group.next() ?? true
            return (clock.now - start, isDone)
          }
          try expect(time < soon, "it took \(time)")
          try expect(!(isDone && held != nil), "a page came although the store kept it back")
        }
      }
    }
    list.add("can be closed twice, and after a failure") {
      try await withStore { store in
        try await store.put(documents(0..<1))
        let adapter = try await store.open(as: .source)
        let source = try require(adapter as? any Pageable, "it is not Pageable")
        // Unknown to some, not accepted by others.
        _ = try await failure(of: "the page") {
          try await source.page(PageRequest(position: .token("none of this store"), size: 1))
        }
        await source.close()
        await source.close()
      }
    }
  }

  var noValues: String { "its fixture names no values: the store has but one kind" }
}
