import SluiceCore

/// What a query asks for, read and checked.
struct Query: Sendable {
  /// Where the documents come from.
  var source: Source
  /// Which of them.
  var filter: Filter?
  /// Their order, with what Firestore adds to it; the name is always last.
  var orders: [Order] = [.byName]
  /// Where to begin.
  var start: Cursor?
  /// Where to end.
  var end: Cursor?
  /// How many to leave out.
  var offset = 0
  /// How many at most.
  var limit: Int?
  /// Which fields to show; nil for all.
  var mask: [FieldPath]?

  /// A set of collections.
  struct Source: Sendable, Hashable {
    /// A document or the root.
    var parent: ResourcePath
    /// The collection's id; nil for any.
    var collection: Segment?
    /// Whether collections at any depth below `parent` count, or only those directly below.
    var allDescendants = false

    func includes(_ path: ResourcePath) -> Bool {
      guard path.starts(with: parent), collection == nil || path.last == collection else { return false }
      return allDescendants || path.segments.count == parent.segments.count + 1
    }
  }
}

/// One part of an order.
struct Order: Sendable, Hashable {
  /// The field; nil for the document's name.
  var field: FieldPath?
  var isDescending = false

  static let byName = Order(field: nil)

  /// The orders that were asked for, then those Firestore adds: fields that an inequality is on, by their names, then
  /// the document's name; in the direction of the last one asked for.
  static func complete(_ orders: [Order], inequalities: [FieldPath]) -> [Order] {
    if orders.contains(where: { $0.field == nil }) { return orders }
    let isDescending = orders.last?.isDescending ?? false
    var result = orders
    let sorted = inequalities.sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
    for field in sorted where !result.contains(where: { $0.field == field }) {
      result.append(Order(field: field, isDescending: isDescending))
    }
    return result + [Order(field: nil, isDescending: isDescending)]
  }

  /// Throws where a field comes twice, or after the name.
  static func check(_ orders: [Order]) throws(StatusError) {
    for (index, order) in orders.enumerated() {
      if orders[..<index].contains(where: { $0.field == order.field }) {
        throw .invalid("order by clause cannot contain duplicate fields \(order.field?.description ?? "__name__")")
      }
      if index > 0, orders[index - 1].field == nil {
        throw .invalid("order by clause cannot contain more fields after the key")
      }
    }
  }
}

/// A place in the order of a query's results.
struct Cursor: Sendable {
  /// Values for the first orders of the query.
  var parts: [Part]
  /// Whether the place is just before the documents that have these values, or just after.
  var isBefore: Bool

  enum Part: Sendable {
    case value(Value)
    case name(ResourcePath)
  }
}
