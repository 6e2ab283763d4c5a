import SluiceCore
import SluiceJSON

/// Methods that change documents.
extension Service {
  func create(_ call: Call) throws(StatusError) -> Answer {
    let parameters = try call.parameters(["documentId", "mask.fieldPaths"])
    let message = try call.message(WriteReader.document)
    if let name = try message.string("name"), !name.isEmpty { throw .invalid("document.name must not be set") }
    let id = Segment(parameters.string("documentId").flatMap { $0.isEmpty ? nil : $0 } ?? Self.newID())
    try id.validate()
    let fields = try TypedValueReader.fields(try message.map("fields"))
    let path = call.route.path.appending(id)
    return try write(
      call, Write(path: path, operation: .update(fields, mask: nil), precondition: .exists(false)), parameters)
  }

  func patch(_ call: Call) throws(StatusError) -> Answer {
    let parameters = try call.parameters([
      "updateMask.fieldPaths", "mask.fieldPaths", "currentDocument.exists", "currentDocument.updateTime",
    ])
    let message = try call.message(WriteReader.document)
    let fields = try TypedValueReader.fields(try message.map("fields"))
    let masks = parameters.strings("updateMask.fieldPaths")
    let mask = masks.isEmpty ? nil : try WriteReader.mask(masks)
    let write = Write(
      path: call.route.path, operation: .update(fields, mask: mask), precondition: try parameters.precondition())
    return try self.write(call, write, parameters)
  }

  /// Applies one write and answers with the document it made.
  private func write(_ call: Call, _ write: Write, _ parameters: Parameters) throws(StatusError) -> Answer {
    let document = try self.write(call) { (database, now) throws(StatusError) -> Snapshot? in
      _ = try Commit.apply([write], to: database, now: now)
      return database.document(write.path)
    }
    guard let document else { throw StatusError(.internal, "The document is gone.") }
    return Answer(body: try self.document(document, call, parameters), writes: 1)
  }

  func delete(_ call: Call) throws(StatusError) -> Answer {
    let parameters = try call.parameters(["currentDocument.exists", "currentDocument.updateTime"])
    let write = Write(path: call.route.path, operation: .delete, precondition: try parameters.precondition())
    try self.write(call) { (database, now) throws(StatusError) in
      _ = try Commit.apply([write], to: database, now: now)
    }
    var answer = Answer.empty
    answer.deletes = 1
    return answer
  }

  func commit(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let message = try call.message(["writes", "transaction"])
    if message.value("transaction") != nil {
      throw StatusError(.unimplemented, "Transactions are not supported here.")
    }
    let writes = try WriteReader(database: call.database).writes(try message.array("writes"))
    if writes.isEmpty { return .empty }
    let (results, time) = try write(call) { (database, now) throws(StatusError) -> ([WriteResult], Int64) in
      let (results, time) = try Commit.apply(writes, to: database, now: now)
      return (results, time)
    }
    var writer = AnswerWriter(call.database)
    writer.append("{\"writeResults\":")
    append(results, to: &writer)
    writer.append(",\"commitTime\":")
    writer.append(time: time)
    writer.append("}")
    let deletes = writes.count { if case .delete = $0.operation { true } else { false } }
    return Answer(body: writer.bytes, writes: writes.count - deletes, deletes: deletes)
  }

  func batchWrite(_ call: Call) throws(StatusError) -> Answer {
    _ = try call.parameters()
    let message = try call.message(["writes", "labels"])
    let writes = try WriteReader(database: call.database).writes(try message.array("writes"))
    if writes.isEmpty { return .empty }
    if Set(writes.map(\.path)).count < writes.count {
      throw .invalid("the same document cannot be written more than once in a single request")
    }
    let outcomes = try write(call) { database, now in writes.map { Self.outcome($0, database, now) } }
    var writer = AnswerWriter(call.database)
    writer.append("{\"writeResults\":")
    append(outcomes.map { (try? $0.get()) ?? WriteResult() }, to: &writer)
    writer.append(",\"status\":")
    writer.append(json: JSON.encode(.array(outcomes.map(Self.status))))
    writer.append("}")
    var answer = Answer(body: writer.bytes)
    for (write, outcome) in zip(writes, outcomes) {
      guard case .success = outcome else { continue }
      if case .delete = write.operation { answer.deletes += 1 } else { answer.writes += 1 }
    }
    return answer
  }

  private static func outcome(_ write: Write, _ database: Database, _ now: Int64) -> Result<WriteResult, StatusError> {
    do { return .success(try Commit.apply([write], to: database, now: now).results[0]) } catch {
      return .failure(error)
    }
  }

  private static func status(_ outcome: Result<WriteResult, StatusError>) -> Value {
    guard case .failure(let error) = outcome else { return .map([]) }
    return .map([Field("code", .int(Int64(error.status.rawValue))), Field("message", .string(error.message))])
  }

  private func append(_ results: [WriteResult], to writer: inout AnswerWriter) {
    writer.append("[")
    for (index, result) in results.enumerated() {
      writer.append(index == 0 ? "{" : ",{")
      if let time = result.updateTime {
        writer.append("\"updateTime\":")
        writer.append(time: time)
      }
      if !result.transformResults.isEmpty {
        writer.append(",\"transformResults\":[")
        for (index, value) in result.transformResults.enumerated() {
          if index > 0 { writer.append(",") }
          writer.append(json: JSON.encodeTyped(value))
        }
        writer.append("]")
      }
      writer.append("}")
    }
    writer.append("]")
  }

  /// An id as Firestore makes them: 20 letters and digits.
  private static func newID() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<20).map { _ in letters[Int.random(in: 0..<letters.count)] })
  }
}
