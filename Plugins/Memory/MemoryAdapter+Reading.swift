import SluiceCore

extension MemoryAdapter: Countable, Lookup {
  /// The store's name. What it holds is of this process only: the frozen request names the very store.
  public var sourceIdentity: SourceIdentity {
    SourceIdentity([.init("adapter", Self.name), .init("name", settings.name)])
  }

  /// Names the store, and with `consistent` its present state, which this instance then keeps.
  public func freeze() async -> FrozenRequest {
    var frozen = FrozenRequest([.init("store", store.identity)])
    if settings.consistent {
      let snapshot = store.snapshot
      pinned.withLock { $0 = snapshot }
      frozen.parameters.append(.init("revision", String(snapshot.revision)))
    }
    return frozen
  }

  /// Reads one page. A page of a store, or of a snapshot, that is no longer there throws `position_lost`.
  public func page(_ request: PageRequest) throws -> Page {
    let snapshot = try snapshot(of: request.frozen)
    let part = snapshot.indices(of: request.range)
    let start = try start(of: request, in: part, of: snapshot)
    let end = part.upperBound - start > request.size ? start + request.size : part.upperBound
    var builder = BatchBuilder()
    for document in snapshot[start..<end] { builder.add(document) }
    let last = end > start ? snapshot[end - 1].key : nil
    var signals = PageSignals(
      count: end - start, hasMore: end < part.upperBound, total: part.count, last: last.map { .init($0) })
    if case .number(let number) = request.position { signals.number = number }
    if end < part.upperBound, let last { signals.nextToken = Self.tokenPrefix + last.description }
    return Page(try builder.finish(), signals: signals)
  }

  /// The number of documents: of the listing's snapshot, or as it is now.
  public func count(frozen: FrozenRequest) throws -> DocumentCount { DocumentCount(try snapshot(of: frozen).count) }

  /// The documents as they are now, a delete for each that is not there.
  public func documents(for keys: [Key]) throws -> Batch {
    var builder = BatchBuilder()
    for key in keys {
      if let document = store[key] { builder.add(document) } else { builder.delete(key: key) }
    }
    return try builder.finish()
  }

  /// A token is this and the last key: a key may be empty, a token may not.
  private static let tokenPrefix = "after:"

  private func snapshot(of frozen: FrozenRequest) throws -> MemorySnapshot {
    if let identity = frozen["store"], identity != store.identity {
      throw lost("the listing was begun on another store of this name")
    }
    guard let revision = frozen["revision"] else { return store.snapshot }
    if let snapshot = pinned.withLock({ $0 }), String(snapshot.revision) == revision { return snapshot }
    // A later instance of the same process: the snapshot is lost, unless nothing has changed since.
    let snapshot = store.snapshot
    guard String(snapshot.revision) == revision else { throw lost("the snapshot of the listing is gone") }
    pinned.withLock { $0 = snapshot }
    return snapshot
  }

  /// Where the page begins, within the part; its end where nothing follows.
  private func start(of request: PageRequest, in part: Range<Int>, of snapshot: MemorySnapshot) throws -> Int {
    func place(_ offset: Int) throws -> Int {
      guard offset >= 0 else { throw lost("there is no place before the first document") }
      return offset < part.count ? part.lowerBound + offset : part.upperBound
    }
    func place(after key: Key) -> Int { min(max(part.lowerBound, snapshot.firstIndex(beyond: key)), part.upperBound) }
    switch request.position {
    case .start: return part.lowerBound
    case .offset(let offset): return try place(offset)
    case .number(let number):
      let (offset, isTooLarge) = (number - 1).multipliedReportingOverflow(by: request.size)
      return try place(isTooLarge ? .max : offset)
    case .after(let cursor): return place(after: cursor.key)
    case .token(let token):
      guard token.utf8.starts(with: Self.tokenPrefix.utf8),
        let key = Key(canonical: Array(token.utf8.dropFirst(Self.tokenPrefix.utf8.count)))
      else { throw lost("the token is none of this store") }
      return place(after: key)
    case .url: throw lost("a store in memory has no addresses")
    }
  }

  private func lost(_ message: String) -> SluiceError {
    SluiceError(.positionLost, message, at: Place(collection: settings.name))
  }
}
