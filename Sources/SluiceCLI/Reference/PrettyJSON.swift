import SluiceCore
import SluiceJSON

/// JSON for people to read and to compare: indented, what is short on one line.
enum PrettyJSON {
  private static let width = 110

  /// The text of a value, ending in a line break.
  static func text(_ value: Value) -> String { write(value, indent: 0) + "\n" }

  private static func write(_ value: Value, indent: Int) -> String {
    let short = flat(value)
    if short.utf8.count + indent <= width { return short }
    let inner = String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch value {
    case .map(let fields):
      let lines = fields.map { "\(inner)\(JSON.text(.string($0.name))): \(write($0.value, indent: indent + 2))" }
      return "{\n" + lines.joined(separator: ",\n") + end + "}"
    case .array(let items):
      return "[\n" + items.map { inner + write($0, indent: indent + 2) }.joined(separator: ",\n") + end + "]"
    default: return short
    }
  }

  private static func flat(_ value: Value) -> String {
    switch value {
    case .map(let fields) where !fields.isEmpty:
      "{ \(fields.map { "\(JSON.text(.string($0.name))): \(flat($0.value))" }.joined(separator: ", ")) }"
    case .array(let items): "[\(items.map(flat).joined(separator: ", "))]"
    default: JSON.text(value)
    }
  }
}
