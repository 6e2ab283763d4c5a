import SluiceCore

/// Sets fields to constant values.
///
/// A field that is there is replaced in its place; another is added at the end, with the maps that are missing on the
/// way. A document where something that is no map stands in the way is rejected. A name without a document stays as it
/// is.
public struct SetFields: Transform {
  /// The settings.
  public struct Config: Configurable {
    /// Paths with their values.
    public var fields = ConfigMap<Value>()
    /// Nothing to set.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Sets fields to constant values. Maps that are missing on the way are made.",
      [
        Setting(
          "fields", \.fields, "Paths of the fields, each with its value as YAML reads it.", required: true,
          examples: ["{origin: import, flags.checked: true}"])
      ], check: { SetFields.check($0.fields.entries, $1, &$2) })
  }

  /// `set`.
  public static let name = "set"
  /// For `sluice components`.
  public static let summary = "Sets fields to constant values."

  private let settings: [(path: FieldPath, value: Value)]

  /// A transform with these settings. Throws `invalid_configuration` for a value that no document can hold.
  public init(_ config: Config) throws {
    settings = try config.fields.entries.map { (path: try FieldPath(parsing: $0.key), value: $0.value) }
    for setting in settings { try Self.checkValue(setting.value, of: setting.path) }
  }

  /// Sets the fields.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try batch.edit { document in
      if document.header.isMissing { return true }
      return document.rejecting(into: &rejections) { document throws(SluiceError) in
        for setting in settings { try document.set(setting.path, to: setting.value) }
      }
    }
  }

  private static func checkValue(_ value: Value, of path: FieldPath) throws {
    var builder = BatchBuilder()
    builder.add(key: Key(""), [Field("", value)])
    do { _ = try builder.finish() } catch {
      throw SluiceError(.invalidConfiguration, "\(path): \(error.message)", hint: error.hint)
    }
  }

  private static func check(
    _ entries: [ConfigMap<Value>.Entry], _ marks: ConfigMarks, _ diagnostics: inout Diagnostics
  ) {
    if entries.isEmpty {
      diagnostics.error("empty_list", "fields names no field", at: marks.place(of: "fields"), hint: "name at least one")
    }
    var paths: [(path: FieldPath, mark: Mark)] = []
    for entry in entries {
      do {
        let path = try FieldPath(parsing: entry.key)
        if let other = paths.first(where: { $0.path.overlaps(path) }) {
          diagnostics.error(
            "ambiguous_value", "\(other.path) and \(path) set the same place", at: entry.mark,
            hint: "write the map as one value", notes: [Diagnostic.Note("the first one", at: other.mark)])
        }
        diagnostics.warn(ofPath: path, at: entry.mark)
        paths.append((path, entry.mark))
      } catch {
        diagnostics.error("wrong_type", error.message, at: entry.mark, hint: error.hint)
      }
    }
  }
}

extension FieldPath {
  /// Whether one path leads to the other's place or into it.
  fileprivate func overlaps(_ other: FieldPath) -> Bool {
    zip(segments, other.segments).allSatisfy { $0 == $1 }
  }
}

extension FieldsEditor {
  /// Runs an edit. Where it cannot be done because of the document's content, adds a rejection and returns false.
  mutating func rejecting(
    into rejections: inout [Rejection], _ edit: (inout FieldsEditor) throws(SluiceError) -> Void
  ) -> Bool {
    do {
      try edit(&self)
      return true
    } catch {
      rejections.append(Rejection(key, error))
      return false
    }
  }
}
