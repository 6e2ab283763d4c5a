import SluiceCore

/// Keeps only some fields.
///
/// A path keeps what lies at its end, with the maps on the way to it. A path that leads nowhere keeps nothing.
public struct Keep: Transform {
  /// The settings.
  public struct Config: Configurable {
    /// What is kept.
    public var fields: [FieldPath] = []
    /// No fields.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Keeps only these fields of each document, in the order of the document.",
      [pathsSetting(\.fields, "Paths of the fields to keep.")], check: { checkPaths($0.fields, $1, &$2) })
  }

  /// `keep`.
  public static let name = "keep"
  /// For `sluice components`.
  public static let summary = "Keeps only the fields that are named."

  private let paths: [FieldPath]

  /// A transform with these settings.
  public init(_ config: Config) { paths = config.fields }

  /// Removes the other fields.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try batch.edit {
      $0.keep(only: paths)
      return true
    }
  }
}

/// The setting of the transforms that name fields.
func pathsSetting<Root>(
  _ path: WritableKeyPath<Root, [FieldPath]> & Sendable, _ doc: String
) -> Setting<Root> {
  Setting("fields", path, doc, required: true, examples: ["[password, address.street]"])
}

/// An empty list is a slip: to keep all or nothing is not what anybody adds a transform for. A path that leads nowhere
/// is one, too.
func checkPaths(_ paths: [FieldPath], _ marks: ConfigMarks, _ diagnostics: inout Diagnostics) {
  for path in paths { diagnostics.warn(ofPath: path, at: marks.place(of: "fields")) }
  guard paths.isEmpty else { return }
  diagnostics.error("empty_list", "fields names no field", at: marks.place(of: "fields"), hint: "name at least one")
}
