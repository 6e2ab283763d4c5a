/// Header fields in their order. Names compare without regard to ASCII case (RFC 9110, 5.1).
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One header field.
  public struct Field: Sendable, Hashable {
    /// The name as written.
    public var name: String
    /// The value without surrounding white space. Never shown in an error: it may be a secret.
    public var value: String
  }

  /// The fields in their order.
  public private(set) var fields: [Field] = []

  /// No fields.
  public init() {}

  /// The fields of a literal, in its order.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0, value: $1) }
  }

  /// Adds a field, and keeps those of the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The first value of a name. Setting replaces every field of the name; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// Every value of a name, in order.
  public func values(_ name: String) -> [String] {
    fields.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  /// Removes the fields for which `isUnwanted` is true.
  mutating func removeAll(where isUnwanted: (Field) -> Bool) {
    fields.removeAll(where: isUnwanted)
  }

  static func isSame(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    let (a, b) = (a.utf8, b.utf8)
    return a.count == b.count && zip(a, b).allSatisfy { lower($0) == lower($1) }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
