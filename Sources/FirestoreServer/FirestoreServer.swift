import SluiceCore
import Synchronization

/// A Firestore of this process, in memory, over HTTP on the loopback interface: for the demo without an account, for
/// tests, and for faults by script.
///
/// It speaks the REST interface under `/v1/` (lists, single documents, queries, counts, commits, batches), and a plain
/// JSON interface with every usual style of paging under `/json/` (reads only). Every project name shows the same data;
/// databases differ by their id. Requests under a host name that is not the loopback's are refused. Safe to use from any
/// task. It stops on `stop()`, or when nobody holds it any more.
public final class FirestoreServer: Sendable {
  /// What it was started with.
  public let configuration: Configuration
  /// The documents.
  public let store: DocumentStore
  /// What it was asked.
  public let log: RequestLog
  private let front: ServerFront
  private let daemon: Daemon

  /// Starts to listen. Throws `io` where the port is taken.
  public init(configuration: Configuration = Configuration()) throws(SluiceError) {
    self.configuration = configuration
    let retention = configuration.retention.components
    store = DocumentStore(
      clock: configuration.clock, retention: retention.seconds * 1_000_000 + retention.attoseconds / 1_000_000_000_000)
    log = RequestLog(capacity: configuration.loggedRequests)
    let front = ServerFront(configuration, store, log)
    self.front = front
    daemon = try Daemon(
      port: configuration.port, maximumBody: configuration.maximumRequestSize,
      accepted: { [log] in log.connectionOpened() }, answer: { front.answer($0) })
  }

  /// The port it listens on.
  public var port: UInt16 { daemon.port }

  /// `http://127.0.0.1:PORT`, with the path prefix.
  public var origin: String { "http://127.0.0.1:\(port)\(configuration.pathPrefix)" }

  /// Puts a script of faults in force, in place of the one before.
  public func script(_ faults: FaultScript) { front.faults.use(faults) }

  /// Changes who may ask, from the next request on.
  public func setAuthorization(_ authorization: Authorization) { front.authorization.withLock { $0 = authorization } }

  /// Stops to listen and closes every connection; answers that were held back are sent before, where that is possible.
  /// Idempotent.
  public func stop() { daemon.stop() }
}

/// What stands between HTTP and the methods: hosts, routes, credentials, faults and the log.
final class ServerFront: Sendable {
  let faults = FaultEngine()
  let authorization: Mutex<Authorization>
  private let configuration: Configuration
  private let service: Service
  private let limits: PageLimits
  private let log: RequestLog

  init(_ configuration: Configuration, _ store: DocumentStore, _ log: RequestLog) {
    self.configuration = configuration
    self.log = log
    authorization = Mutex(configuration.authorization)
    limits = PageLimits(default: configuration.defaultPageSize, maximum: configuration.maximumPageSize)
    service = Service(store: store, limits: limits)
  }

  /// Answers a request. Runs on the daemon's thread.
  func answer(_ request: HTTPRequest) -> HTTPReply {
    let (reply, method, answer) = attempt(request)
    let query = (request.query ?? []).filter { $0.name != "key" && $0.name != "access_token" }
    let page = method == .list ? RequestedPage.number(query, limits: limits) : 0
    let record = RequestRecord(
      verb: request.method, path: request.path, query: query, method: method, status: reply.status,
      documents: answer?.documents ?? 0, bytes: reply.body.count, page: page > 0 ? page : nil,
      connection: request.connection)
    log.append(record, answer)
    return reply
  }

  private func attempt(_ request: HTTPRequest) -> (HTTPReply, ServerMethod?, Answer?) {
    guard LoopbackHost.accepts(request.host), LoopbackHost.accepts(origin: request.origin) else {
      return (HTTPReply(status: 403, text: "This server answers to loopback names only."), nil, nil)
    }
    var method: ServerMethod?
    do {
      guard let query = request.query else { throw StatusError.invalid("An escape in the query is broken.") }
      guard let route = try Route.find(request.method, request.path, prefix: configuration.pathPrefix) else {
        return (HTTPReply(status: 404, text: "Not Found"), nil, nil)
      }
      method = route.method
      if route.method != .probe { try authorization.withLock { $0 }.check(request, query) }
      return respond(request, route, query)
    } catch let error as StatusError {
      return (HTTPReply(error, inArray: wraps(method)), method, nil)
    } catch {
      return (HTTPReply(StatusError(.internal, "unexpected error")), method, nil)
    }
  }

  private func respond(_ request: HTTPRequest, _ route: Route, _ query: [(name: String, value: String)]) -> (
    HTTPReply, ServerMethod?, Answer?
  ) {
    let page = route.method == .list ? RequestedPage.number(query, limits: limits) : 0
    let plan = faults.plan(for: request, route, query, page: page)
    if var reply = plan.interception() {
      plan.adjust(&reply)
      return (reply, route.method, nil)
    }
    var answer: Answer?
    var reply: HTTPReply
    do {
      try plan.change(service.store)
      let call = Service.Call(
        route: route, query: query, body: request.body, origin: "http://\(request.host ?? "")", path: request.path,
        faults: plan)
      let done = try service.perform(call)
      reply = HTTPReply(status: 200, headers: done.headers, body: done.body)
      answer = done
    } catch let error as StatusError {
      reply = HTTPReply(error, inArray: wraps(route.method))
    } catch {
      reply = HTTPReply(StatusError(.internal, "a script's change failed: \(error)"))
    }
    if route.method == .probe { reply.contentType = "text/plain" }
    plan.adjust(&reply)
    return (reply, route.method, answer)
  }

  private func wraps(_ method: ServerMethod?) -> Bool {
    configuration.wrapsStreamErrors && method?.isStreaming == true
  }
}
