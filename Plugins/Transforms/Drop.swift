import SluiceCore

/// Removes fields. Where a path leads nowhere, nothing happens.
public struct Drop: Transform {
  /// The settings.
  public struct Config: Configurable {
    /// What is removed.
    public var fields: [FieldPath] = []
    /// No fields.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Removes these fields from each document.", [pathsSetting(\.fields, "Paths of the fields to remove.")],
      check: { checkPaths($0.fields, $1, &$2) })
  }

  /// `drop`.
  public static let name = "drop"
  /// For `sluice components`.
  public static let summary = "Removes the fields that are named."

  private let paths: [FieldPath]

  /// A transform with these settings.
  public init(_ config: Config) { paths = config.fields }

  /// Removes the fields.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try batch.edit {
      for path in paths { $0.remove(path) }
      return true
    }
  }
}
