import SluiceCore

/// Keeps the documents for which a condition holds, and leaves the others out. See `Condition` for what holds when.
public struct Where: Transform {
  /// The condition.
  public typealias Config = Condition
  /// `where`.
  public static let name = "where"
  /// For `sluice components`.
  public static let summary = "Keeps the documents for which a condition on their fields holds."

  private let predicate: Predicate

  /// A transform with this condition. Throws `invalid_configuration` for one that `check` refuses.
  public init(_ config: Condition) throws { predicate = try Predicate(config) }

  /// Leaves out the documents for which the condition does not hold.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try batch.edit { predicate.holds(for: $0) }
  }
}
