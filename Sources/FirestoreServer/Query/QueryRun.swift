import SluiceCore

/// The documents a query finds, in its order.
struct QueryRun {
  let query: Query
  let database: Database
  /// The time of the snapshot; nil for now.
  let time: Int64?

  /// A document with the values that order it.
  private struct Row {
    var document: Snapshot
    var values: [Value]
  }

  /// What a query found.
  struct Result: Sendable {
    var documents: [Snapshot] = []
    /// How many documents the offset left out.
    var skipped = 0
  }

  func result() -> Result {
    if let result = resultByName() { return result }
    var rows = candidates()
    rows.sort { compare($0, $1) < 0 }
    let rest = rows.dropFirst(query.offset)
    let documents = (query.limit.map { rest.prefix($0) } ?? rest).map(\.document)
    return Result(documents: documents, skipped: rows.count - rest.count)
  }

  /// The quick way: one collection in the order of names is walked from the cursor on.
  private func resultByName() -> Result? {
    guard query.orders == [.byName], let id = query.source.collection, !query.source.allDescendants else { return nil }
    guard let collection = database.collections[query.source.parent.appending(id)] else { return Result() }
    var result = Result()
    for position in startPosition(in: collection)..<collection.positions.upperBound {
      if let limit = query.limit, result.documents.count >= limit { break }
      guard let document = collection.document(atPosition: position, at: time) else { continue }
      if !isInRange(Row(document: document, values: [])) {
        // Behind the end nothing follows; before the start something may, where the cursor's path is not of this
        // collection.
        if isBehindEnd(Row(document: document, values: [])) { break }
        continue
      }
      if let filter = query.filter, !filter.matches(document) { continue }
      if result.skipped < query.offset { result.skipped += 1 } else { result.documents.append(document) }
    }
    return result
  }

  private func startPosition(in collection: DocumentCollection) -> Int {
    guard let start = query.start, case .name(let path)? = start.parts.first, path.parent == collection.path else {
      return 0
    }
    return collection.position(of: path.last, after: !start.isBefore)
  }

  private func candidates() -> [Row] {
    let fields = query.orders.compactMap(\.field)
    var rows: [Row] = []
    for (path, collection) in database.collections where query.source.includes(path) {
      for position in collection.positions {
        guard let document = collection.document(atPosition: position, at: time) else { continue }
        if let filter = query.filter, !filter.matches(document) { continue }
        let values = fields.compactMap { document.fields?[$0] }
        let row = Row(document: document, values: values)
        // A document that lacks a field of the order is not in the result.
        if values.count == fields.count, isInRange(row) { rows.append(row) }
      }
    }
    return rows
  }

  private func compare(_ a: Row, _ b: Row) -> Int {
    var next = 0
    for order in query.orders {
      let sign: Int
      if order.field == nil {
        sign = compareNames(a.document, b.document)
      } else {
        sign = ValueOrder.compare(a.values[next], b.values[next])
        next += 1
      }
      if sign != 0 { return order.isDescending ? -sign : sign }
    }
    return 0
  }

  private func compareNames(_ a: Snapshot, _ b: Snapshot) -> Int {
    a.collection == b.collection ? ValueOrder.sign(a.id, b.id) : ValueOrder.sign(a.path, b.path)
  }

  private func isInRange(_ row: Row) -> Bool {
    if let start = query.start {
      let sign = compare(row, start)
      if sign < 0 || (sign == 0 && !start.isBefore) { return false }
    }
    return !isBehindEnd(row)
  }

  private func isBehindEnd(_ row: Row) -> Bool {
    guard let end = query.end else { return false }
    let sign = compare(row, end)
    return sign > 0 || (sign == 0 && end.isBefore)
  }

  /// Where a document lies against a cursor, by as many orders as the cursor has values.
  private func compare(_ row: Row, _ cursor: Cursor) -> Int {
    var next = 0
    for (order, part) in zip(query.orders, cursor.parts) {
      let sign: Int
      switch part {
      case .name(let path): sign = ValueOrder.sign(row.document.path, path)
      case .value(let value):
        sign = ValueOrder.compare(row.values[next], value)
        next += 1
      }
      if sign != 0 { return order.isDescending ? -sign : sign }
    }
    return 0
  }
}
