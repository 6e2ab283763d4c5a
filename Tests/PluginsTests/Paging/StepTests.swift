import SluiceCore
import Testing

/// Each strategy as the function that it is: from a page and its request to the next request or the end.
@Suite("Paging strategies, step by step")
struct StepTests {
  private func step(
    _ name: String, _ settings: SettingsLiteral, _ signals: PageSignals, at position: PagePosition? = nil
  ) throws -> PagingStep {
    let strategy = try PagingPlan.builtin(name, settings).strategy
    let request = PageRequest(position: position ?? strategy.first, size: strategy.pageSize)
    return try strategy.step(after: signals, of: request)
  }

  /// With pages of three documents.
  private func step(_ name: String, _ signals: PageSignals, at position: PagePosition? = nil) throws -> PagingStep {
    try step(name, ["size": 3], signals, at: position)
  }

  private func code(_ body: () throws -> PagingStep) -> SluiceError? {
    do {
      _ = try body()
      return nil
    } catch { return error as? SluiceError }
  }

  /// A page that names its successor in one way only.
  private func naming(_ strategy: String, _ next: String?, count: Int = 3, hasMore: Bool? = nil) -> PageSignals {
    var signals = PageSignals(count: count, hasMore: hasMore)
    switch strategy {
    case "page_token": signals.nextToken = next
    case "next_url": signals.nextURL = next
    default: signals.nextLink = next
    }
    return signals
  }

  private static let followers = ["page_token", "next_url", "link_header"]

  @Test("C74 a missing and an empty name end the listing", arguments: followers, [nil, ""])
  func noName(strategy: String, next: String?) throws {
    let end: EndSign = strategy == "page_token" ? .noToken : .noURL
    for count in [0, 1, 3] {
      #expect(try step(strategy, naming(strategy, next, count: count)) == .end(end), "\(count)")
    }
  }

  @Test("C73 only the missing name is the end: a short or empty page goes on", arguments: followers, [0, 1, 3])
  func emptyPage(strategy: String, count: Int) throws {
    let expected = strategy == "page_token" ? PagePosition.token("t2") : .url("t2")
    #expect(try step(strategy, naming(strategy, "t2", count: count)) == .next(expected))
  }

  @Test("C75 a page with a name that says that nothing follows is the last", arguments: followers)
  func noMore(strategy: String) throws {
    let signals = naming(strategy, "abc", hasMore: false)
    #expect(try step(strategy, signals) == .end(.noMore))
    #expect(try step(strategy, ["stop_when": "no_more"], signals) == .end(.noMore))
    guard case .next = try step(strategy, ["stop_when": []], signals) else {
      Issue.record("without the rule the name decides")
      return
    }
  }

  @Test("a page that says that more follows, but not where, is an error: the listing may be cut", arguments: followers)
  func moreWithoutName(strategy: String) throws {
    let error = code { try step(strategy, naming(strategy, nil, hasMore: true)) }
    #expect(error?.code == .malformedData)
    #expect(error?.hint?.contains("no_more") == true)
    guard case .end = try step(strategy, ["stop_when": []], naming(strategy, nil, hasMore: true)) else {
      Issue.record("without the rule has_more is not looked at")
      return
    }
  }

  @Test(
    "a page that names its successor in another way is an error with the strategy to use", arguments: followers,
    followers)
  func otherWay(strategy: String, named: String) throws {
    guard strategy != named else { return }
    let error = code { try step(strategy, naming(named, "p2")) }
    #expect(error?.code == .malformedData)
    #expect(error?.hint?.contains("paging: \(named)") == true)
  }

