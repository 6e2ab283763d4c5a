/// The fields of a map in a saved checkpoint: written in order, read by name with errors that name the field.
struct SavedMap {
  private var fields: [Field] = []
  private var name = ""

  /// No fields yet.
  init() {}

  /// The fields of a saved map.
  init(_ value: Value, _ name: String) throws {
    guard case .map(let fields) = value else { throw Self.damaged("\(name) is no map") }
    self.fields = fields
    self.name = name
  }

  /// The map.
  var value: Value { .map(fields) }

  /// A field. Setting nil leaves it out; each is set once.
  subscript(key: String) -> Value? {
    get { fields.first { $0.name == key }?.value }
    set { if let newValue { fields.append(Field(key, newValue)) } }
  }

  /// What is wrong with a saved checkpoint.
  static func damaged(_ what: String) -> SluiceError {
    SluiceError(
      .invalidState, "the checkpoint is damaged: \(what)",
      hint: "it was left as it is; restore the state from a copy, or move it away to begin anew")
  }

  /// A list of so many texts.
  static func texts(_ value: Value, _ name: String, count: Int) throws -> [String] {
    guard case .array(let items) = value, items.count == count else { throw damaged("\(name) is no list of \(count)") }
    return try items.map { item in
      guard case .string(let text) = item else { throw damaged("\(name) is no text") }
      return text
    }
  }

  func required(_ key: String) throws -> Value {
    guard let value = self[key] else { throw Self.damaged("\(name).\(key) is missing") }
    return value
  }

  func optionalText(_ key: String) throws -> String? {
    guard let value = self[key] else { return nil }
    guard case .string(let text) = value else { throw Self.damaged("\(name).\(key) is no text") }
    return text
  }

  func text(_ key: String) throws -> String {
    guard let text = try optionalText(key) else { throw Self.damaged("\(name).\(key) is missing") }
    return text
  }

  func int(_ key: String) throws -> Int {
    guard case .int(let number) = try required(key) else { throw Self.damaged("\(name).\(key) is no number") }
    return Int(number)
  }

  func unsigned(_ key: String) throws -> UInt64 {
    switch try required(key) {
    case .int(let number) where number >= 0: return UInt64(number)
    case .decimal(let text):
      if let number = UInt64(text) { return number }
      fallthrough
    default: throw Self.damaged("\(name).\(key) is no count")
    }
  }

  func items(_ key: String) throws -> [Value] {
    guard case .array(let items) = try required(key) else { throw Self.damaged("\(name).\(key) is no list") }
    return items
  }

  func fields(_ key: String) throws -> [Field] {
    guard case .map(let fields) = try required(key) else { throw Self.damaged("\(name).\(key) is no map") }
    return fields
  }

  func optionalFingerprint(_ key: String) throws -> Fingerprint? {
    guard let text = try optionalText(key) else { return nil }
    guard text.utf8.count == 32, let bits = UInt128(text, radix: 16) else {
      throw Self.damaged("\(name).\(key) is no fingerprint")
    }
    return Fingerprint(high: UInt64(bits >> 64), low: UInt64(truncatingIfNeeded: bits))
  }

  func fingerprint(_ key: String) throws -> Fingerprint {
    guard let value = try optionalFingerprint(key) else { throw Self.damaged("\(name).\(key) is missing") }
    return value
  }

  func optionalKey(_ key: String) throws -> Key? {
    guard let text = try optionalText(key) else { return nil }
    guard let value = Key(canonical: Array(text.utf8)) else { throw Self.damaged("\(name).\(key) is no key") }
    return value
  }
}

extension Value {
  /// A count as a whole number, or as a decimal where it is too large for one.
  static func saved(_ number: UInt64) -> Value { Int64(exactly: number).map { .int($0) } ?? .decimal(String(number)) }

  /// A moment as seconds and nanoseconds.
  static func saved(_ time: Timestamp) -> Value { .array([.int(time.seconds), .int(Int64(time.nanoseconds))]) }
}

extension Timestamp {
  /// Reads seconds and nanoseconds.
  init(savedForm: Value) throws {
    guard case .array(let parts) = savedForm, parts.count == 2, case .int(let seconds) = parts[0],
      case .int(let nanoseconds) = parts[1], (0..<1_000_000_000).contains(nanoseconds)
    else { throw SavedMap.damaged("a time is not seconds and nanoseconds") }
    self.init(seconds: seconds, nanoseconds: UInt32(nanoseconds))
  }
}
