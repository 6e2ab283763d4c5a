import SluiceCore
import SluiceJSON

/// Queries and aggregations over them.
extension Service {
  func runQuery(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let message = try call.message(["structuredQuery", "transaction", "newTransaction", "readTime", "explainOptions"])
    if try message.only(of: ["transaction", "newTransaction"]) != nil || message.value("explainOptions") != nil {
      throw StatusError(.unimplemented, "Transactions and explain options are not supported here.")
    }
    guard let json = message.value("structuredQuery") else { throw .invalid("only structured queries are supported") }
    var query = try QueryReader(database: call.database, parent: call.route.path).query(json)
    let time = try ReadTime.microseconds(try message.timestamp("readTime"))
    if var limit = query.limit {
      call.faults.adjust(&limit)
      query.limit = limit
    }
    let asked = query
    var (result, readTime) = try read(call, at: time) { database, readTime in
      (QueryRun(query: asked, database: database, time: time).result(), readTime)
    }
    var page = ListingPage(documents: result.documents)
    call.faults.adjust(&page, ownToken: "")
    result.documents = page.documents
    let body = elements(result, query.mask, readTime, call.database)
    let count = page.documents.count
    // Documents that an offset skips are billed like the others.
    return Answer(body: body, documents: count, billedReads: max(1, count + result.skipped))
  }

  /// The array of a query's answer. It ends at `]`: a line feed after it makes some of Google's own clients fail.
  private func elements(_ result: QueryRun.Result, _ mask: [FieldPath]?, _ readTime: Int64, _ database: DatabaseName)
    -> [UInt8]
  {
    var writer = AnswerWriter(database)
    writer.append("[{")
    if result.skipped > 0 { writer.append(json: Array("\"skippedResults\":\(result.skipped),".utf8)) }
    for (index, document) in result.documents.enumerated() {
      writer.append(index == 0 ? "\"document\":" : "},\n{\"document\":")
      writer.append(document, mask: mask)
      writer.append(",\"readTime\":")
      writer.append(time: readTime)
    }
    if result.documents.isEmpty {
      writer.append("\"readTime\":")
      writer.append(time: readTime)
    }
    writer.append(",\"done\":true}]")
    return writer.bytes
  }

  func runAggregationQuery(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let message = try call.message(["structuredAggregationQuery", "readTime"])
    let names = ["structuredQuery", "aggregations"]
    guard let json = try message.message("structuredAggregationQuery", allowing: names),
      let inner = json.value("structuredQuery")
    else { throw .invalid("an aggregation needs a structured query") }
    let reader = QueryReader(database: call.database, parent: call.route.path)
    let query = try reader.query(inner, at: json.place("structuredQuery"))
    let aggregations = try Aggregation.read(json)
    let time = try ReadTime.microseconds(try message.timestamp("readTime"))
    let (documents, readTime) = try read(call, at: time) { database, readTime in
      (QueryRun(query: query, database: database, time: time).result().documents, readTime)
    }
    var writer = AnswerWriter(call.database)
    writer.append("[{\"result\":{\"aggregateFields\":")
    writer.append(json: JSON.encodeTyped(Aggregation.results(aggregations, over: documents)))
    writer.append("},\"readTime\":")
    writer.append(time: readTime)
    writer.append(",\"done\":true}]")
    return Answer(body: writer.bytes, billedReads: max(1, (documents.count + 999) / 1000))
  }
}
