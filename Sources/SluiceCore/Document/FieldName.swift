/// The name of a field, prepared once: transforms make their names when they are configured.
public struct FieldName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, as UTF-8. Names are equal when their bytes are.
  public let utf8: [UInt8]
  /// Whether it needs no escaping inside a JSON string.
  let isPlain: Bool

  /// A name.
  public init(_ name: String) { self.init(utf8: Array(name.utf8)) }

  /// A name.
  public init(stringLiteral name: String) { self.init(name) }

  init(utf8: [UInt8]) {
    self.utf8 = utf8
    isPlain = TextScan(utf8.span).isPlain
  }

  /// The name.
  public var description: String { String(decoding: utf8, as: UTF8.self) }
}
