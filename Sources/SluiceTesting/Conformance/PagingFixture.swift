import SluiceCore

/// A paging strategy with settings. The kit makes the pages itself, so there is nothing to seed.
public struct PagingFixture: Sendable {
  /// What these settings are, for the names of the tests. Empty for the defaults.
  public let variant: String
  /// The strategy.
  public let plan: PagingPlan

  /// A fixture.
  public init(_ plan: PagingPlan, _ variant: String = "") {
    self.plan = plan
    self.variant = variant
  }
}

/// What a paging strategy promises: see `PagingStrategy`.
extension PagingFixture {
  /// `paging keyset`.
  var subject: String { "paging \(plan.name)\(variant.isEmpty ? "" : " (\(variant))")" }

  func behaviours() -> [Behaviour] {
    var list = BehaviourList(subject)
    addWalks(to: &list)
    addSteps(to: &list)
    return list.behaviours
  }

  private func addWalks(to list: inout BehaviourList) {
    let (way, strategy) = (PageWay(plan), plan.strategy)
    let canGoOn = plan.position != .start
    list.add("asks for at least one document, first at the start or at a position of its kind") {
      try expect(strategy.pageSize >= 1, "it asks for \(strategy.pageSize)")
      let kind = strategy.first.kind
      try expect(kind == .start || kind == plan.position, "it begins by \(kind.rawValue)")
    }
    list.add("ends a listing of any length once everything came, by a sign that proves it") {
      for count in canGoOn ? [0, 1, 2, 3, 6, 7] : [0, 1, 7] {
        let source = ModelListing(count: count)
        for size in canGoOn ? [1, 2, 3, 6, 7, 8] : [8, 100] {
          let walk = try await PageWalk.list(way, size: size) { try source.page($0) }
          let keys = walk.documents.map(\.key)
          try expect(keys == source.keys, "of \(count) documents in pages of \(size), \(keys) came")
          try expect(walk.sign?.isProof == true, "of \(count) in pages of \(size): \(String(describing: walk.sign))")
        }
      }
    }
    list.add("goes on from each of its positions as if it had never stopped", skip: canGoOn ? nil : "there is one page")
    {
      let source = ModelListing(count: 7)
      let whole = try await PageWalk.list(way, size: 2) { try source.page($0) }
      for (index, position) in whole.positions.enumerated() {
        try expect(position.kind == plan.position, "it makes a position by \(position.kind.rawValue)")
        let rest = try await PageWalk.list(way, size: 2, from: position) { try source.page($0) }
        let wanted = whole.pages[(index + 1)...].flatMap { $0.batch.map(\.key) }
        try expect(rest.documents.map(\.key) == wanted, "after page \(index + 1): \(rest.documents.map(\.key))")
      }
    }
    list.add("goes on after pages that are shorter than asked for", skip: canGoOn ? nil : "there is one page") {
      // A source may cap the size of its pages. Only stop_when may call that an end.
      let source = ModelListing(count: 7, cap: 2)
      let walk = try await PageWalk.list(way, size: 5) { try source.page($0) }
      // A number counts pages of one size: the source's own, whatever was asked for.
      let keys = walk.documents.map(\.key)
      try expect(keys == source.keys, "in pages of 2 instead of 5, \(keys) came")
    }
  }

  private func addSteps(to list: inout BehaviourList) {
    let strategy = plan.strategy
    let first = strategy.first
    list.add("gives the same step for the same page, whatever it was asked in between") {
      let source = ModelListing(count: 7)
      let request = PageRequest(position: first, size: plan.position == .start ? 8 : 2)
      let page = try source.page(request)
      let step = try strategy.step(after: page.signals, of: request)
      for position in [first, .token("x"), .offset(4), .number(9), .url("u"), .after(.init(Key("k3")))] {
        // Positions of other kinds may be refused; they must leave no trace.
        _ = try? strategy.step(after: PageSignals(count: 0), of: PageRequest(position: position, size: 2))
      }
      let again = try strategy.step(after: page.signals, of: request)
      try expect(step == again, "\(step) became \(again)")
    }
    list.add("a page that says that more follows is never the end") {
      for count in [0, 1, 2] {
        let signals = PageSignals(count: count, hasMore: true)
        do {
          let step = try strategy.step(after: signals, of: PageRequest(position: first, size: 2))
          if case .end(let sign) = step {
            throw ConformanceFailure(
              "a page of \(count) documents that says that more follows ends it by \(sign.rawValue)")
          }
        } catch let error as SluiceError {
          try expect(error.retry == .never && error.hint != nil, "the error \(error.code) says not what to do about it")
        }
      }
    }
    list.add("never ends a listing that goes on", skip: plan.position == .start ? "there is one page" : nil) {
      var request = PageRequest(position: first, size: 2)
      for number in 1...50 {
        let last = PagePosition.Cursor(Key("k\(1000 + number)"))
        let signals = PageSignals(
          count: 2, nextToken: plan.position == .token ? "t\(number)" : nil,
          nextURL: plan.position == .url ? "u\(number)" : nil, nextLink: plan.position == .url ? "u\(number)" : nil,
          last: last)
        guard case .next(let position) = try strategy.step(after: signals, of: request) else {
          throw ConformanceFailure("it ended after page \(number)")
        }
        try expect(position != request.position, "after page \(number) it asks for the same page again")
        request.position = position
      }
    }
  }
}

/// A listing of the kit's own, asked by whatever position, which tells what a page can tell in that way.
struct ModelListing: Sendable {
  let count: Int
  /// The largest page it gives.
  var cap = Int.max

  init(count: Int, cap: Int = .max) {
    self.count = count
    self.cap = cap
  }

  var keys: [Key] { (0..<count).map { Key("k\($0)") } }

  func page(_ request: PageRequest) throws -> Page {
    let size = min(request.size, cap)
    let start = min(try offset(of: request.position, size: size), count)
    let end = min(start + size, count)
    var builder = BatchBuilder()
    for key in keys[start..<end] { builder.add(key: key, [Field("n", .int(1))]) }
    var signals = PageSignals(count: end - start)
    let next = end < count ? String(end) : nil
    switch request.position {
    case .token: signals.nextToken = next
    case .url: signals = signals.naming(url: next)
    case .start:
      // The first page: which way the strategy goes is not known yet, so each way is told that is not a contradiction.
      signals.nextToken = next
      signals = signals.naming(url: next)
    case .after, .offset, .number: break
    }
    signals.last = end > start ? .init(keys[end - 1]) : nil
    return Page(try builder.finish(), signals: signals)
  }

  private func offset(of position: PagePosition, size: Int) throws -> Int {
    switch position {
    case .start: 0
    case .token(let text), .url(let text): try require(Int(text), "\(text) is no position of this listing")
    case .offset(let offset): offset
    case .number(let number): (number - 1) * size
    case .after(let cursor): (keys.firstIndex(of: cursor.key) ?? count) + 1
    }
  }
}

extension PageSignals {
  fileprivate func naming(url: String?) -> PageSignals {
    var signals = self
    signals.nextURL = url
    signals.nextLink = url
    return signals
  }
}
