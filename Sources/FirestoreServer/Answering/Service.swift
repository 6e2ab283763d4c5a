import SluiceCore
import SluiceJSON

/// The methods of Firestore's REST interface over the store.
struct Service: Sendable {
  let store: DocumentStore
  let limits: PageLimits

  /// A request with all that a method needs of it.
  struct Call: Sendable {
    var route: Route
    var query: [(name: String, value: String)]
    var body: [UInt8]
    /// Scheme, host and port as the client named them, and the path as it came: what addresses in answers are made of.
    var origin = ""
    var path = ""
    /// What a script does to the request and its page.
    var faults = FaultPlan()

    var database: DatabaseName { route.database }

    func parameters(_ names: [String] = []) throws(StatusError) -> Parameters {
      try Parameters(query, allowing: names)
    }

    /// The body as an object with no other names than these.
    func message(_ names: [String]) throws(StatusError) -> Message {
      let json: Value
      do { json = body.isEmpty ? .map([]) : try JSON.parse(body) } catch {
        throw .invalid("Invalid JSON payload received. \(error.message)")
      }
      return try Message(json, at: "", allowing: names)
    }
  }

  func perform(_ call: Call) throws(StatusError) -> Answer {
    if call.route.interface == .plain { return call.route.method == .list ? try listPlain(call) : try getPlain(call) }
    switch call.route.method {
    case .list: return try list(call)
    case .get: return try get(call)
    case .createDocument: return try create(call)
    case .patch: return try patch(call)
    case .delete: return try delete(call)
    case .commit: return try commit(call)
    case .batchWrite: return try batchWrite(call)
    case .batchGet: return try batchGet(call)
    case .runQuery: return try runQuery(call)
    case .runAggregationQuery: return try runAggregationQuery(call)
    case .listCollectionIds: return try listCollectionIDs(call)
    case .partitionQuery, .beginTransaction, .rollback, .executePipeline:
      throw StatusError(.unimplemented, "Method \(call.route.method.rawValue) is unimplemented")
    case .wipe:
      store.wipe(database: call.database.id)
      return .empty
    case .probe: return Answer(body: Array("Ok".utf8))
    }
  }

  /// Lends the snapshot that a request reads: its database, and the time to say it was read at.
  func read<R: Sendable>(
    _ call: Call, at time: Int64?, _ body: (Database, _ readTime: Int64) throws(StatusError) -> sending R
  ) throws(StatusError) -> R {
    try store.access(call.database.id) { (database, now) throws(StatusError) -> R in
      if let time { try database.check(readTime: time, now: now) }
      return try body(database, time ?? database.readTime(now: now))
    }
  }

  /// Lends the database to a write.
  func write<R: Sendable>(
    _ call: Call, _ body: (Database, _ now: Int64) throws(StatusError) -> sending R
  ) throws(StatusError) -> R {
    try store.access(call.database.id) { (database, now) throws(StatusError) -> R in try body(database, now) }
  }
}
