import SluiceCore

/// A request for a page of a collection of the plain JSON interface, read and checked.
///
/// `limit` is the page's size. One of `cursor`, `page` (from 1) and `offset` says where the page begins, and the answer
/// leads on in the same style; without any of them it is a cursor. Cursors stand behind a document; numbers and offsets
/// count documents, so that what is added or deleted before them moves the pages, as it does with real servers.
struct PlainListingRequest: Sendable {
  /// How a page is named; the name of the parameter.
  enum Style: String, Sendable, CaseIterable { case cursor, page, offset }

  var collection: ResourcePath
  var style = Style.cursor
  /// Documents a page: what was asked for, within the server's limits.
  var size: Int
  /// Documents before the page; 0 with cursors.
  var offset = 0
  var token: PageToken?
  var digest: UInt64

  /// The names that a list request may have.
  static let parameters = ["limit"] + Style.allCases.map(\.rawValue)

  /// Reads the parameters. Throws INVALID_ARGUMENT for numbers that are none, and for two positions at once.
  init(_ collection: ResourcePath, _ database: DatabaseName, _ parameters: Parameters, limits: PageLimits)
    throws(StatusError)
  {
    self.collection = collection
    size = limits.size(asked: try parameters.int("limit"))
    if size < 1 { throw .invalid("limit must be positive") }
    digest = PageToken.digest(["plain", database.id, collection.text])
    let given = Style.allCases.filter { parameters.string($0.rawValue) != nil }
    if given.count > 1 { throw .invalid("give one of cursor, page and offset") }
    style = given.first ?? .cursor
    switch style {
    case .cursor:
      if let text = parameters.string("cursor"), !text.isEmpty { token = try PageToken(text, digest: digest) }
    case .page:
      let number = try parameters.int("page") ?? 1
      if number < 1 { throw .invalid("page numbers begin at 1") }
      offset = (Int(number) - 1) * size
    case .offset:
      offset = Int(try parameters.int("offset") ?? 0)
      if offset < 0 { throw .invalid("offset must not be negative") }
    }
  }

  /// Which page this is, from 1.
  var number: Int { style == .cursor ? token?.page ?? 1 : offset / size + 1 }

  /// What asks for this same page.
  var own: String {
    switch style {
    case .cursor: (token ?? PageToken(page: 1, digest: digest, after: nil)).text
    case .page: String(number)
    case .offset: String(offset)
    }
  }

  /// The page, of the documents as they are now, and how many there are in all.
  func page(of database: Database) -> (page: ListingPage, total: Int) {
    var query = Query(source: Query.Source(parent: collection.parent, collection: collection.last))
    query.limit = size + 1
    query.offset = offset
    if let after = token?.after {
      query.start = Cursor(parts: [.name(collection.appending(Segment(after)))], isBefore: false)
    }
    let documents = QueryRun(query: query, database: database, time: nil).result().documents
    var page = ListingPage(documents: Array(documents.prefix(size)), number: number)
    if documents.count > size { page.nextPageToken = next(after: page.documents) }
    return (page, database.collections[collection]?.count ?? 0)
  }

  private func next(after documents: [Snapshot]) -> String {
    switch style {
    case .cursor: PageToken(page: number + 1, digest: digest, after: documents.last?.id.text).text
    case .page: String(number + 1)
    case .offset: String(offset + documents.count)
    }
  }
}

/// Which page a list request asks for, without a look at the documents.
enum RequestedPage {
  /// From 1; 0 where a token names none. Of both interfaces.
  static func number(_ query: [(name: String, value: String)], limits: PageLimits) -> Int {
    func value(_ name: String) -> String? { query.last { $0.name == name }?.value }
    if let number = value("page") { return Int(number) ?? 0 }
    if let offset = value("offset") {
      return (Int(offset) ?? 0) / max(1, limits.size(asked: value("limit").flatMap(Int64.init))) + 1
    }
    let token = value("pageToken") ?? value("cursor") ?? ""
    return token.isEmpty ? 1 : PageToken(anyRequest: token)?.page ?? 0
  }
}
