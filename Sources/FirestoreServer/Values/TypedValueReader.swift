import SluiceCore

/// Reads values in the form of Firestore's REST interface, and refuses what Firestore refuses.
enum TypedValueReader {
  private static let kinds = [
    "nullValue", "booleanValue", "integerValue", "doubleValue", "timestampValue", "stringValue", "bytesValue",
    "referenceValue", "geoPointValue", "arrayValue", "mapValue",
  ]

  /// The fields of a document.
  static func fields(_ json: [Field]) throws(StatusError) -> [Field] {
    try ValueCheck.accepted(try read(fields: json, at: ""))
  }

  /// A value of its own. `inArray`: it is one element of a list.
  static func value(_ json: Value, at place: String, inArray: Bool = false) throws(StatusError) -> Value {
    try ValueCheck.accepted(try read(json, at: place), at: place, inArray: inArray)
  }

  private static func read(fields json: [Field], at place: String) throws(StatusError) -> [Field] {
    var result: [Field] = []
    result.reserveCapacity(json.count)
    for field in json {
      let inner = place.isEmpty ? field.name : "\(place).\(field.name)"
      result.append(Field(field.name, try read(field.value, at: inner)))
    }
    return result
  }

  private static func read(_ json: Value, at place: String) throws(StatusError) -> Value {
    guard case .map(let members) = json, let member = members.first else {
      throw .invalid("Cannot convert firestore.v1.Value with type unset at '\(place)'.")
    }
    if members.count > 1 {
      throw .invalid("Invalid JSON payload received. '\(place)' has more than one value: \(members[1].name).")
    }
    guard kinds.contains(member.name) else {
      throw .invalid("Invalid JSON payload received. Unknown name \"\(member.name)\" at '\(place)': Cannot find field.")
    }
    let value: Value? = if let scalar = scalar(member) { scalar } else { try container(member, at: place) }
    guard let value else {
      throw .invalid("Invalid value at '\(place)' (\(member.name)).")
    }
    return value
  }

  private static func scalar(_ member: Field) -> Value? {
    switch (member.name, member.value) {
    case ("nullValue", .null), ("nullValue", .string("NULL_VALUE")), ("nullValue", .int(0)): .null
    case ("booleanValue", .bool(let flag)): .bool(flag)
    case ("booleanValue", .string("true")): .bool(true)
    case ("booleanValue", .string("false")): .bool(false)
    case ("integerValue", let number): Message.int(number).map { .int($0) }
    case ("doubleValue", let number): double(number).map { .double($0) }
    case ("timestampValue", .string(let text)): Timestamp(text).map { .timestamp($0) }
    case ("stringValue", .string(let text)): .string(text)
    case ("bytesValue", .string(let text)): Base64.decode(text).map { .bytes($0) }
    case ("referenceValue", .string(let text)): .reference(text)
    default: nil
    }
  }

  private static func container(_ member: Field, at place: String) throws(StatusError) -> Value? {
    switch member.name {
    case "geoPointValue": return try geoPoint(member.value, at: place)
    case "arrayValue":
      var items: [Value] = []
      for item in try Message(member.value, at: place, allowing: ["values"]).array("values") {
        items.append(try read(item, at: place))
      }
      return .array(items)
    case "mapValue":
      let json = try Message(member.value, at: place, allowing: ["fields"]).map("fields")
      if json.contains(where: { $0.name == "__type__" }) { return try vector(json, at: place) }
      return .map(try read(fields: json, at: place))
    default: return nil
    }
  }

  private static func geoPoint(_ json: Value, at place: String) throws(StatusError) -> Value {
    let point = try Message(json, at: place, allowing: ["latitude", "longitude"])
    var degrees: [Double] = []
    for name in ["latitude", "longitude"] {
      guard let number = double(point.value(name) ?? .int(0)) else { throw point.mismatch(name, "a number") }
      degrees.append(number)
    }
    return .geoPoint(latitude: degrees[0], longitude: degrees[1])
  }

  /// A map that says it is a vector: `{__type__: "__vector__", value: [doubles]}`.
  private static func vector(_ json: [Field], at place: String) throws(StatusError) -> Value {
    var numbers: [Double] = []
    for field in json {
      switch (field.name, try read(field.value, at: place)) {
      case ("__type__", .string("__vector__")): break
      case ("value", .array(let items)):
        for item in items {
          guard case .double(let number) = item else {
            throw .invalid("Vector must only contain values of type 'double'")
          }
          numbers.append(number)
        }
      default: throw .invalid("field name '__type__' is reserved.")
      }
    }
    if json.count != 2 { throw .invalid("A vector at '\(place)' needs the fields __type__ and value.") }
    return .vector(numbers)
  }

  private static func double(_ json: Value) -> Double? {
    switch json {
    case .double(let number): number
    case .int(let number): Double(number)
    case .decimal(let text): NumberText.double(text.utf8.span)
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    case .string(let text): NumberText.isNumber(text.utf8.span) ? NumberText.double(text.utf8.span) : nil
    default: nil
    }
  }
}
