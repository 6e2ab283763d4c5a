import SluiceCore

/// Gives fields other names, in their place.
///
/// A field stays in its map and keeps its position. A field that had the new name before is removed. Where a path leads
/// nowhere, nothing happens, and a field that has the new name stays.
public struct Rename: Transform {
  /// The settings.
  public struct Config: Configurable {
    /// Paths with the new name of their last segment.
    public var fields = ConfigMap<NewName>()
    /// Nothing to rename.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Gives fields other names. A field keeps its place; one that had the new name before is removed.",
      [
        Setting(
          "fields", \.fields, "Paths of the fields, each with the new name of its last segment.", required: true,
          examples: ["{userName: user_name, address.zip: postcode}"])
      ], check: { Rename.check($0.fields.entries, $1, &$2) })
  }

  /// A name that a field gets.
  public struct NewName: ConfigValue {
    /// The name.
    public var name: FieldName

    /// Text.
    public static var configType: ConfigType { .string }

    /// Reads a path of one segment: a name that holds a dot stands between backticks.
    public static func decode(
      _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
    ) -> NewName? {
      guard let path = FieldPath.decode(node, in: context, into: &diagnostics) else { return nil }
      if path.segments.count == 1 { return NewName(name: path.segments[0]) }
      context.wrongType(
        node, expected: "a name",
        hint: "a field stays in its map: write the last name only, or copy and drop the field",
        into: &diagnostics)
      return nil
    }

    /// The name.
    public var configText: String? { FieldPath(name).description }
  }

  /// `rename`.
  public static let name = "rename"
  /// For `sluice components`.
  public static let summary = "Gives fields other names, in their place."

  private let renames: [(path: FieldPath, name: FieldName)]

  /// A transform with these settings. Throws `invalid_configuration` for a key that is not a path.
  public init(_ config: Config) throws {
    renames = try config.fields.entries.map { (path: try FieldPath(parsing: $0.key), name: $0.value.name) }
  }

  /// Renames the fields.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try batch.edit {
      for rename in renames { $0.rename(rename.path, to: rename.name) }
      return true
    }
  }
}

extension Rename {
  /// Refuses what depends on the order of the renames: two fields that get one name, and a name that is given and taken.
  private static func check(
    _ entries: [ConfigMap<NewName>.Entry], _ marks: ConfigMarks, _ diagnostics: inout Diagnostics
  ) {
    if entries.isEmpty {
      diagnostics.error("empty_list", "fields names no field", at: marks.place(of: "fields"), hint: "name at least one")
    }
    var renames: [(old: FieldPath, new: FieldPath, mark: Mark)] = []
    for entry in entries {
      do {
        let old = try FieldPath(parsing: entry.key)
        guard let new = FieldPath(segments: old.segments.dropLast() + [entry.value.name]) else { continue }
        diagnostics.warn(ofPath: old, at: entry.mark)
        renames.append((old, new, entry.mark))
      } catch {
        diagnostics.error("wrong_type", error.message, at: entry.mark, hint: error.hint)
      }
    }
    for (index, rename) in renames.enumerated() {
      if let first = renames[..<index].first(where: { $0.new == rename.new }) {
        diagnostics.error(
          "ambiguous_value", "\(first.old) and \(rename.old) both become \(rename.new)", at: rename.mark,
          notes: [Diagnostic.Note("the first one", at: first.mark)])
      }
      if let other = renames.first(where: { $0.old == rename.new && $0.old != rename.old }) {
        diagnostics.error(
          "ambiguous_value", "\(rename.old) becomes \(rename.new), which is renamed too", at: rename.mark,
          hint: "write two rename transforms, in the order you mean",
          notes: [Diagnostic.Note("here", at: other.mark)])
      }
    }
  }
}