  @Test("rules that a job adds end a listing by their own sign", arguments: followers)
  func addedRules(strategy: String) throws {
    #expect(try step(strategy, ["stop_when": "empty_page"], naming(strategy, "t", count: 0)) == .end(.emptyPage))
    #expect(
      try step(strategy, ["size": 3, "stop_when": ["short_page", "no_more"]], naming(strategy, "t", count: 2))
        == .end(.shortPage))
    // What the page says itself wins over a guess.
    guard
      case .next = try step(
        strategy, ["size": 3, "stop_when": ["short_page", "no_more"]], naming(strategy, "t", count: 2, hasMore: true))
    else {
      Issue.record("the page says that more follows")
      return
    }
  }

  @Test("keyset: after the last key, until an empty page or the word that nothing follows")
  func keyset() throws {
    let last = PagePosition.Cursor(Key("k002"), values: [.int(7)])
    #expect(try step("keyset", PageSignals(count: 3, last: last)) == .next(.after(last)))
    #expect(try step("keyset", PageSignals(count: 1, last: last)) == .next(.after(last)))
    #expect(try step("keyset", PageSignals(count: 0)) == .end(.emptyPage))
    #expect(try step("keyset", PageSignals(count: 3, hasMore: false, last: last)) == .end(.noMore))
    #expect(
      try step("keyset", ["size": 3, "stop_when": "short_page"], PageSignals(count: 1, last: last)) == .end(.shortPage))
    #expect(code { try step("keyset", PageSignals(count: 3)) }?.code == .malformedData)
    #expect(code { try step("keyset", PageSignals(count: 0, hasMore: true)) }?.code == .malformedData)
  }

  @Test("C73 offset: on by what came, until an empty page, the total, or the word that nothing follows")
  func offset() throws {
    #expect(try step("offset", PageSignals(count: 3)) == .next(.offset(3)))
    #expect(try step("offset", PageSignals(count: 2), at: .offset(3)) == .next(.offset(5)))
    #expect(try step("offset", PageSignals(count: 0, nextToken: "t2"), at: .offset(3)) == .end(.emptyPage))
    #expect(try step("offset", PageSignals(count: 2, total: 5), at: .offset(3)) == .end(.totalReached))
    #expect(try step("offset", PageSignals(count: 2, hasMore: false), at: .offset(3)) == .end(.noMore))
    #expect(try step("offset", PageSignals(count: 2, hasMore: true, total: 5), at: .offset(3)) == .next(.offset(5)))
    // A total that is less than what came is none: many write 0 for "not known".
    #expect(try step("offset", PageSignals(count: 3, total: 0)) == .next(.offset(3)))
    #expect(code { try step("offset", PageSignals(count: 0, total: 25), at: .offset(10)) }?.code == .malformedData)
    #expect(
      try step("offset", ["stop_when": []], PageSignals(count: 0, total: 25), at: .offset(10)) == .end(.emptyPage))
    #expect(code { try step("offset", PageSignals(count: 0, hasMore: true)) }?.code == .malformedData)
  }

  @Test("C71 page_number: one more than was asked for, whatever number the page says it has")
  func pageNumber() throws {
    for said in [nil, 0, 1, 2, 9] {
      #expect(try step("page_number", PageSignals(count: 3, number: said), at: .number(2)) == .next(.number(3)))
    }
    #expect(try step("page_number", PageSignals(count: 0), at: .number(4)) == .end(.emptyPage))
    #expect(try step("page_number", PageSignals(count: 0, hasMore: true), at: .number(4)) == .next(.number(5)))
    #expect(try step("page_number", PageSignals(count: 3, total: 9), at: .number(3)) == .end(.totalReached))
    // A capped page: 200 of 400 are read, although two pages of 300 would be more than all.
    #expect(
      try step("page_number", ["size": 300], PageSignals(count: 100, total: 400), at: .number(2)) == .next(.number(3)))
    #expect(try PagingPlan.builtin("page_number").strategy.first == .number(1))
    #expect(try PagingPlan.builtin("page_number", ["first_page": 0]).strategy.first == .number(0))
    #expect(
      try step("page_number", ["size": 3, "first_page": 0], PageSignals(count: 3, total: 9), at: .number(2))
        == .end(.totalReached))
  }

  @Test("single: the end, unless the page says in any way that more follows")
  func single() throws {
    #expect(try step("single", PageSignals(count: 0)) == .end(.single))
    #expect(try step("single", PageSignals(count: 9, hasMore: false, total: 9)) == .end(.single))
    #expect(try step("single", PageSignals(count: 9)) == .end(.single), "the source does not look at the size")
    #expect(try step("single", PageSignals(count: 3, total: 3)) == .end(.single))
    for signals in [
      PageSignals(count: 3), PageSignals(count: 3, hasMore: true), PageSignals(count: 3, total: 4),
      PageSignals(count: 3, nextToken: "t"),
      PageSignals(count: 3, nextURL: "u"), PageSignals(count: 3, nextLink: "u"),
    ] {
      #expect(code { try step("single", signals) }?.code == .malformedData, "\(signals)")
    }
  }

  @Test("only the words that a strategy can go by are taken, with what was probably meant")
  func words() throws {
    func complaint(_ name: String, _ settings: SettingsLiteral) -> String {
      do {
        _ = try PagingPlan.builtin(name, settings)
        return ""
      } catch { return (error as? SluiceError).map { "\($0.message) \($0.hint ?? "")" } ?? "\(error)" }
    }
    #expect(complaint("page_token", ["stop_when": "no_more"]).isEmpty)
    #expect(complaint("page_token", ["stop_when": ["no_new_keys", "short_page"]]).isEmpty)
    #expect(complaint("page_token", ["stop_when": "no_mroe"]).contains("no_more"))
    #expect(complaint("page_token", ["stop_when": "total_reached"]).contains("one of no_more, empty_page"))
    #expect(complaint("offset", ["stop_when": ["total_reached"]]).isEmpty)
    #expect(complaint("keyset", ["stop_when": ["short_page", "nothing"]]).contains("\"nothing\""))
    #expect(complaint("single", ["stop_when": "no_more"]).contains("stop_when"))
  }
}
