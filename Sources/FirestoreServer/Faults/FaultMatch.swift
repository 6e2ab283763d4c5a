/// A request as a fault script sees it.
public struct FaultRequest: Sendable {
  /// `GET`, `POST`, …
  public var verb: String
  /// The path with its escapes, without the query.
  public var path: String
  /// What the request asks for.
  public var method: ServerMethod
  /// The id of the collection that is read or written; empty where there is none.
  public var collection: String
  /// The whole path of that collection, below the documents root.
  public var collectionPath: String
  /// The id of the database.
  public var database: String
  /// The query without escapes, in order.
  public var query: [(name: String, value: String)]
  /// Which page this is, from 1. Of a listing by its token; of other methods by the order in which different bodies
  /// came to one path.
  public var page: Int
  /// How often this same page was asked for, this time included, from 1.
  public var attempt: Int
  /// The token by which an earlier page was asked for.
  var tokenOfPage: @Sendable (Int) -> String? = { _ in nil }

  /// The last value of this name in the query.
  public func parameter(_ name: String) -> String? { query.last { $0.name == name }?.value }
}

/// Which requests a fault befalls. Matches combine with `&&`, `||` and `!`.
public struct FaultMatch: Sendable {
  let matches: @Sendable (FaultRequest) -> Bool

  /// A match of a test's own.
  public init(_ matches: @escaping @Sendable (FaultRequest) -> Bool) { self.matches = matches }

  /// Every request.
  public static let any = FaultMatch { _ in true }

  /// Requests that ask for one of these.
  public static func method(_ methods: ServerMethod...) -> FaultMatch { FaultMatch { methods.contains($0.method) } }

  /// Requests of an HTTP method, such as `POST`.
  public static func verb(_ verb: String) -> FaultMatch { FaultMatch { $0.verb == verb } }

  /// Requests whose path holds a text.
  public static func path(containing text: String) -> FaultMatch { FaultMatch { $0.path.contains(text) } }

  /// Requests about a collection, by its id.
  public static func collection(_ id: String) -> FaultMatch { FaultMatch { $0.collection == id } }

  /// Requests for one page.
  public static func page(_ page: Int) -> FaultMatch { FaultMatch { $0.page == page } }

  /// Requests for a page and all after it.
  public static func pages(from page: Int) -> FaultMatch { FaultMatch { $0.page >= page } }

  /// The first times that a page is asked for.
  public static func attempts(upTo count: Int) -> FaultMatch { FaultMatch { $0.attempt <= count } }

  /// What both match.
  public static func && (a: FaultMatch, b: FaultMatch) -> FaultMatch { FaultMatch { a.matches($0) && b.matches($0) } }

  /// What either matches.
  public static func || (a: FaultMatch, b: FaultMatch) -> FaultMatch { FaultMatch { a.matches($0) || b.matches($0) } }

  /// What the other does not match.
  public static prefix func ! (a: FaultMatch) -> FaultMatch { FaultMatch { !a.matches($0) } }
}
