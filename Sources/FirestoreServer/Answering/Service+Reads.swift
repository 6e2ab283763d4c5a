import SluiceCore
import SluiceJSON

/// Documents by their names, and collections page by page.
extension Service {
  func list(_ call: Call) throws(StatusError) -> Answer {
    let parameters = try Parameters(call.faults.rewritten(call.query), allowing: ListingRequest.parameters)
    var request = try ListingRequest(call.route.path, call.database, parameters, limits: limits)
    call.faults.adjust(&request.pageSize)
    let asked = request
    var page = try read(call, at: request.readTime) { database, _ in asked.page(of: database) }
    call.faults.adjust(&page, ownToken: request.ownToken.text)
    var writer = AnswerWriter(call.database)
    writer.append("{")
    if !page.documents.isEmpty {
      writer.append("\"documents\":[")
      writer.append(page.documents, mask: request.mask)
      writer.append("]")
    }
    if let token = page.nextPageToken {
      writer.append(page.documents.isEmpty ? "\"nextPageToken\":" : ",\"nextPageToken\":")
      writer.append(string: token)
    } else if page.tokenIsNull {
      writer.append(page.documents.isEmpty ? "\"nextPageToken\":null" : ",\"nextPageToken\":null")
    }
    writer.append("}")
    let count = page.documents.count
    return Answer(body: writer.bytes, documents: count, billedReads: max(1, count))
  }

  func get(_ call: Call) throws(StatusError) -> Answer {
    let parameters = try call.parameters(["mask.fieldPaths", "readTime", "transaction"])
    try parameters.refuseTransaction()
    let time = try parameters.readTime()
    let document = try read(call, at: time) { database, _ in database.document(call.route.path, at: time) }
    guard let document else {
      throw StatusError(.notFound, "Document (\(call.database.name(of: call.route.path))) not found.")
    }
    return Answer(body: try self.document(document, call, parameters), documents: 1, billedReads: 1)
  }

  /// One document as an answer, as far as the mask of the request shows it.
  func document(_ document: Snapshot, _ call: Call, _ parameters: Parameters) throws(StatusError) -> [UInt8] {
    var writer = AnswerWriter(call.database)
    writer.append(document, mask: try parameters.mask())
    return writer.bytes
  }

  func batchGet(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let message = try call.message(["documents", "mask", "transaction", "newTransaction", "readTime"])
    if try message.only(of: ["transaction", "newTransaction"]) != nil {
      throw StatusError(.unimplemented, "Transactions are not supported here.")
    }
    let mask = try message.message("mask", allowing: ["fieldPaths"]).map { mask throws(StatusError) in
      try [FieldPath](firestore: try mask.strings("fieldPaths"))
    }
    let time = try ReadTime.microseconds(try message.timestamp("readTime"))
    let paths = try paths(try message.strings("documents"), of: call.database)
    let (found, readTime) = try read(call, at: time) { database, readTime in
      (paths.map { database.document($0, at: time) }, readTime)
    }
    var writer = AnswerWriter(call.database)
    writer.append("[")
    for (index, document) in found.enumerated() {
      writer.append(index == 0 ? "{" : ",\n{")
      if let document {
        writer.append("\"found\":")
        writer.append(document, mask: mask)
      } else {
        writer.append("\"missing\":")
        writer.append(string: call.database.name(of: paths[index]))
      }
      writer.append(",\"readTime\":")
      writer.append(time: readTime)
      writer.append("}")
    }
    writer.append("]")
    return Answer(body: writer.bytes, documents: found.count { $0 != nil }, billedReads: found.count)
  }

  /// The paths of documents of this database, each once.
  private func paths(_ names: [String], of database: DatabaseName) throws(StatusError) -> [ResourcePath] {
    var paths: [ResourcePath] = []
    var seen: Set<ResourcePath> = []
    for text in names {
      let name = try ResourceName.document(text)
      guard name.database == database else { throw .invalid("Document name \"\(text)\" is not of this database.") }
      if seen.insert(name.path).inserted { paths.append(name.path) }
    }
    return paths
  }

  func listCollectionIDs(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let message = try call.message(["pageSize", "pageToken", "readTime"])
    let time = try ReadTime.microseconds(try message.timestamp("readTime"))
    let size = limits.size(asked: try message.int("pageSize"))
    if size < 0 { throw .invalid("Page size must be nonnegative.") }
    let digest = PageToken.digest([
      "collections", call.database.text, call.route.path.text, time.map(String.init) ?? "",
    ])
    let text = try message.string("pageToken") ?? ""
    let token = text.isEmpty ? nil : try PageToken(text, digest: digest)
    let after = token?.after.map { Segment($0) }
    let ids = try read(call, at: time) { database, _ in
      database.collectionIDs(below: call.route.path, at: time).filter { id in after.map { $0 < id } ?? true }
    }
    var fields: [Field] = []
    let page = ids.prefix(size)
    if !page.isEmpty { fields.append(Field("collectionIds", .array(page.map { .string($0.text) }))) }
    if ids.count > size, let last = page.last {
      let next = PageToken(page: (token?.page ?? 1) + 1, digest: digest, after: last.text)
      fields.append(Field("nextPageToken", .string(next.text)))
    }
    return Answer(body: JSON.encode(.map(fields)), billedReads: 1)
  }
}
