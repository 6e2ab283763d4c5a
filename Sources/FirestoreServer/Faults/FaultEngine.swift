import SluiceCore
import Synchronization

/// Finds what a script does to each request, and counts pages and attempts for it.
final class FaultEngine: Sendable {
  private struct State {
    var rules: [FaultRule] = []
    /// Attempts by path and page, or path and body.
    var attempts: [String: Int] = [:]
    /// Numbers of the different bodies that came to a path.
    var pages: [String: Int] = [:]
    var bodies: [String: Int] = [:]
    /// Tokens by path and page.
    var tokens: [String: String] = [:]
  }

  private let state = Mutex(State())

  /// Puts a script in force, and begins to count anew.
  func use(_ script: FaultScript) { state.withLock { $0 = State(rules: script.rules) } }

  /// What befalls a request.
  /// `page` is the number of the page that a list request asks for.
  func plan(
    for request: HTTPRequest, _ route: Route, _ query: [(name: String, value: String)], page listed: Int
  ) -> FaultPlan {
    guard state.withLock({ !$0.rules.isEmpty }) else { return FaultPlan() }
    let path = request.path
    let (page, attempt) = count(request, route, path, listed)
    let collection = route.path.isDocument ? route.path.parent : route.path
    let faultRequest = FaultRequest(
      verb: request.method, path: path, method: route.method,
      collection: collection == .root ? "" : collection.last.text, collectionPath: collection.text,
      database: route.database.id, query: query, page: page, attempt: attempt,
      tokenOfPage: { [self] page in state.withLock { $0.tokens["\(path) \(page)"] } })
    let rules = state.withLock { $0.rules }
    return FaultPlan(
      request: faultRequest, actions: rules.filter { $0.match.matches(faultRequest) }.map(\.action),
      note: { [self] token in state.withLock { $0.tokens["\(path) \(page)"] = token } })
  }

  private func count(
    _ request: HTTPRequest, _ route: Route, _ path: String, _ listed: Int
  ) -> (page: Int, attempt: Int) {
    let digest = Fingerprint(of: request.body.span)
    return state.withLock { state in
      let page: Int
      if route.method == .list {
        page = listed
      } else if let known = state.bodies["\(path) \(digest)"] {
        page = known
      } else {
        page = state.pages[path, default: 0] + 1
        state.pages[path] = page
        state.bodies["\(path) \(digest)"] = page
      }
      let key = "\(request.method) \(path) \(page)"
      let attempt = state.attempts[key, default: 0] + 1
      state.attempts[key] = attempt
      return (page, attempt)
    }
  }
}

/// What befalls one request.
struct FaultPlan: Sendable {
  var request: FaultRequest?
  var actions: [FaultAction] = []
  /// Remembers the token by which this page was asked for.
  var note: @Sendable (String) -> Void = { _ in }

  /// The answer in place of the server's, where there is one.
  func interception() -> HTTPReply? {
    guard let request else { return nil }
    for action in actions { if let reply = action.intercept?(request) { return reply } }
    return nil
  }

  /// Changes the documents that the script wants changed by now.
  func change(_ store: DocumentStore) throws {
    guard let request else { return }
    for action in actions { try action.change?(store, request) }
  }

  func rewritten(_ query: [(name: String, value: String)]) -> [(name: String, value: String)] {
    var query = query
    for action in actions { action.query?(&query) }
    return query
  }

  func adjust(_ size: inout Int) { for action in actions { action.size?(&size) } }

  func adjust(_ page: inout ListingPage, ownToken: String) {
    guard let request else { return }
    note(ownToken)
    for action in actions { action.page?(&page, request, ownToken) }
  }

  func adjust(_ reply: inout HTTPReply) { for action in actions { action.reply?(&reply) } }
}
