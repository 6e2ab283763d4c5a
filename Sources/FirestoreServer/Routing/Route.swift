import SluiceCore

/// What a request asks the server to do.
public enum ServerMethod: String, Sendable, Hashable, CaseIterable {
  /// A page of a collection.
  case list
  /// One document.
  case get
  /// A new document.
  case createDocument
  /// One document, written.
  case patch
  /// One document, deleted.
  case delete
  /// Writes that take effect together.
  case commit
  /// Writes that take effect each by itself.
  case batchWrite
  /// Several documents by their names.
  case batchGet
  /// A query.
  case runQuery
  /// Counts and sums over a query.
  case runAggregationQuery
  /// The collections below a document.
  case listCollectionIds
  /// Split points of a query. Not here: answered with UNIMPLEMENTED.
  case partitionQuery
  /// A transaction's begin. Not here: answered with UNIMPLEMENTED.
  case beginTransaction
  /// A transaction's end without effect. Not here: answered with UNIMPLEMENTED.
  case rollback
  /// A pipeline query. Not here: answered with UNIMPLEMENTED.
  case executePipeline
  /// Deletes everything (Google's emulator has it under `/emulator/v1/`).
  case wipe
  /// A sign of life: `GET /`.
  case probe

  /// Answers come as a JSON array, so that errors may stand in one too.
  var isStreaming: Bool { self == .batchGet || self == .runQuery || self == .runAggregationQuery }
}

/// Where a request goes: its method, database and path.
struct Route: Sendable {
  var method: ServerMethod
  var database: DatabaseName
  /// The document or collection; for methods behind a colon the document or root before it.
  var path: ResourcePath
  /// Which interface was asked.
  var interface = Interface.firestore

  /// The interfaces of the server.
  enum Interface: Sendable { case firestore, plain }

  init(_ method: ServerMethod, _ database: DatabaseName, _ path: ResourcePath) {
    self.method = method
    self.database = database
    self.path = path
  }

  /// Finds the route of a request. Nil for a path or method that does not exist. Throws INVALID_ARGUMENT for ids that
  /// cannot be.
  static func find(_ method: String, _ path: String, prefix: String) throws(StatusError) -> Route? {
    guard path.hasPrefix(prefix) else { return nil }
    let rest = path.dropFirst(prefix.count)
    if rest == "/" || rest.isEmpty {
      return method == "GET" ? Route(.probe, DatabaseName(project: "", id: ""), .root) : nil
    }
    if rest.hasPrefix("/v1/") { return try resource(method, rest.dropFirst(4)) }
    if rest.hasPrefix("/json/"), method == "GET" { return try plain(rest.dropFirst(6)) }
    if rest.hasPrefix("/emulator/v1/"), method == "DELETE" {
      guard let (database, path) = try place(rest.dropFirst(13)), path == .root else { return nil }
      return Route(.wipe, database, path)
    }
    return nil
  }

  private static func resource(_ method: String, _ text: Substring) throws(StatusError) -> Route? {
    if method == "POST", let colon = text.lastIndex(of: ":"), !text[colon...].contains("/") {
      guard let verb = verb(String(text[text.index(after: colon)...])),
        let (database, path) = try place(text[..<colon]),
        path == .root
          || (path.isDocument && [.runQuery, .runAggregationQuery, .listCollectionIds, .partitionQuery].contains(verb))
      else { return nil }
      return Route(verb, database, path)
    }
    guard let (database, path) = try place(text), path != .root else { return nil }
    switch (method, path.isDocument) {
    case ("GET", true): return Route(.get, database, path)
    case ("GET", false): return Route(.list, database, path)
    case ("POST", false): return Route(.createDocument, database, path)
    case ("PATCH", true): return Route(.patch, database, path)
    case ("DELETE", true): return Route(.delete, database, path)
    case ("POST", true), ("PATCH", false), ("DELETE", false):
      throw .invalid(
        "\"\(path.text)\" names a \(path.isDocument ? "document, not a collection" : "collection, not a document").")
    default: return nil
    }
  }

  /// Reads `{collection}[/{id}[/…]]` of the plain interface, which shows the default database.
  private static func plain(_ text: Substring) throws(StatusError) -> Route {
    let path = ResourcePath(segments: try segments(text).map(Segment.init))
    try path.validate()
    let database = DatabaseName(project: "", id: DocumentStore.defaultDatabase)
    var route = Route(path.isDocument ? .get : .list, database, path)
    route.interface = .plain
    return route
  }

  /// Ids between slashes, each percent-decoded by itself.
  private static func segments(_ text: Substring) throws(StatusError) -> [String] {
    var parts: [String] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let part = PercentEncoding.decode(part) else { throw .invalid("An escape in the path is broken.") }
      parts.append(part)
    }
    return parts
  }

  private static func verb(_ name: String) -> ServerMethod? {
    switch ServerMethod(rawValue: name) {
    case .list, .get, .createDocument, .patch, .delete, .wipe, .probe, nil: nil
    case let method?: method
    }
  }

  /// Reads `projects/{P}/databases/{D}/documents[/…]`.
  private static func place(_ text: Substring) throws(StatusError) -> (DatabaseName, ResourcePath)? {
    let parts = try segments(text)
    guard parts.count >= 5, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents", !parts[1].isEmpty,
      !parts[3].isEmpty
    else { return nil }
    let path = ResourcePath(segments: parts.dropFirst(5).map(Segment.init))
    try path.validate()
    return (DatabaseName(project: parts[1], id: parts[3]), path)
  }
}
