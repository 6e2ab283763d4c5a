import SluiceCore

/// The size of a document as Firestore counts it: name, field names and values, and 32 bytes.
enum DocumentSize {
  /// One MiB.
  static let maximum = 1_048_576

  /// Throws where the document is too large.
  static func check(_ path: ResourcePath, _ fields: [Field]) throws(StatusError) {
    let name = path.segments.reduce(16) { $0 + $1.text.utf8.count + 1 }
    if name + size(of: fields) + 32 > maximum { throw .invalid("maximum entity size is \(maximum) bytes") }
  }

  private static func size(of fields: [Field]) -> Int {
    fields.reduce(0) { $0 + $1.name.utf8.count + 1 + size(of: $1.value) }
  }

  private static func size(of value: Value) -> Int {
    switch value {
    case .null, .bool: 1
    case .int, .double, .timestamp: 8
    case .decimal(let text), .string(let text): text.utf8.count + 1
    case .bytes(let bytes): bytes.count
    case .reference(let name): name.utf8.count + 16
    case .geoPoint: 16
    case .array(let items): items.reduce(0) { $0 + size(of: $1) }
    case .map(let fields): size(of: fields)
    case .vector(let numbers): numbers.count * 8
    case .unknown(_, let raw): raw.count
    }
  }
}
