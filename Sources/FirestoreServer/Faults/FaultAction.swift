import SluiceCore

/// What befalls a request. Each action works at one of six places between the request and its answer; the constructors
/// are the vocabulary, and a new fault is one more of them.
public struct FaultAction: Sendable {
  /// Answers in place of the server: nothing is read or written. Nil leaves the request alone.
  var intercept: (@Sendable (FaultRequest) -> HTTPReply?)?
  /// Changes documents before the request is done.
  var change: (@Sendable (DocumentStore, FaultRequest) throws -> Void)?
  /// Changes the query of a list request before it is read.
  var query: (@Sendable (inout [(name: String, value: String)]) -> Void)?
  /// Changes how many documents a page may have.
  var size: (@Sendable (inout Int) -> Void)?
  /// Changes a page before it is written. The text is the token that asks for this same page.
  var page: (@Sendable (inout ListingPage, FaultRequest, _ ownToken: String) -> Void)?
  /// Changes the answer before it is sent; what was asked for is done by then.
  var reply: (@Sendable (inout HTTPReply) -> Void)?
}

/// Answers that are not what was asked for.
extension FaultAction {
  /// An error of Firestore's, with `Retry-After` in seconds where it is given. Nothing is read or written.
  public static func status(_ code: Int, retryAfter: Int? = nil) -> FaultAction {
    status(code, retryAfterText: retryAfter.map(String.init))
  }

  /// An error with whatever text as its `Retry-After`, such as a date.
  public static func status(_ code: Int, retryAfterText text: String?) -> FaultAction {
    FaultAction(intercept: { _ in
      var reply = HTTPReply(StatusError(Status(http: code), "scripted status \(code)"))
      reply.status = code
      if let text { reply.headers.append(("Retry-After", text)) }
      return reply
    })
  }

  /// Any answer. Nothing is read or written.
  public static func answer(status: Int, contentType: String, body: String) -> FaultAction {
    FaultAction(intercept: { _ in HTTPReply(status: status, contentType: contentType, body: Array(body.utf8)) })
  }

  /// Points elsewhere. Nothing is read or written.
  public static func redirect(to location: String, status: Int = 302) -> FaultAction {
    FaultAction(intercept: { _ in
      HTTPReply(
        status: status, headers: [("Location", location)], contentType: "text/plain", body: Array(location.utf8))
    })
  }

  /// A status with a `Retry-After` that is a date, so many seconds from now.
  public static func status(_ code: Int, retryAtSecondsFromNow seconds: Int) -> FaultAction {
    FaultAction(intercept: { request in
      let date = HTTPDate.text(ServerClock.system.microseconds / 1_000_000 + Int64(seconds))
      return status(code, retryAfterText: date).intercept?(request)
    })
  }

  /// A web page with status 200, as a proxy or a login wall sends it.
  public static let html = answer(
    status: 200, contentType: "text/html", body: "<!DOCTYPE html><html><body>Sign in</body></html>")

  /// Status 200 and no body at all.
  public static let emptyBody = answer(status: 200, contentType: "application/json", body: "")

  /// The connection is closed without an answer; the request is done all the same.
  public static let drop = FaultAction(reply: { $0.isDropped = true })
}

/// Answers that are damaged on their way.
extension FaultAction {
  /// The whole length is promised, half of the body is sent, the connection is closed.
  public static let cut = FaultAction(reply: { $0.cutAfter = $0.body.count / 2 })

  /// The first six tenths of the body, as if they were the whole: JSON that is not complete.
  public static let truncated = FaultAction(reply: { $0.body.removeLast($0.body.count - $0.body.count * 6 / 10) })

  /// The answer waits for a time.
  public static func delay(_ duration: Duration) -> FaultAction { FaultAction(reply: { $0.delay = duration }) }

  /// The answer waits until a gate opens; never, where the test does not open it.
  public static func hold(_ gate: FaultGate) -> FaultAction { FaultAction(reply: { $0.gate = gate }) }
}
