import SluiceCore

/// A JSON object of a request, read as proto3's JSON form: null is absent, unknown names are refused.
struct Message {
  private let fields: [Field]
  /// Where it stands in the request, for messages.
  let place: String

  /// Throws unless this is an object that has no other names than these.
  init(_ value: Value, at place: String, allowing names: [String]) throws(StatusError) {
    guard case .map(let fields) = value else {
      throw .invalid("Invalid JSON payload received. \(place) is not an object.")
    }
    for field in fields where !names.contains(where: { $0.hasSameBytes(as: field.name) }) {
      throw .invalid("Invalid JSON payload received. Unknown name \"\(field.name)\" at '\(place)': Cannot find field.")
    }
    self.fields = fields
    self.place = place
  }

  /// A member; nil where it is absent or null.
  func value(_ name: String) -> Value? {
    guard let value = fields.first(where: { $0.name.hasSameBytes(as: name) })?.value, value != .null else { return nil }
    return value
  }

  /// Where a member stands.
  func place(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  /// The one of these members that is there; nil where none is. Throws where several are.
  func only(of names: [String]) throws(StatusError) -> String? {
    let present = names.filter { value($0) != nil }
    if present.count > 1 {
      throw .invalid("Invalid JSON payload received. oneof field of '\(place)' is already set: \(present[1]).")
    }
    return present.first
  }

  func string(_ name: String) throws(StatusError) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value else { throw mismatch(name, "a string") }
    return text
  }

  func bool(_ name: String) throws(StatusError) -> Bool? {
    switch value(name) {
    case nil: return nil
    case .bool(let flag): return flag
    case .string("true"): return true
    case .string("false"): return false
    default: throw mismatch(name, "a boolean")
    }
  }

  /// A whole number, as a number or as text.
  func int(_ name: String) throws(StatusError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = Self.int(value) else { throw mismatch(name, "a whole number") }
    return number
  }

  static func int(_ value: Value) -> Int64? {
    switch value {
    case .int(let number): number
    case .double(let number): Int64(exactly: number)
    case .string(let text): NumberText.int(text.utf8.span)
    default: nil
    }
  }

  /// A moment in RFC 3339.
  func timestamp(_ name: String) throws(StatusError) -> Timestamp? {
    guard let text = try string(name) else { return nil }
    guard let timestamp = Timestamp(text) else { throw mismatch(name, "a timestamp in RFC 3339") }
    return timestamp
  }

  func array(_ name: String) throws(StatusError) -> [Value] {
    guard let value = value(name) else { return [] }
    guard case .array(let items) = value else { throw mismatch(name, "a list") }
    return items
  }

  func strings(_ name: String) throws(StatusError) -> [String] {
    var result: [String] = []
    for item in try array(name) {
      guard case .string(let text) = item else { throw mismatch(name, "a list of strings") }
      result.append(text)
    }
    return result
  }

  func message(_ name: String, allowing names: [String]) throws(StatusError) -> Message? {
    guard let value = value(name) else { return nil }
    return try Message(value, at: place(name), allowing: names)
  }

  /// The members of a map with free names.
  func map(_ name: String) throws(StatusError) -> [Field] {
    guard let value = value(name) else { return [] }
    guard case .map(let fields) = value else { throw mismatch(name, "an object") }
    return fields
  }

  /// A value of an enumeration, by its name or by its number (the names are those from `first` on).
  func enumeration(_ name: String, _ names: [String], first: Int) throws(StatusError) -> String? {
    switch value(name) {
    case nil: return nil
    case .string(let text) where names.contains(text): return text
    case .int(let number) where (first..<first + names.count).contains(Int(clamping: number)):
      return names[Int(number) - first]
    default: throw mismatch(name, "one of \(names.joined(separator: ", "))")
    }
  }

  func mismatch(_ name: String, _ expected: String) -> StatusError {
    .invalid("Invalid value at '\(place(name))': expected \(expected).")
  }
}
