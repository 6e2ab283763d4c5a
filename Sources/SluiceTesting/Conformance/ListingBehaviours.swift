import SluiceCore

/// What a source promises about pages and positions: see `Pageable.page(_:)` and `PageRequest`.
extension AdapterFixture {
  /// By one way to go from page to page.
  func addListing(_ way: PageWay, to list: inout BehaviourList) {
    let canGoOn = way.kind != .start
    list.add("listed \(way.name), an empty store has no documents and an end") {
      try await withStore { store in
        let walk = try await reading(store) { try await PageWalk.list($0, way, size: 2) }
        try expect(walk.documents.isEmpty, "it lists \(walk.documents.map(\.key))")
        try expect(walk.sign?.isProof == true, "it ends by \(String(describing: walk.sign)), which proves nothing")
      }
    }
    list.add("listed \(way.name), every page size brings everything once") {
      try await withStore { store in
        let wanted = documents(0..<6)
        try await store.put(wanted)
        for size in canGoOn ? [1, 2, 3, 5, 6, 7, 100] : [7, 100] {
          let walk = try await reading(store) { try await PageWalk.list($0, way, size: size) }
          try expectSame(walk.documents, wanted, "in pages of \(size)")
          try checkSignals(of: walk, size: size)
        }
      }
    }
    guard canGoOn else { return }
    list.add("listed \(way.name), it goes on from every position") {
      try await withStore { store in
        try await store.put(documents(0..<6))
        let (frozen, whole) = try await reading(store) { source in
          let frozen = try await source.freeze()
          return (frozen, try await PageWalk.list(source, way, size: 2, frozen: frozen))
        }
        try expect(!whole.positions.isEmpty, "six documents came in one page of two")
        for (index, position) in whole.positions.enumerated() {
          // Opened anew: all that is left of the listing is what the checkpoint keeps.
          let rest = try await reading(store) {
            try await PageWalk.list($0, way, size: 2, from: saved(position), frozen: frozen)
          }
          let wanted = whole.pages[(index + 1)...].flatMap { page in page.batch.map(\.key) }
          try expect(rest.documents.map(\.key) == wanted, "after page \(index + 1): \(rest.documents.map(\.key))")
        }
      }
    }
  }

  private func checkSignals(of walk: PageWalk, size: Int) throws {
    for (index, page) in walk.pages.enumerated() {
      let place = "page \(index + 1) of pages of \(size)"
      let count = page.batch.count + page.rejections.count
      try expect(page.signals.count == count, "\(place) has \(count) documents and says \(page.signals.count)")
      try expect(page.batch.count(of: .upsert) == page.batch.count, "\(place) has other things than documents")
      if let last = page.signals.last {
        try expect(last.key == page.batch.last?.key, "\(place) says that its last key is \(last.key)")
      }
      if let total = page.signals.total { try expect(total == 6, "\(place) says that there are \(total) documents") }
      if index + 1 < walk.pages.count, page.signals.hasMore == false {
        let rest = walk.pages[(index + 1)...].allSatisfy(\.batch.isEmpty)
        try expect(rest, "\(place) says that nothing follows")
      }
    }
  }

  /// A position as a restart finds it.
  private func saved(_ position: PagePosition) throws -> PagePosition {
    var checkpoint = Checkpoint.sample(job: "job", revision: 1)
    let listing = Listing(
      generation: 1, frozen: FrozenRequest(), order: .byKey,
      partitions: [.init(range: .all, progress: .at(position), pages: 1)], taint: nil)
    checkpoint.begin(listing, phase: .snapshot(watchFrom: nil))
    let restored = try Checkpoint(savedForm: checkpoint.savedForm)
    guard case .at(let restored)? = restored.listing.partitions.first?.progress else {
      throw ConformanceFailure("\(position) does not survive being saved")
    }
    return restored
  }

  /// Positions that are none of a listing's.
  func addPositions(to list: inout BehaviourList) {
    let unknown: [PagePosition] = [.token("none of this store"), .url("nowhere://none/of/this/store")]
    for position in unknown where capabilities.positions.contains(position.kind) {
      list.add("an unknown \(position.kind.rawValue) is a lost position") {
        try await withStore { store in
          try await store.put(documents(0..<3))
          try await reading(store) { source in
            let frozen = try await source.freeze()
            let request = PageRequest(position: position, size: 2, frozen: frozen)
            try await expect(.positionLost, from: "the page") { try await source.page(request) }
          }
        }
      }
    }
    let beyond: [PagePosition] = [.offset(1000), .number(1000), .after(.init(key("zzzz")))]
    for position in beyond where capabilities.positions.contains(position.kind) {
      list.add("beyond the last \(position.kind.rawValue) there is nothing") {
        try await withStore { store in
          try await store.put(documents(0..<3))
          try await reading(store) { source in
            let frozen = try await source.freeze()
            let page = try await source.page(PageRequest(position: position, size: 2, frozen: frozen))
            try expect(page.batch.isEmpty && page.signals.count == 0, "it gives \(page.batch.map(\.key))")
          }
        }
      }
    }
    let samples: [PagePosition] = unknown + beyond
    for position in samples where !capabilities.positions.contains(position.kind) {
      list.add("a position by \(position.kind.rawValue), which it does not accept, is an error and not the first page")
      {
        try await withStore { store in
          try await store.put(documents(0..<3))
          try await reading(store) { source in
            let frozen = try await source.freeze()
            _ = try await failure(of: "the page") {
              try await source.page(PageRequest(position: position, size: 2, frozen: frozen))
            }
          }
        }
      }
    }
  }

