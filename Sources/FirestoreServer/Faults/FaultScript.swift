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

  /// A listing that goes in a circle of so many pages, for ever; `page` is the first of them.
  public static func cycle(of length: Int, from page: Int) -> FaultScript {
    FaultScript(FaultRule(.method(.list) && .pages(from: page + length - 1), .backToPage(page)))
  }

  /// The names of the scripts that `named` knows.
  public static let names: [String] = FaultCatalog.scripts.keys.sorted()

  /// A well-known script: the fault befalls one page of every listing, or, where it is in the nature of the fault, all
  /// of them. A name that ends in 1 or "once" is of a fault that befalls the first attempt only. `retryAfter`: seconds
  /// that the r-scripts ask for. Throws `usage` for a name that is not in `names`.
  public static func named(_ name: String, page: Int = 5, retryAfter: Int = 3) throws(SluiceError) -> FaultScript {
    guard let make = FaultCatalog.scripts[name] else {
      throw SluiceError(.usage, "there is no fault script \"\(name)\"", hint: "known: \(names.joined(separator: ", "))")
    }
    return FaultScript(rules: make(FaultCatalog.Parameters(page: page, retryAfter: retryAfter)))
  }
}
