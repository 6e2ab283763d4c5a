import SluiceCore

/// Reads a `structuredQuery` of Firestore's REST interface.
struct QueryReader {
  let database: DatabaseName
  let parent: ResourcePath

  private static let names = [
    "select", "from", "where", "orderBy", "startAt", "endAt", "offset", "limit", "findNearest",
  ]

  func query(_ json: Value, at place: String = "structuredQuery") throws(StatusError) -> Query {
    let message = try Message(json, at: place, allowing: Self.names)
    if message.value("findNearest") != nil { throw StatusError(.unimplemented, "findNearest is not supported here.") }
    var query = Query(source: try source(message))
    query.filter = try message.value("where").map { value throws(StatusError) in
      try filter(value, at: message.place("where"))
    }
    let orders = try orders(message)
    query.orders = Order.complete(orders, inequalities: query.filter?.inequalities ?? [])
    query.start = try cursor(message, "startAt", orders)
    query.end = try cursor(message, "endAt", orders)
    query.offset = try count(message, "offset") ?? 0
    query.limit = try count(message, "limit")
    query.mask = try projection(message)
    return query
  }

  private func source(_ message: Message) throws(StatusError) -> Query.Source {
    let selectors = try message.array("from")
    if selectors.count > 1 { throw .invalid("StructuredQuery.from cannot have more than one collection selector.") }
    var source = Query.Source(parent: parent, collection: nil)
    guard let first = selectors.first else { return source }
    let selector = try Message(first, at: message.place("from"), allowing: ["collectionId", "allDescendants"])
    source.allDescendants = try selector.bool("allDescendants") ?? false
    if let id = try selector.string("collectionId"), !id.isEmpty {
      let segment = Segment(id)
      try segment.validate()
      source.collection = segment
    }
    return source
  }

  private func count(_ message: Message, _ name: String) throws(StatusError) -> Int? {
    guard let number = try message.int(name) else { return nil }
    guard number <= Int64(Int32.max) else { throw message.mismatch(name, "a 32-bit number") }
    if number < 0 { throw .invalid("\(name) is negative") }
    return Int(number)
  }

  private func projection(_ message: Message) throws(StatusError) -> [FieldPath]? {
    guard let select = try message.message("select", allowing: ["fields"]) else { return nil }
    var paths: [FieldPath] = []
    for field in try select.array("fields") { paths.append(try fieldPath(field, at: select.place("fields"))) }
    return paths
  }

  private func orders(_ message: Message) throws(StatusError) -> [Order] {
    var orders: [Order] = []
    for item in try message.array("orderBy") {
      let order = try Message(item, at: message.place("orderBy"), allowing: ["field", "direction"])
      guard let field = order.value("field") else { throw order.mismatch("field", "a field") }
      let path = try fieldPath(field, at: order.place("field"))
      let direction = try order.enumeration(
        "direction", ["DIRECTION_UNSPECIFIED", "ASCENDING", "DESCENDING"], first: 0)
      orders.append(Order(field: path.isName ? nil : path, isDescending: direction == "DESCENDING"))
    }
    try Order.check(orders)
    return orders
  }

  private func cursor(_ message: Message, _ name: String, _ orders: [Order]) throws(StatusError) -> Cursor? {
    guard let cursor = try message.message(name, allowing: ["values", "before"]) else { return nil }
    let values = try cursor.array("values")
    if values.count > orders.count { throw .invalid("Cursor has too many values.") }
    var parts: [Cursor.Part] = []
    for (value, order) in zip(values, orders) {
      let value = try TypedValueReader.value(value, at: cursor.place("values"))
      if order.field == nil {
        guard case .reference(let name) = value else {
          throw .invalid("Cursor __name__ value is not a document reference.")
        }
        parts.append(.name(try path(name)))
      } else {
        parts.append(.value(value))
      }
    }
    return Cursor(parts: parts, isBefore: try cursor.bool("before") ?? false)
  }

  private func fieldPath(_ json: Value, at place: String) throws(StatusError) -> FieldPath {
    let reference = try Message(json, at: place, allowing: ["fieldPath"])
    return try FieldPath(firestore: try reference.string("fieldPath") ?? "")
  }

  /// The path of a document of this database.
  private func path(_ text: String) throws(StatusError) -> ResourcePath {
    let name = try ResourceName.document(text)
    guard name.database == database else { throw .invalid("Document name \"\(text)\" is not of this database.") }
    return name.path
  }
}

extension QueryReader {
  private func filter(_ json: Value, at place: String) throws(StatusError) -> Filter {
    let kinds = ["compositeFilter", "fieldFilter", "unaryFilter"]
    let message = try Message(json, at: place, allowing: kinds)
    switch try message.only(of: kinds) {
    case "compositeFilter": return try composite(message)
    case "fieldFilter": return try field(message)
    case "unaryFilter": return try unary(message)
    default: throw .invalid("Unknown Filter type.")
    }
  }

  private func composite(_ message: Message) throws(StatusError) -> Filter {
    guard let composite = try message.message("compositeFilter", allowing: ["op", "filters"]) else { return .all([]) }
    var filters: [Filter] = []
    for item in try composite.array("filters") { filters.append(try filter(item, at: composite.place("filters"))) }
    if filters.isEmpty { throw .invalid("A composite filter needs at least one filter.") }
    switch try composite.enumeration("op", ["AND", "OR"], first: 1) {
    case "AND": return .all(filters)
    case "OR": return .any(filters)
    default: throw .invalid("A composite filter needs an operator.")
    }
  }

  private func unary(_ message: Message) throws(StatusError) -> Filter {
    guard let unary = try message.message("unaryFilter", allowing: ["op", "field"]),
      let name = try unary.enumeration("op", Filter.Unary.names, first: 2), let op = Filter.Unary(rawValue: name),
      let field = unary.value("field")
    else { throw .invalid("A unary filter needs a field and an operator.") }
    return .unary(try fieldPath(field, at: unary.place("field")), op)
  }

  private func field(_ message: Message) throws(StatusError) -> Filter {
    guard let filter = try message.message("fieldFilter", allowing: ["field", "op", "value"]),
      let name = try filter.enumeration("op", Filter.Comparison.names, first: 1),
      let op = Filter.Comparison(rawValue: name), let field = filter.value("field"), let operand = filter.value("value")
    else { throw .invalid("A field filter needs a field, an operator and a value.") }
    let path = try fieldPath(field, at: filter.place("field"))
    let value = try TypedValueReader.value(operand, at: filter.place("value"))
    if op.takesList { try check(list: value, op) }
    if !path.isName { return .field(path, op, value) }
    guard op != .arrayContains, op != .arrayContainsAny else { throw .invalid("\(name) cannot be used on __name__.") }
    var paths: [ResourcePath] = []
    for item in items(value, op) {
      guard case .reference(let name) = item else {
        throw .invalid("__name__ filter value must be a document reference.")
      }
      paths.append(try self.path(name))
    }
    return .name(op, paths)
  }

  private func items(_ value: Value, _ op: Filter.Comparison) -> [Value] {
    if op.takesList, case .array(let items) = value { items } else { [value] }
  }

  private func check(list: Value, _ op: Filter.Comparison) throws(StatusError) {
    guard case .array(let items) = list else { throw .invalid("'\(op.rawValue)' requires an ArrayValue.") }
    if items.isEmpty { throw .invalid("'\(op.rawValue)' requires an non-empty ArrayValue.") }
    let limit = op == .notIn ? 10 : 30
    if items.count > limit { throw .invalid("'\(op.rawValue)' supports up to \(limit) comparison values.") }
  }
}
