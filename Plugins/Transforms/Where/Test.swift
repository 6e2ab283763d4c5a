import SluiceCore

/// One operator with its literal.
enum Test: Sendable {
  case equal(Operand)
  case notEqual(Operand)
  case less(Operand)
  case lessOrEqual(Operand)
  case greater(Operand)
  case greaterOrEqual(Operand)
  case oneOf([Operand])
  case exists(Bool)
  case kind(KindSet)

  /// Whether it looks into a list or map.
  var needsContent: Bool {
    switch self {
    case .equal(let operand), .notEqual(let operand): operand.isContainer
    case .oneOf(let operands): operands.contains(where: \.isContainer)
    default: false
    }
  }

  /// Whether it holds for a field that is not there.
  var holdsWhereMissing: Bool {
    switch self {
    case .notEqual: true
    case .exists(let wanted): !wanted
    default: false
    }
  }

  /// Whether it holds for a scalar.
  func holds(for scalar: Scalar) -> Bool {
    switch self {
    case .equal(let operand): return operand.order(of: scalar) == .same
    case .notEqual(let operand): return operand.order(of: scalar) != .same
    case .less(let operand): return operand.order(of: scalar) == .before
    case .greater(let operand): return operand.order(of: scalar) == .after
    case .lessOrEqual(let operand):
      let order = operand.order(of: scalar)
      return order == .before || order == .same
    case .greaterOrEqual(let operand):
      let order = operand.order(of: scalar)
      return order == .after || order == .same
    case .oneOf(let operands):
      for operand in operands where operand.order(of: scalar) == .same { return true }
      return false
    case .exists(let wanted): return wanted
    case .kind(let kinds): return kinds.contains(scalar.kind)
    }
  }

  /// Whether it holds for every container of a kind, compared with literals that are none.
  func holds(forAnyOf kind: KindName) -> Bool {
    switch self {
    case .notEqual: true
    case .exists(let wanted): wanted
    case .kind(let kinds): kinds.contains(kind)
    default: false
    }
  }

  /// Whether it holds for a list, map, vector or geo point.
  func holds(for container: Value) -> Bool {
    switch self {
    case .equal(let operand): return operand.equals(container)
    case .notEqual(let operand): return !operand.equals(container)
    case .oneOf(let operands): return operands.contains { $0.equals(container) }
    default:
      var visitor = TestVisitor([self])
      container.visit(&visitor)
      return visitor.holds
    }
  }

  /// What is wrong with the literal, as the end of a sentence, with what to do.
  var problem: (message: String, hint: String)? {
    switch self {
    case .equal(let operand), .notEqual(let operand):
      return operand.isNaN ? Self.nanProblem : nil
    case .oneOf(let operands):
      return operands.contains(where: \.isNaN) ? Self.nanProblem : nil
    case .less(let operand), .lessOrEqual(let operand), .greater(let operand), .greaterOrEqual(let operand):
      if operand.isNaN { return Self.nanProblem }
      if operand.isOrdered { return nil }
      return ("compares with a value that has no order", "compare with a number, a text or a time; use eq for others")
    case .exists, .kind: return nil
    }
  }

  private static let nanProblem = (
    message: "compares with NaN, which never holds",
    hint: "NaN is a double for which le: .inf does not hold"
  )
}