  /// What a source can do beside listing.
  func addAbilities(to list: inout BehaviourList) {
    addLookup(to: &list)
    let way = plainWay
    list.add("counts what a listing brings", skip: capabilities.isCountable ? nil : "it does not count") {
      try await withStore { store in
        for documents in [[], documents(0..<6)] {
          try await store.put(documents)
          try await reading(store) { source in
            let counting = try require(source as? any Countable, "it is said to count, but is not Countable")
            let count = try await counting.count(frozen: source.freeze())
            try expect(count.documents == documents.count, "it counts \(count.documents), not \(documents.count)")
          }
        }
      }
    }
    list.add(
      "its parts bring everything once", skip: capabilities.isPartitionable ? nil : "it is not split"
    ) {
      try await withStore { store in
        try await store.put(documents(0..<20))
        try await reading(store) { source in
          let parts = try require(source as? any Partitionable, "it is said to be split, but is not Partitionable")
          let frozen = try await source.freeze()
          let points = try await parts.splitPoints(count: 4, frozen: frozen)
          let listing = Listing(generation: 1, frozen: frozen, order: capabilities.order, splitPoints: points)
          try expect(listing.partitions.count <= 4, "four parts were asked for, \(listing.partitions.count) came")
          var found: [Document] = []
          for part in listing.partitions {
            found += try await PageWalk.list(source, way, size: 3, frozen: frozen, range: part.range).documents
          }
          try expectSame(found, documents(0..<20), "in \(listing.partitions.count) parts")
        }
      }
    }
  }

  private func addLookup(to list: inout BehaviourList) {
    guard capabilities.hasLookup else { return list.add("looks single documents up", skip: "it has no look-up") {} }
    list.add("a look-up gives the document of each key that is there, and a delete for each that is not") {
      try await withStore { store in
        try await store.put(documents(0..<3))
        try await reading(store) { source in
          let listed = try await PageWalk.list(source, plainWay, size: 10).documents
          let keys = [8, 0, 9, 2].map { document($0).key }
          let batch = try await lookup(source).documents(for: keys)
          try expect(batch.map(\.key).sorted() == keys.sorted(), "asked for \(keys), it gives \(batch.map(\.key))")
          for change in batch {
            switch change {
            case .upsert(let found):
              try expect(listed.contains(found), "\(found.key) is not as it is listed")
            case .delete(let key, _):
              try expect(!listed.contains { $0.key == key }, "\(key) is there, but a delete came")
            case .dropped(let key, _): throw ConformanceFailure("\(key) is neither a document nor a delete")
            }
          }
        }
      }
    }
    list.add("a look-up finds every odd key, a hundred keys at once, and none") {
      try await withStore { store in
        try await store.put(oddDocuments)
        try await reading(store) { source in
          let keys = oddDocuments.map(\.key) + (0..<(100 - ids.count)).map { document($0).key }
          let batch = try await lookup(source).documents(for: keys)
          let found = batch.compactMap { if case .upsert(let document) = $0 { document } else { nil } }
          try expectSame(found, oddDocuments, "looked up")
          try expect(batch.count == 100, "asked for 100 keys, it gives \(batch.count)")
          try expect(try await lookup(source).documents(for: []).isEmpty, "asked for no key, it gives something")
        }
      }
    }
    list.add("a look-up sees what changed since") {
      try await withStore { store in
        try await store.put(documents(0..<2))
        try await reading(store) { source in
          _ = try await PageWalk.list(source, plainWay, size: 10)
          try await store.put([document(0, revision: 1)])
          try await store.remove([document(1).key])
          let batch = try await lookup(source).documents(for: [document(0).key, document(1).key])
          let found = batch.compactMap { if case .upsert(let document) = $0 { document } else { nil } }
          try expectSame(found, [document(0, revision: 1)], "looked up")
        }
      }
    }
  }

  private func lookup(_ source: any Pageable) throws -> any Lookup {
    try require(source as? any Lookup, "it is said to look up, but is not Lookup")
  }
}
