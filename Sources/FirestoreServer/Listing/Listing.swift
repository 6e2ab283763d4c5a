import SluiceCore

/// A request for a page of a collection, read and checked.
struct ListingRequest: Sendable {
  var collection: ResourcePath
  /// Documents a page: what was asked for, within the server's limits.
  var pageSize: Int
  var token: PageToken?
  var orders: [Order]
  var mask: [FieldPath]?
  var showMissing: Bool
  /// Microseconds; nil for now.
  var readTime: Int64?
  var digest: UInt64

  /// The token that asks for this same page.
  var ownToken: PageToken { token ?? PageToken(page: 1, digest: digest, after: nil) }
}

/// A page of a collection.
struct ListingPage: Sendable {
  var documents: [Snapshot] = []
  /// Nil on the last page.
  var nextPageToken: String?
  /// A missing token is written as `null`, not left out.
  var tokenIsNull = false
  /// The page's own number; the plain interface shows it.
  var number: Int?
  /// Whether more follows, where that is not told by the token. The plain interface shows it.
  var hasMore: Bool?
  /// Where the next page is, other than here. For the plain interface's addresses.
  var nextOrigin: String?
}

extension ListingRequest {
  /// The names that the query of a list request may have.
  static let parameters = [
    "pageSize", "pageToken", "orderBy", "mask.fieldPaths", "showMissing", "readTime", "transaction",
  ]

  /// Reads the parameters of a list request.
  init(_ collection: ResourcePath, _ database: DatabaseName, _ parameters: Parameters, limits: PageLimits)
    throws(StatusError)
  {
    try parameters.refuseTransaction()
    self.collection = collection
    pageSize = limits.size(asked: try parameters.int("pageSize"))
    if pageSize < 0 { throw .invalid("Page size must be nonnegative.") }
    let orderBy = parameters.string("orderBy") ?? ""
    let masks = parameters.strings("mask.fieldPaths")
    orders = try Self.orders(orderBy)
    mask = masks.isEmpty ? nil : try [FieldPath](firestore: masks)
    showMissing = try parameters.bool("showMissing") ?? false
    if showMissing, !orderBy.isEmpty { throw .invalid("cannot specify an order when show_missing is true") }
    readTime = try parameters.readTime()
    digest = PageToken.digest(
      [database.text, collection.text, orderBy, String(showMissing), parameters.string("readTime") ?? ""] + masks)
    if let text = parameters.string("pageToken"), !text.isEmpty { token = try PageToken(text, digest: digest) }
  }

  /// Reads `a desc, b.c, __name__ desc`.
  private static func orders(_ text: String) throws(StatusError) -> [Order] {
    var orders: [Order] = []
    let items = text.allSatisfy(\.isWhitespace) ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
    for item in items {
      let words = item.split(whereSeparator: \.isWhitespace)
      guard (1...2).contains(words.count), words.count == 1 || ["asc", "desc"].contains(words[1].lowercased()) else {
        throw .invalid("Invalid order by clause \"\(text)\".")
      }
      let path = try FieldPath(firestore: String(words[0]))
      let isDescending = words.count == 2 && words[1].lowercased() == "desc"
      orders.append(Order(field: path.isName ? nil : path, isDescending: isDescending))
    }
    try Order.check(orders)
    return Order.complete(orders, inequalities: [])
  }
}

extension ListingRequest {
  /// The page, of a snapshot.
  func page(of database: Database) -> ListingPage {
    var query = Query(source: Query.Source(parent: collection.parent, collection: collection.last))
    query.orders = orders
    query.limit = pageSize + 1
    if let token, let after = token.after { query.start = cursor(token, after) }
    var documents = QueryRun(query: query, database: database, time: readTime).result().documents
    if showMissing { documents = withMissing(documents, of: database) }
    var page = ListingPage(documents: Array(documents.prefix(pageSize)))
    if documents.count > pageSize, let last = page.documents.last { page.nextPageToken = token(after: last).text }
    return page
  }

  private func cursor(_ token: PageToken, _ after: String) -> Cursor {
    var values = token.values.makeIterator()
    let parts = orders.map { order in
      order.field == nil ? Cursor.Part.name(collection.appending(Segment(after))) : .value(values.next() ?? .null)
    }
    return Cursor(parts: parts, isBefore: false)
  }

  private func token(after document: Snapshot) -> PageToken {
    PageToken(
      page: ownToken.page + 1, digest: digest, after: document.id.text,
      values: orders.compactMap(\.field).compactMap { document.fields?[$0] })
  }

  /// The documents with the names that have none, in order. Only so many as a page needs are right.
  private func withMissing(_ documents: [Snapshot], of database: Database) -> [Snapshot] {
    let after = token?.after.map { Segment($0) }
    let missing = database.missingIDs(in: collection, at: readTime).filter { id in after.map { $0 < id } ?? true }
    return (documents + missing.map { Snapshot(collection: collection, id: $0, revision: nil) }).sorted {
      $0.id < $1.id
    }
  }
}

/// The page sizes of a server.
struct PageLimits: Sendable {
  /// Where none is asked for.
  var `default`: Int
  /// At most.
  var maximum: Int

  func size(asked: Int64?) -> Int {
    guard let asked, asked != 0 else { return min(`default`, maximum) }
    return Int(clamping: min(asked, Int64(maximum)))
  }
}
