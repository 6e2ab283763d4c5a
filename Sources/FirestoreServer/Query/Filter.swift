import SluiceCore

/// A condition on documents.
indirect enum Filter: Sendable {
  case all([Filter])
  case any([Filter])
  case field(FieldPath, Comparison, Value)
  case name(Comparison, [ResourcePath])
  case unary(FieldPath, Unary)

  enum Comparison: String, Sendable {
    case lessThan = "LESS_THAN"
    case lessThanOrEqual = "LESS_THAN_OR_EQUAL"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEqual = "GREATER_THAN_OR_EQUAL"
    case equal = "EQUAL"
    case notEqual = "NOT_EQUAL"
    case arrayContains = "ARRAY_CONTAINS"
    case `in` = "IN"
    case arrayContainsAny = "ARRAY_CONTAINS_ANY"
    case notIn = "NOT_IN"

    /// Names in the order of their numbers in the protocol, from 1.
    static let names = [
      "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "EQUAL", "NOT_EQUAL",
      "ARRAY_CONTAINS", "IN", "ARRAY_CONTAINS_ANY", "NOT_IN",
    ]

    /// Whether the operand is a list.
    var takesList: Bool { self == .in || self == .notIn || self == .arrayContainsAny }

    var isInequality: Bool {
      switch self {
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
      case .equal, .arrayContains, .in, .arrayContainsAny: false
      }
    }

    /// Whether an order of −1, 0 or 1 against the operand is what an ordering comparison asks for.
    func accepts(_ order: Int) -> Bool {
      switch self {
      case .lessThan: order < 0
      case .lessThanOrEqual: order <= 0
      case .greaterThan: order > 0
      case .greaterThanOrEqual: order >= 0
      case .notEqual: order != 0
      default: order == 0
      }
    }
  }

  enum Unary: String, Sendable {
    case isNaN = "IS_NAN"
    case isNull = "IS_NULL"
    case isNotNaN = "IS_NOT_NAN"
    case isNotNull = "IS_NOT_NULL"

    /// Names in the order of their numbers in the protocol, from 2.
    static let names = ["IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"]
  }
}

extension Filter {
  /// The fields that an inequality is on.
  var inequalities: [FieldPath] {
    switch self {
    case .all(let filters), .any(let filters): filters.flatMap(\.inequalities)
    case .field(let path, let comparison, _): comparison.isInequality ? [path] : []
    case .unary(let path, let unary): unary == .isNotNaN || unary == .isNotNull ? [path] : []
    case .name: []
    }
  }

  func matches(_ document: Snapshot) -> Bool {
    switch self {
    case .all(let filters): filters.allSatisfy { $0.matches(document) }
    case .any(let filters): filters.contains { $0.matches(document) }
    case .field(let path, let comparison, let operand):
      document.fields?[path].map { Self.holds($0, comparison, operand) } ?? false
    case .name(let comparison, let paths): Self.holds(document.path, comparison, paths)
    case .unary(let path, let unary): document.fields?[path].map { Self.holds($0, unary) } ?? false
    }
  }

  private static func holds(_ value: Value, _ comparison: Comparison, _ operand: Value) -> Bool {
    switch comparison {
    case .equal: isEqual(value, operand)
    case .notEqual: value != .null && operand != .null && !isEqual(value, operand)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      isComparable(operand) && isComparable(value) && ValueOrder.rank(value) == ValueOrder.rank(operand)
        && comparison.accepts(ValueOrder.compare(value, operand))
    case .arrayContains: items(value).contains { isEqual($0, operand) }
    case .arrayContainsAny: items(value).contains { item in items(operand).contains { isEqual(item, $0) } }
    case .in: items(operand).contains { isEqual(value, $0) }
    case .notIn:
      value != .null && !items(operand).contains(.null) && !items(operand).contains { isEqual(value, $0) }
    }
  }

  private static func holds(_ path: ResourcePath, _ comparison: Comparison, _ paths: [ResourcePath]) -> Bool {
    switch comparison {
    case .in: paths.contains(path)
    case .notIn: !paths.contains(path)
    default: comparison.accepts(ValueOrder.sign(path, paths[0]))
    }
  }

  private static func holds(_ value: Value, _ unary: Unary) -> Bool {
    switch unary {
    case .isNaN: isNaN(value)
    case .isNull: value == .null
    case .isNotNaN: value != .null && !isNaN(value)
    case .isNotNull: value != .null
    }
  }

  /// Equal in Firestore's order; null and NaN are equal to nothing (there are unary filters for them).
  private static func isEqual(_ a: Value, _ b: Value) -> Bool {
    isComparable(a) && isComparable(b) && ValueOrder.compare(a, b) == 0
  }

  private static func isComparable(_ value: Value) -> Bool { value != .null && !isNaN(value) }

  private static func isNaN(_ value: Value) -> Bool {
    if case .double(let number) = value { number.isNaN } else { false }
  }

  private static func items(_ value: Value) -> [Value] { if case .array(let items) = value { items } else { [] } }
}
