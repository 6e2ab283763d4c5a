import SluiceCore
import SluiceJSON

/// The plain JSON interface: `GET /json/{collection}` and `GET /json/{collection}/{id}`, over the same documents, under
/// the same credentials and the same faults.
///
/// A page has every sign that such interfaces have, for clients to choose from:
///
///     { "items": [{ "_key": "u1", … }], "count": 1, "page": 1, "total": 45, "has_more": true,
///       "next_cursor": "…" (or "next_page", "next_offset"), "next": "http://…", "next_path": "/json/…" }
///
/// and a header `Link: <http://…>; rel="next"`. On the last page what begins with "next", and `Link`, are missing.
extension Service {
  func listPlain(_ call: Call) throws(StatusError) -> Answer {
    let parameters = try Parameters(call.faults.rewritten(call.query), allowing: PlainListingRequest.parameters)
    var request = try PlainListingRequest(call.route.path, call.database, parameters, limits: limits)
    call.faults.adjust(&request.size)
    let asked = request
    var (page, total) = try read(call, at: nil) { database, _ in asked.page(of: database) }
    call.faults.adjust(&page, ownToken: request.own)
    var fields = [
      Field("items", .array(page.documents.map(Self.plain))), Field("count", .int(Int64(page.documents.count))),
      Field("page", .int(Int64(page.number ?? request.number))), Field("total", .int(Int64(total))),
      Field("has_more", .bool(page.hasMore ?? (page.nextPageToken?.isEmpty == false))),
    ]
    var answer = Answer(body: [], documents: page.documents.count, billedReads: page.documents.count)
    if let next = page.nextPageToken {
      let name = "next_\(request.style.rawValue)"
      fields.append(
        Field(name, next.isEmpty ? .string("") : request.style == .cursor ? .string(next) : Self.number(next)))
      if !next.isEmpty {
        let path = "\(call.path)?limit=\(request.size)&\(request.style.rawValue)=\(PercentEncoding.encode(next))"
        let url = (page.nextOrigin ?? call.origin) + path
        fields += [Field("next", .string(url)), Field("next_path", .string(path))]
        answer.headers.append(("Link", "<\(url)>; rel=\"next\""))
      }
    } else if page.tokenIsNull {
      fields.append(Field("next_\(request.style.rawValue)", .null))
    }
    answer.body = JSON.encode(.map(fields))
    return answer
  }

  func getPlain(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let document = try read(call, at: nil) { database, _ in database.document(call.route.path, at: nil) }
    guard let document else { throw StatusError(.notFound, "there is no \(call.route.path.text)") }
    return Answer(body: JSON.encode(Self.plain(document)), documents: 1, billedReads: 1)
  }

  /// A document with its id as `_key`.
  private static func plain(_ document: Snapshot) -> Value {
    .map([Field("_key", .string(document.id.text))] + (document.fields?.materialized ?? []))
  }

  private static func number(_ text: String) -> Value { Int64(text).map(Value.int) ?? .string(text) }
}
