import SluiceCore

/// A fault and the requests it befalls.
public struct FaultRule: Sendable {
  var match: FaultMatch
  var action: FaultAction

  /// Lets an action befall what matches.
  public init(_ match: FaultMatch, _ action: FaultAction) {
    self.match = match
    self.action = action
  }
}

/// Everything that goes wrong at a server, in order. All rules that match a request take effect; of several answers in
/// place of the server's the first one counts.
public struct FaultScript: Sendable {
  var rules: [FaultRule]

  /// A script; without rules nothing goes wrong.
  public init(_ rules: FaultRule...) { self.rules = rules }

  private init(rules: [FaultRule]) { self.rules = rules }

  /// Both scripts.
  public static func + (a: FaultScript, b: FaultScript) -> FaultScript { FaultScript(rules: a.rules + b.rules) }

  /// The same faults, for those requests only that `match` matches too. Lets one server run several scripts side by side,
  /// each for paths of its own.
  public func limited(to match: FaultMatch) -> FaultScript {
    FaultScript(rules: rules.map { FaultRule($0.match && match, $0.action) })
  }

  /// The names of the scripts that `named` knows.
  public static let names: [String] = catalog.keys.sorted()

  /// A well-known script: the fault befalls one page of every listing, or, where it is in the nature of the fault, all
  /// of them. `retryAfter`: seconds that the r-scripts ask for. Throws `usage` for a name that is not in `names`.
  public static func named(_ name: String, page: Int = 5, retryAfter: Int = 3) throws(SluiceError) -> FaultScript {
    guard let make = catalog[name] else {
      throw SluiceError(.usage, "there is no fault script \"\(name)\"", hint: "known: \(names.joined(separator: ", "))")
    }
    return FaultScript(rules: make(Parameters(page: page, retryAfter: retryAfter)))
  }

  private struct Parameters {
    var page: Int
    var retryAfter: Int
    var atPage: FaultMatch { .method(.list) && .page(page) }
    var once: FaultMatch { atPage && .attempts(upTo: 1) }
    var twice: FaultMatch { atPage && .attempts(upTo: 2) }
    var fromPage: FaultMatch { .method(.list) && .pages(from: page) }
    var behindPage: FaultMatch { .method(.list) && .pages(from: page + 1) }
    var everyPage: FaultMatch { .method(.list) }
  }

  private static let catalog: [String: @Sendable (Parameters) -> [FaultRule]] = [
    "ok": { _ in [] },
    "loop": { [FaultRule($0.fromPage, .repeatPage)] },
    "loop2": { [FaultRule($0.behindPage, .backToPage($0.page))] },
    "sameTokenForever": { [FaultRule($0.everyPage, .sameToken())] },
    "ignoreToken": { [FaultRule($0.everyPage, .ignoreToken)] },
    "ignorePageSize": { [FaultRule($0.everyPage, .ignorePageSize)] },
    "cap": { [FaultRule($0.everyPage, .cap(10))] },
    "empty": { [FaultRule($0.atPage, .emptyPage)] },
    "endsHere": { [FaultRule($0.atPage, .endsHere)] },
    "r401": { [FaultRule($0.atPage, .status(401))] },
    "r401once": { [FaultRule($0.once, .status(401))] },
    "r429": { [FaultRule($0.twice, .status(429, retryAfter: $0.retryAfter))] },
    "r429forever": { [FaultRule($0.atPage, .status(429, retryAfter: $0.retryAfter))] },
    "r500": { [FaultRule($0.twice, .status(500))] },
    "r503": { [FaultRule($0.twice, .status(503, retryAfter: $0.retryAfter))] },
    "r503forever": { [FaultRule($0.atPage, .status(503, retryAfter: $0.retryAfter))] },
    "cut": { [FaultRule($0.once, .cut)] },
    "cutforever": { [FaultRule($0.atPage, .cut)] },
    "drop": { [FaultRule($0.once, .drop)] },
    "dropforever": { [FaultRule($0.atPage, .drop)] },
    "bad": { [FaultRule($0.atPage, .truncated)] },
    "bad1": { [FaultRule($0.once, .truncated)] },
    "html": { [FaultRule($0.atPage, .html)] },
    "html1": { [FaultRule($0.once, .html)] },
    "emptyBody": { [FaultRule($0.atPage, .emptyBody)] },
    "emptyBody1": { [FaultRule($0.once, .emptyBody)] },
    "slow": { [FaultRule($0.everyPage, .delay(.milliseconds(150)))] },
  ]
}
