import SluiceCore

/// What Firestore takes as a value, beyond its form: names, depth, lengths, ranges. Times are cut to microseconds.
enum ValueCheck {
  /// Maps and arrays inside one another, at most.
  static let maximumDepth = 20
  /// Bytes of one string or one byte value, at most.
  static let maximumLength = 1_048_487

  /// The fields as they are stored. Throws INVALID_ARGUMENT for what Firestore refuses.
  static func accepted(_ fields: [Field], at place: String = "", depth: Int = 0) throws(StatusError) -> [Field] {
    var result = fields
    for index in result.indices {
      let name = result[index].name
      try check(name: name)
      let inner = place.isEmpty ? name : "\(place).\(name)"
      result[index].value = try accepted(result[index].value, at: inner, depth: depth)
    }
    return result
  }

  /// The value as it is stored. `depth` is the number of maps and arrays around it.
  static func accepted(_ value: Value, at place: String, depth: Int = 0, inArray: Bool = false) throws(StatusError)
    -> Value
  {
    switch value {
    case .null, .bool, .int, .double: return value
    case .vector(let numbers):
      if numbers.isEmpty { throw .invalid("Cannot have a zero length vector.") }
      if inArray { throw .invalid("Cannot convert a vector value in an array value.") }
    case .timestamp(let time): return .timestamp(Microseconds.timestamp(Microseconds.of(time)))
    case .string(let text): try check(length: text.utf8.count, place)
    case .bytes(let bytes): try check(length: bytes.count, place)
    case .reference(let name): _ = try ResourceName.document(name, what: "Resource")
    case .geoPoint(let latitude, let longitude):
      try check(latitude, within: 90, "latitude")
      try check(longitude, within: 180, "longitude")
    case .array(let items):
      if inArray { throw .invalid("Cannot convert an array value in an array value.") }
      try check(depth: depth, place)
      var result: [Value] = []
      for item in items { result.append(try accepted(item, at: place, depth: depth + 1, inArray: true)) }
      return .array(result)
    case .map(let fields):
      try check(depth: depth, place)
      return .map(try accepted(fields, at: place, depth: depth + 1))
    case .decimal, .unknown: throw .invalid("Property \(place) has a value that Firestore does not know.")
    }
    return value
  }

  private static func check(name: String) throws(StatusError) {
    if name.isEmpty { throw .invalid("field name is empty.") }
    if name.utf8.count > 1500 { throw .invalid("A field name is longer than 1500 bytes.") }
    if name.utf8.count >= 4, name.hasPrefix("__"), name.hasSuffix("__") {
      throw .invalid("field name '\(name)' is reserved.")
    }
  }

  private static func check(length: Int, _ place: String) throws(StatusError) {
    if length > maximumLength {
      throw .invalid("The value of property \"\(place)\" is longer than \(maximumLength) bytes.")
    }
  }

  private static func check(depth: Int, _ place: String) throws(StatusError) {
    if depth >= maximumDepth { throw .invalid("Property \(place) contains an invalid nested entity.") }
  }

  private static func check(_ degrees: Double, within limit: Double, _ name: String) throws(StatusError) {
    guard degrees >= -limit, degrees <= limit else {
      throw .invalid("Geo point \(name) '\(degrees)' outside permitted range -\(limit) to \(limit).")
    }
  }
}
