import SluiceCore

/// One write of a commit, read and checked.
struct Write: Sendable {
  var path: ResourcePath
  var operation: Operation
  var precondition = Precondition.none
  /// Applied after the operation, in order.
  var transforms: [FieldTransform] = []

  enum Operation: Sendable {
    /// Replaces the fields, or with a mask only those it names.
    case update([Field], mask: [FieldPath]?)
    case delete
    /// Only looks at the precondition.
    case verify
  }

  enum Precondition: Sendable, Equatable {
    case none
    case exists(Bool)
    case updateTime(Int64)
  }
}

/// What a write made.
struct WriteResult: Sendable {
  /// Nil for a delete.
  var updateTime: Int64?
  var transformResults: [Value] = []
}

/// A change that the server works out from the value it holds.
struct FieldTransform: Sendable {
  var path: FieldPath
  var operation: Operation

  enum Operation: Sendable {
    case requestTime
    case increment(Value)
    case maximum(Value)
    case minimum(Value)
    case appendMissing([Value])
    case removeAll([Value])
  }

  /// The value that the field gets, and the result that the client is told.
  func apply(to old: Value?, requestTime: Int64) -> (value: Value, result: Value) {
    switch operation {
    case .requestTime:
      // Milliseconds, as Firestore's own.
      let value = Value.timestamp(Microseconds.timestamp(requestTime / 1000 * 1000))
      return (value, value)
    case .increment(let operand): return both(Self.sum(old, operand))
    case .maximum(let operand):
      return both(Self.isNumber(old).map { ValueOrder.compare($0, operand) < 0 ? operand : $0 } ?? operand)
    case .minimum(let operand):
      return both(Self.isNumber(old).map { ValueOrder.compare($0, operand) > 0 ? operand : $0 } ?? operand)
    case .appendMissing(let items):
      var list = Self.items(old)
      for item in items where !list.contains(where: { ValueOrder.compare($0, item) == 0 }) { list.append(item) }
      return (.array(list), .null)
    case .removeAll(let items):
      let list = Self.items(old).filter { element in !items.contains { ValueOrder.compare($0, element) == 0 } }
      return (.array(list), .null)
    }
  }

  private func both(_ value: Value) -> (value: Value, result: Value) { (value, value) }

  private static func items(_ value: Value?) -> [Value] { if case .array(let items)? = value { items } else { [] } }

  private static func isNumber(_ value: Value?) -> Value? {
    switch value {
    case .int?, .double?: value
    default: nil
    }
  }

  /// A sum of whole numbers stays within 64 bits; of others it is a double.
  private static func sum(_ old: Value?, _ operand: Value) -> Value {
    switch (old, operand) {
    case (.int(let a)?, .int(let b)):
      let (sum, overflow) = a.addingReportingOverflow(b)
      return .int(overflow ? (b > 0 ? .max : .min) : sum)
    case (.int(let a)?, .double(let b)): return .double(Double(a) + b)
    case (.double(let a)?, .int(let b)): return .double(a + Double(b))
    case (.double(let a)?, .double(let b)): return .double(a + b)
    default: return operand
    }
  }
}
