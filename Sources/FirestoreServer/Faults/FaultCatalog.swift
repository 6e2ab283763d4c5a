/// The scripts that have names: those of single pages that end, stall or lie, of listings that do not go on as they
/// should, and of servers that refuse for a while.
enum FaultCatalog {
  /// What a named script can be told.
  struct Parameters: Sendable {
    var page: Int
    var retryAfter: Int
    var atPage: FaultMatch { .method(.list) && .page(page) }
    var once: FaultMatch { atPage && .attempts(upTo: 1) }
    var twice: FaultMatch { atPage && .attempts(upTo: 2) }
    var fromPage: FaultMatch { .method(.list) && .pages(from: page) }
    var everyPage: FaultMatch { .method(.list) }
  }

  typealias Script = @Sendable (Parameters) -> [FaultRule]

  static let scripts: [String: Script] = listings.merging(refusals) { $1 }.merging(damages) { $1 }

  private static let listings: [String: Script] = [
    "ok": { _ in [] },
    "loop": { [FaultRule($0.fromPage, .repeatPage)] },
    "loop2": { FaultScript.cycle(of: 2, from: $0.page).rules },
    "loop3": { FaultScript.cycle(of: 3, from: $0.page).rules },
    "loop50": { FaultScript.cycle(of: 50, from: $0.page).rules },
    "sameTokenForever": { [FaultRule($0.everyPage, .sameToken())] },
    "ignoreToken": { [FaultRule($0.everyPage, .ignoreToken)] },
    "ignorePageSize": { [FaultRule($0.everyPage, .ignorePageSize)] },
    "fixedPageSize": { [FaultRule($0.everyPage, .fixedPageSize())] },
    "cap": { [FaultRule($0.everyPage, .cap(10))] },
    "empty": { [FaultRule($0.atPage, .emptyPage)] },
    "emptyForever": { [FaultRule($0.fromPage, .emptyPage)] },
    "endsHere": { [FaultRule($0.atPage, .endsHere)] },
    "emptyToken": { [FaultRule($0.everyPage, .emptyTokenAtEnd)] },
    "nullToken": { [FaultRule($0.everyPage, .nullTokenAtEnd)] },
    "tokenAtEnd": { [FaultRule($0.everyPage, .tokenAtEnd)] },
    "saysPage1": { [FaultRule($0.everyPage, .saysPage(1))] },
    "overlap": { [FaultRule($0.everyPage, .overlap(2))] },
    "insertBefore": { [FaultRule($0.once, .insertBefore)] },
    "deleteBefore": { [FaultRule($0.once, .deleteBefore)] },
    "slow": { [FaultRule($0.everyPage, .delay(.milliseconds(150)))] },
    "idleClose": { [FaultRule($0.everyPage, .closeIdle(after: .zero))] },
  ]

  private static let refusals: [String: Script] = [
    "r401": { [FaultRule($0.atPage, .status(401))] },
    "r401once": { [FaultRule($0.once, .status(401))] },
    "r429": { [FaultRule($0.twice, .status(429, retryAfter: $0.retryAfter))] },
    "r429date": { [FaultRule($0.twice, .status(429, retryAtSecondsFromNow: $0.retryAfter))] },
    "r429rubbish": { [FaultRule($0.twice, .status(429, retryAfterText: "soon"))] },
    "r429forever": { [FaultRule($0.atPage, .status(429, retryAfter: $0.retryAfter))] },
    "r500": { [FaultRule($0.twice, .status(500))] },
    "r503": { [FaultRule($0.twice, .status(503, retryAfter: $0.retryAfter))] },
    "r503date": { [FaultRule($0.twice, .status(503, retryAtSecondsFromNow: $0.retryAfter))] },
    "r503forever": { [FaultRule($0.atPage, .status(503, retryAfter: $0.retryAfter))] },
    "refuseToken": { [FaultRule($0.once, .refuseToken)] },
    "expiredReadTime": { [FaultRule($0.once, .expiredReadTime)] },
  ]

  /// Each befalls the page for ever, and under the name of its first attempt only.
  private static let damages: [String: Script] = {
    var scripts: [String: Script] = [:]
    for (name, once, action) in damage {
      scripts[name] = { [FaultRule($0.atPage, action)] }
      scripts[once] = { [FaultRule($0.once, action)] }
    }
    return scripts
  }()

  private static let damage: [(name: String, once: String, action: FaultAction)] = [
    ("cutforever", "cut", .cut),
    ("dropforever", "drop", .drop),
    ("bad", "bad1", .truncated),
    ("html", "html1", .html),
    ("html502", "html502once", .answer(status: 502, contentType: "text/html", body: "<html>Bad Gateway</html>")),
    ("emptyBody", "emptyBody1", .emptyBody),
    ("reset", "reset1", .reset),
    ("tooLong", "tooLong1", .lyingLength(by: 100)),
    ("tooShort", "tooShort1", .lyingLength(by: -10)),
    ("gzip", "gzip1", .gzip()),
    ("gzipCut", "gzipCut1", .gzip(keeping: 0.6)),
    ("bomb", "bomb1", .bomb(packed: 100_000)),
    ("hugeHead", "hugeHead1", .largeHead(bytes: 1 << 20)),
    ("hugeHeadLine", "hugeHeadLine1", .largeHead(bytes: 1 << 20, line: 1 << 20)),
    ("stall", "stall1", .stall(in: .accept)),
    ("stallHead", "stallHead1", .stall(in: .head)),
    ("stallBody", "stallBody1", .stall(in: .body)),
    ("dripHead", "dripHead1", .drip(in: .head, every: .milliseconds(20))),
    ("dripBody", "dripBody1", .drip(in: .body, every: .milliseconds(20))),
  ]
}
