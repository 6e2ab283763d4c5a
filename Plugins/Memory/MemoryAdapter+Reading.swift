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
    let next = end < part.upperBound ? last : nil
    return Page(
      try builder.finish(), signals: signals(of: request, end - start, of: part.count, last: last, next: next))
  }

  /// What a page says. It names its successor in the ways in which it may be asked for: after the key `next`.
  private func signals(
    of request: PageRequest, _ count: Int, of total: Int, last: Key?, next: Key?
  ) -> PageSignals {
    var signals = PageSignals(count: count, hasMore: next != nil, total: total)
    if case .number(let number) = request.position { signals.number = number }
    if accepts(.after) { signals.last = last.map { .init($0) } }
    if accepts(.token) { signals.nextToken = next.map { Self.tokenPrefix + $0.description } }
    if accepts(.url) {
      signals.nextURL = next.map { addressPrefix + $0.description }
      signals.nextLink = signals.nextURL
    }
    return signals
  }

  private func accepts(_ kind: PagePosition.Kind) -> Bool { settings.positions.contains(kind) }

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

  /// An address is this and the last key: the store's identity is its origin.
  private var addressPrefix: String { "memory://\(store.identity)/after/" }

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
    guard request.position == .start || accepts(request.position.kind) else {
      throw lost("the store takes no positions by \(request.position.kind.rawValue)")
    }
    switch request.position {
    case .start: return part.lowerBound
    case .offset(let offset): return try place(offset)
    case .number(let number):
      let (offset, isTooLarge) = (number - 1).multipliedReportingOverflow(by: request.size)
      return try place(isTooLarge ? .max : offset)
    case .after(let cursor): return place(after: cursor.key)
    case .token(let token):
      guard let key = key(in: token, after: Self.tokenPrefix) else { throw lost("the token is none of this store") }
      return place(after: key)
    case .url(let address):
      guard let key = key(in: address, after: addressPrefix) else { throw lost("the address is none of this store") }
      return place(after: key)
    }
  }

  private func key(in text: String, after prefix: String) -> Key? {
    guard text.utf8.starts(with: prefix.utf8) else { return nil }
    return Key(canonical: Array(text.utf8.dropFirst(prefix.utf8.count)))
  }

  private func lost(_ message: String) -> SluiceError {
    SluiceError(.positionLost, message, at: Place(collection: settings.name))
  }
}
