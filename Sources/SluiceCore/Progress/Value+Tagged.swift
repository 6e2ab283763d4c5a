/// Any value in a saved checkpoint: a map of one field that names the kind, so that nothing is guessed when it is read.
extension Value {
  var taggedForm: Value {
    func tagged(_ kind: String, _ value: Value) -> Value { .map([Field(kind, value)]) }
    return switch self {
    case .null: tagged("null", .null)
    case .bool(let value): tagged("bool", .bool(value))
    case .int(let value): tagged("int", .int(value))
    case .double(let value): tagged("double", .bits(of: value))
    case .decimal(let text): tagged("decimal", .string(text))
    case .timestamp(let value): tagged("timestamp", .saved(value))
    case .string(let text): tagged("string", .string(text))
    case .bytes(let bytes): tagged("bytes", .string(Base64.encode(bytes)))
    case .reference(let name): tagged("reference", .string(name))
    case .geoPoint(let latitude, let longitude):
      tagged("geo_point", .array([.bits(of: latitude), .bits(of: longitude)]))
    case .array(let items): tagged("array", .array(items.map(\.taggedForm)))
    case .map(let fields): tagged("map", .map(fields.map { Field($0.name, $0.value.taggedForm) }))
    case .vector(let numbers): tagged("vector", .array(numbers.map { .bits(of: $0) }))
    case .unknown(let kind, let raw): tagged("unknown", .array([.string(kind), .string(Base64.encode(raw))]))
    }
  }

  init(taggedForm: Value) throws {
    guard case .map(let fields) = taggedForm, fields.count == 1 else { throw SavedMap.damaged("a value has no kind") }
    let content = fields[0].value
    switch (fields[0].name, content) {
    case ("null", .null): self = .null
    case ("bool", .bool), ("int", .int), ("string", .string): self = content
    case ("double", .string(let text)): self = .double(try Self.double(text))
    case ("decimal", .string(let text)): self = .decimal(text)
    case ("timestamp", _): self = .timestamp(try Timestamp(savedForm: content))
    case ("bytes", .string(let text)): self = .bytes(try Self.bytes(text))
    case ("reference", .string(let text)): self = .reference(text)
    case ("geo_point", _):
      let parts = try SavedMap.texts(content, "geo_point", count: 2)
      self = .geoPoint(latitude: try Self.double(parts[0]), longitude: try Self.double(parts[1]))
    case ("array", .array(let items)): self = .array(try items.map { try Value(taggedForm: $0) })
    case ("map", .map(let fields)):
      self = .map(try fields.map { Field($0.name, try Value(taggedForm: $0.value)) })
    case ("vector", .array(let items)):
      self = .vector(try SavedMap.texts(content, "vector", count: items.count).map { try Self.double($0) })
    case ("unknown", _):
      let parts = try SavedMap.texts(content, "unknown", count: 2)
      self = .unknown(kind: parts[0], raw: try Self.bytes(parts[1]))
    default: throw SavedMap.damaged("a value of kind \(fields[0].name) is not readable")
    }
  }

  /// A double by its bits, so that NaN, infinities and −0.0 come back.
  private static func bits(of number: Double) -> Value { .string(String(number.bitPattern, radix: 16)) }

  private static func double(_ text: String) throws -> Double {
    guard let bits = UInt64(text, radix: 16) else { throw SavedMap.damaged("a double is not readable") }
    return Double(bitPattern: bits)
  }

  private static func bytes(_ text: String) throws -> [UInt8] {
    guard let bytes = Base64.decode(text) else { throw SavedMap.damaged("bytes are not readable") }
    return bytes
  }
}
