import SluiceCore
import Synchronization

/// What befalls a request. Each action works at one of five places between the request and its answer; the constructors
/// are the vocabulary, and a new fault is one more of them.
public struct FaultAction: Sendable {
  /// Answers in place of the server: nothing is read or written.
  var intercept: (@Sendable (FaultRequest) -> HTTPReply)?
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

/// Listings that do not go on as they should.
extension FaultAction {
  /// The next page is this one again.
  public static let repeatPage = FaultAction(page: { page, _, own in page.nextPageToken = own })

  /// The next page is an earlier one, which must have been asked for before.
  public static func backToPage(_ number: Int) -> FaultAction {
    FaultAction(page: { page, request, own in page.nextPageToken = request.tokenOfPage(number) ?? own })
  }

  /// The page has a token, but no documents.
  public static let emptyPage = FaultAction(page: { page, _, own in
    page.documents = []
    page.nextPageToken = page.nextPageToken ?? own
  })

  /// The page has no token, as if it were the last: what follows it is lost in silence.
  public static let endsHere = FaultAction(page: { page, _, _ in page.nextPageToken = nil })

  /// Pages have at most so many documents, whatever is asked for.
  public static func cap(_ count: Int) -> FaultAction { FaultAction(size: { $0 = min($0, count) }) }

  /// The token of the request is ignored: every page is the first.
  public static let ignoreToken = FaultAction(query: { $0.removeAll { $0.name == "pageToken" } })

  /// The page size of the request is ignored: the server's own counts.
  public static let ignorePageSize = FaultAction(query: { $0.removeAll { $0.name == "pageSize" } })

  /// Every page carries the same token, though the listing goes on behind it; the last page comes for ever.
  public static func sameToken(_ token: String = "always-the-same") -> FaultAction {
    let memory = TokenMemory()
    return FaultAction(
      query: { query in
        for index in query.indices where query[index].name == "pageToken" && query[index].value == token {
          query[index].value = memory.next.withLock { $0 } ?? ""
        }
      },
      page: { page, _, own in
        let next = page.nextPageToken ?? own
        memory.next.withLock { $0 = next }
        page.nextPageToken = token
      })
  }

  /// The token that a page would have had.
  private final class TokenMemory: Sendable { let next = Mutex<String?>(nil) }
}
