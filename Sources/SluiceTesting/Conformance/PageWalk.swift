import SluiceCore

/// A way to go from page to page: a paging strategy's, or the plainest there is for a kind of positions.
struct PageWay: Sendable {
  /// For the names of tests: `by token`, `with page_token`.
  let name: String
  let kind: PagePosition.Kind
  let first: PagePosition
  let step: @Sendable (PageSignals, PageRequest) throws -> PagingStep

  /// A strategy's.
  init(_ plan: PagingPlan) {
    let strategy = plan.strategy
    name = "with \(plan.name)"
    kind = plan.position
    first = strategy.first
    step = { try strategy.step(after: $0, of: $1) }
  }

  /// The plainest for a kind of positions. It goes on to an empty page where the kind has no other end.
  init(_ kind: PagePosition.Kind) {
    name = "by \(kind.rawValue)"
    self.kind = kind
    first = kind == .number ? .number(1) : .start
    step = { signals, request in
      switch kind {
      case .start: return .end(.single)
      case .token: return named(signals.nextToken, .noToken) { .token($0) }
      case .url: return named(signals.nextURL ?? signals.nextLink, .noURL) { .url($0) }
      case .after:
        if signals.count == 0 { return .end(.emptyPage) }
        return .next(.after(try require(signals.last, "a page of documents names no last one")))
      case .offset:
        if signals.count == 0 { return .end(.emptyPage) }
        let before = if case .offset(let offset) = request.position { offset } else { 0 }
        return .next(.offset(before + signals.count))
      case .number:
        if signals.count == 0 { return .end(.emptyPage) }
        let number = if case .number(let number) = request.position { number } else { 1 }
        return .next(.number(number + 1))
      }
    }
  }
}

/// What a page names, or the end.
private func named(_ name: String?, _ end: EndSign, _ position: (String) -> PagePosition) -> PagingStep {
  guard let name, !name.isEmpty else { return .end(end) }
  return .next(position(name))
}

/// One listing, page by page.
struct PageWalk: Sendable {
  /// Far more pages than any behaviour asks for.
  private static let limit = 500

  var pages: [Page] = []
  /// Where each page after the first began.
  var positions: [PagePosition] = []
  var sign: EndSign?

  /// The documents of all pages.
  var documents: [Document] {
    pages.flatMap { page in page.batch.compactMap { if case .upsert(let document) = $0 { document } else { nil } } }
  }

  /// Lists a source from a position on. `between` is called before each page but the first.
  static func list(
    _ source: any Pageable, _ way: PageWay, size: Int, from position: PagePosition? = nil,
    frozen: FrozenRequest? = nil, range: KeyRange = .all, between: @Sendable (Int) async throws -> Void = { _ in }
  ) async throws -> PageWalk {
    let frozen = if let frozen { frozen } else { try await source.freeze() }
    return try await list(way, size: size, from: position, frozen: frozen, range: range, between: between) {
      try await source.page($0)
    }
  }

  /// Lists whatever answers requests.
  static func list(
    _ way: PageWay, size: Int, from position: PagePosition? = nil, frozen: FrozenRequest = FrozenRequest(),
    range: KeyRange = .all, between: @Sendable (Int) async throws -> Void = { _ in },
    _ answer: @Sendable (PageRequest) async throws -> Page
  ) async throws -> PageWalk {
    var walk = PageWalk()
    var request = PageRequest(position: position ?? way.first, size: size, frozen: frozen, range: range)
    while walk.pages.count < limit {
      if !walk.pages.isEmpty { try await between(walk.pages.count) }
      let page = try await answer(request)
      walk.pages.append(page)
      switch try way.step(page.signals, request) {
      case .end(let sign):
        walk.sign = sign
        return walk
      case .next(let position):
        walk.positions.append(position)
        request.position = position
      }
    }
    throw ConformanceFailure("the listing \(way.name) does not end: \(limit) pages of \(size)")
  }
}
