import SluiceCore

/// Reads the writes of `commit` and `batchWrite`, and the parts of them that other methods have.
struct WriteReader {
  let database: DatabaseName

  /// Firestore's old limit, kept: clients stay below it.
  static let maximumWrites = 500

  private static let names = [
    "update", "delete", "verify", "transform", "updateMask", "updateTransforms", "currentDocument",
  ]

  func writes(_ items: [Value]) throws(StatusError) -> [Write] {
    if items.count > Self.maximumWrites {
      throw .invalid("maximum \(Self.maximumWrites) writes allowed per request")
    }
    var writes: [Write] = []
    for (index, item) in items.enumerated() { writes.append(try write(item, at: "writes[\(index)]")) }
    return writes
  }

  private func write(_ json: Value, at place: String) throws(StatusError) -> Write {
    let message = try Message(json, at: place, allowing: Self.names)
    var write = try operation(message)
    write.precondition = try precondition(message)
    if case .verify = write.operation, write.precondition == .none {
      throw .invalid("a verify must contain a precondition")
    }
    for item in try message.array("updateTransforms") {
      write.transforms.append(try transform(item, at: message.place("updateTransforms")))
    }
    if case .update = write.operation { return write }
    if message.value("updateMask") != nil || !write.transforms.isEmpty {
      throw .invalid("update_mask and update_transforms can only be set on an update")
    }
    return write
  }

  private func operation(_ message: Message) throws(StatusError) -> Write {
    switch try message.only(of: ["update", "delete", "verify", "transform"]) {
    case "update":
      let document = try Message(message.value("update") ?? .null, at: message.place("update"), allowing: Self.document)
      let mask = try message.message("updateMask", allowing: ["fieldPaths"]).map { mask throws(StatusError) in
        try Self.mask(try mask.strings("fieldPaths"))
      }
      let fields = try TypedValueReader.fields(try document.map("fields"))
      return Write(path: try path(try document.string("name") ?? ""), operation: .update(fields, mask: mask))
    case "delete": return Write(path: try path(try message.string("delete") ?? ""), operation: .delete)
    case "verify": return Write(path: try path(try message.string("verify") ?? ""), operation: .verify)
    case "transform": return try transformOnly(message)
    default: throw .invalid("empty write operation")
    }
  }

  /// The members of a document in a request; the times are ignored.
  static let document = ["name", "fields", "createTime", "updateTime"]

  /// The old form of a write that only transforms: an update of no fields.
  private func transformOnly(_ message: Message) throws(StatusError) -> Write {
    let names = ["document", "fieldTransforms"]
    guard let transform = try message.message("transform", allowing: names) else {
      throw .invalid("empty write operation")
    }
    let path = try path(try transform.string("document") ?? "")
    var write = Write(path: path, operation: .update([], mask: []))
    for item in try transform.array("fieldTransforms") {
      write.transforms.append(try self.transform(item, at: transform.place("fieldTransforms")))
    }
    return write
  }

  static func mask(_ texts: [String]) throws(StatusError) -> [FieldPath] {
    let paths = try [FieldPath](firestore: texts)
    if paths.contains(where: \.isName) { throw .invalid("field name '__name__' is reserved.") }
    return paths
  }

  private func path(_ text: String) throws(StatusError) -> ResourcePath {
    let name = try ResourceName.document(text)
    guard name.database == database else {
      throw .invalid("Document name \"\(text)\" is not of the database \(database.text).")
    }
    return name.path
  }

  private func precondition(_ message: Message) throws(StatusError) -> Write.Precondition {
    guard let current = try message.message("currentDocument", allowing: ["exists", "updateTime"]) else { return .none }
    return try Self.precondition(exists: try current.bool("exists"), updateTime: try current.timestamp("updateTime"))
  }

  static func precondition(exists: Bool?, updateTime: Timestamp?) throws(StatusError) -> Write.Precondition {
    switch (exists, updateTime) {
    case (nil, nil): return .none
    case (let exists?, nil): return .exists(exists)
    case (nil, let time?):
      guard time.nanoseconds % 1000 == 0 else {
        throw .invalid("timestamp cannot have more than microseconds precision")
      }
      return .updateTime(Microseconds.of(time))
    default: throw .invalid("A precondition has exists or updateTime, not both.")
    }
  }

  private static let transforms = [
    "setToServerValue", "increment", "maximum", "minimum", "appendMissingElements", "removeAllFromArray",
  ]

  private func transform(_ json: Value, at place: String) throws(StatusError) -> FieldTransform {
    let message = try Message(json, at: place, allowing: ["fieldPath"] + Self.transforms)
    let path = try FieldPath(firestore: try message.string("fieldPath") ?? "")
    if path.isName { throw .invalid("field name '__name__' is reserved.") }
    guard let kind = try message.only(of: Self.transforms) else { throw .invalid("empty transform of '\(path)'") }
    switch kind {
    case "setToServerValue":
      let name = try message.enumeration(kind, ["REQUEST_TIME"], first: 1)
      guard name != nil else { throw message.mismatch(kind, "REQUEST_TIME") }
      return FieldTransform(path: path, operation: .requestTime)
    case "increment": return FieldTransform(path: path, operation: .increment(try number(message, kind)))
    case "maximum": return FieldTransform(path: path, operation: .maximum(try number(message, kind)))
    case "minimum": return FieldTransform(path: path, operation: .minimum(try number(message, kind)))
    default:
      let items = try list(message, kind)
      return FieldTransform(
        path: path, operation: kind == "appendMissingElements" ? .appendMissing(items) : .removeAll(items))
    }
  }

  private func number(_ message: Message, _ name: String) throws(StatusError) -> Value {
    let value = try TypedValueReader.value(message.value(name) ?? .null, at: message.place(name))
    switch value {
    case .int, .double: return value
    default: throw .invalid("Input must be int64 or double.")
    }
  }

  private func list(_ message: Message, _ name: String) throws(StatusError) -> [Value] {
    guard let list = try message.message(name, allowing: ["values"]) else { return [] }
    var items: [Value] = []
    for item in try list.array("values") {
      items.append(try TypedValueReader.value(item, at: list.place, inArray: true))
    }
    return items
  }
}
