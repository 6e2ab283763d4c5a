import SluiceCore

/// A table's name, and those of what belongs to it, quoted for SQL.
struct TableName: Sendable, Hashable {
  /// The name, as the configuration writes it.
  let text: String

  init(_ text: String) { self.text = text }

  /// For SQL: in quotes, with the quotes of the name doubled.
  var quoted: String { Self.quoted(text) }

  /// The stage of a generation.
  func stage(_ generation: UInt64) -> TableName { TableName("\(text)\(Self.stageMark)\(generation)") }

  /// Whether a table is a stage of this one. SQLite does not tell ASCII letters apart by case.
  func hasStage(_ name: String) -> Bool {
    let prefix = Self.folded(text + Self.stageMark)
    let name = Self.folded(name)
    return name.starts(with: prefix) && name.dropFirst(prefix.count).allSatisfy { (0x30...0x39).contains($0) }
  }

  private static let stageMark = "__sluice_stage_"

  private static func quoted(_ name: String) -> String {
    var result = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  /// What is wrong with a name of the user's; nil where nothing is.
  static func fault(in name: String) -> String? {
    if name.isEmpty { return "a table needs a name" }
    if name.utf8.contains(0) { return "a table's name cannot hold NUL" }
    let folded = Self.folded(name)
    for reserved in ["sqlite_", "_sluice_"] where folded.starts(with: reserved.utf8) {
      return "names that begin with \(reserved) are reserved"
    }
    return nil
  }
}
