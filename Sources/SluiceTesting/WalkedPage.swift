import SluiceCore

/// One page of a `PageScript.walk`, told apart from the others by its index.
public struct WalkedPage: Sendable {
  /// The documents.
  public var documents: [(key: Key, fields: [Field])]
  /// The index of the page that follows; nil where none does.
  public var next: Int?
  /// Whether the page also says in so many words whether more follows.
  public var saysHasMore: Bool
  /// What the page says of the number of documents.
  public var total: Int?
  /// What the page says of its own number.
  public var number: Int?

  /// One page.
  public init(
    _ documents: [(key: Key, fields: [Field])], next: Int?, saysHasMore: Bool = false, total: Int? = nil,
    number: Int? = nil
  ) {
    self.documents = documents
    self.next = next
    self.saysHasMore = saysHasMore
    self.total = total
    self.number = number
  }
}

extension PageScript {
  /// A script that walks from page 0 along `next`, whatever kind of position it is asked by: one hostile answer for every
  /// paging strategy. Asked by token or address it gives the page that was named; asked by offset, number or key, the
  /// page that so many steps, or the page with that last key, lead to.
  public static func walk(
    lookup: @escaping @Sendable (Key) -> [Field]? = { _ in nil }, _ page: @escaping @Sendable (Int) -> WalkedPage
  ) -> PageScript {
    PageScript(lookup: lookup) { request in
      guard let index = Self.index(of: request.position, page) else { return try Self.page(WalkedPage([], next: nil)) }
      return try Self.page(page(index))
    }
  }

  /// The address of a page, before its index.
  private static let address = "scripted://pages/"

  private static func index(of position: PagePosition, _ page: (Int) -> WalkedPage) -> Int? {
    switch position {
    case .start: return 0
    case .token(let token): return Int(token)
    case .url(let url): return Int(url.dropFirst(address.count))
    case .number(let number): return first(page) { step, _, _ in step == number - 1 }
    case .offset(let offset): return first(page) { _, before, _ in before == offset }
    case .after(let cursor):
      return first(page) { _, _, walked in walked.documents.last?.key == cursor.key }.flatMap { page($0).next }
    }
  }

  /// The first page on the way from page 0 that `isWanted`, by the steps made, the documents passed and itself.
  private static func first(
    _ page: (Int) -> WalkedPage, where isWanted: (_ step: Int, _ before: Int, WalkedPage) -> Bool
  ) -> Int? {
    var index = 0
    var before = 0
    for step in 0..<10_000 {
      let walked = page(index)
      if isWanted(step, before, walked) { return index }
      guard let next = walked.next else { return nil }
      before += walked.documents.count
      index = next
    }
    return nil
  }

  private static func page(_ walked: WalkedPage) throws -> Page {
    var page = try page(walked.documents, nextToken: walked.next.map(String.init))
    page.signals.nextURL = walked.next.map { "\(address)\($0)" }
    page.signals.nextLink = page.signals.nextURL
    if walked.saysHasMore { page.signals.hasMore = walked.next != nil }
    page.signals.total = walked.total
    page.signals.number = walked.number
    return page
  }
}
