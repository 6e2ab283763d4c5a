import SluiceCore
import Synchronization

/// Listings that do not go on as they should. Tokens, cursors, page numbers and offsets are all meant by "token".
extension FaultAction {
  /// The names of what says where a page begins.
  private static let positions = ["pageToken", "cursor", "page", "offset"]

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

  /// Where the listing ends, the page has a token all the same, an empty text.
  public static let emptyTokenAtEnd = FaultAction(page: { page, _, _ in
    page.nextPageToken = page.nextPageToken ?? ""
  })

  /// Where the listing ends, the page has a token all the same, `null`.
  public static let nullTokenAtEnd = FaultAction(page: { page, _, _ in page.tokenIsNull = true })

  /// The last page has a token like the others; only `has_more` (of the plain interface) says that it is the last.
  public static let tokenAtEnd = FaultAction(page: { page, _, own in
    page.hasMore = page.nextPageToken != nil
    page.nextPageToken = page.nextPageToken ?? own
  })

  /// Every page says that it is this one (the plain interface's `page`).
  public static func saysPage(_ number: Int) -> FaultAction {
    FaultAction(page: { page, _, _ in page.number = number })
  }

  /// The address of the next page (the plain interface's `next` and `Link`) is of another origin.
  public static func nextAt(_ origin: String) -> FaultAction {
    FaultAction(page: { page, _, _ in page.nextOrigin = origin })
  }

  /// Pages have at most so many documents, whatever is asked for.
  public static func cap(_ count: Int) -> FaultAction { FaultAction(size: { $0 = min($0, count) }) }

  /// The token of the request is ignored: every page is the first.
  public static let ignoreToken = FaultAction(query: { query in
    for index in query.indices {
      switch query[index].name {
      case "page": query[index].value = "1"
      case "offset": query[index].value = "0"
      case "pageToken", "cursor": query[index].value = ""
      default: break
      }
    }
  })

  /// The page size of the request is ignored: the server's own counts.
  public static let ignorePageSize = FaultAction(query: { $0.removeAll { ["pageSize", "limit"].contains($0.name) } })

  /// Every page carries the same token, though the listing goes on behind it; the last page comes for ever.
  public static func sameToken(_ token: String = "always-the-same") -> FaultAction {
    let next = Memory<String?>(nil)
    return FaultAction(
      query: { query in
        for index in query.indices where positions.contains(query[index].name) && query[index].value == token {
          query[index].value = next.value.withLock { $0 } ?? ""
        }
      },
      page: { page, _, own in
        let following = page.nextPageToken ?? own
        next.value.withLock { $0 = following }
        page.nextPageToken = token
      })
  }

  /// Each page begins with the last documents of the page before.
  public static func overlap(_ count: Int) -> FaultAction {
    let tails = Memory<[String: [Snapshot]]>([:])
    return FaultAction(page: { page, request, _ in
      let own = page.documents
      tails.value.withLock { tails in
        page.documents = (tails["\(request.path) \(request.page - 1)"] ?? []) + own
        tails["\(request.path) \(request.page)"] = own.suffix(count)
      }
    })
  }

  /// A page size other than that of the first request for a path is refused.
  public static func fixedPageSize() -> FaultAction {
    let sizes = Memory<[String: String]>([:])
    return FaultAction(intercept: { request in
      let size = request.parameter("pageSize") ?? request.parameter("limit") ?? ""
      let first = sizes.value.withLock { sizes in
        let first = sizes[request.path] ?? size
        sizes[request.path] = first
        return first
      }
      return first == size ? nil : HTTPReply(StatusError.invalid("the page size must not change within a listing"))
    })
  }

  /// The token is no longer accepted.
  public static let refuseToken = FaultAction(intercept: { _ in HTTPReply(StatusError.invalid("invalid page token")) })

  /// The snapshot that the listing reads is gone.
  public static let expiredReadTime = FaultAction(intercept: { _ in
    HTTPReply(StatusError(.failedPrecondition, "The requested 'read_time' is too old."))
  })

  /// Documents change before the page is read.
  public static func change(_ body: @escaping @Sendable (DocumentStore, FaultRequest) throws -> Void) -> FaultAction {
    FaultAction(change: body)
  }

  /// A document comes into being that sorts before all others.
  public static let insertBefore = change { store, request in
    try store.set("\(request.collectionPath)/!inserted", [], database: request.database)
  }

  /// The first document of the collection goes away.
  public static let deleteBefore = change { store, request in
    let first = try store.documents(in: request.collectionPath, database: request.database).first
    if let first { try store.delete(first.path, database: request.database) }
  }

  /// What an action remembers from request to request.
  private final class Memory<Content: Sendable>: Sendable {
    let value: Mutex<Content>
    init(_ content: Content) { value = Mutex(content) }
  }
}
