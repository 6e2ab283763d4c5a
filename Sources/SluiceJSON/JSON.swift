import SluiceCore

/// JSON for small things: error bodies, saved state, tests. Documents go through the decoders and writers.
public enum JSON {
  /// Reads plain JSON: objects become maps, whole numbers that fit 64 bits `int`, other numbers `double`, what neither
  /// holds `decimal`. Throws `malformed_data` with line, column and byte offset.
  public static func parse(
    _ bytes: [UInt8], duplicates: DuplicateNames = .refuse
  ) throws(SluiceError) -> Value {
    try Parser.run(bytes) { parser throws(Parser.Fault) in
      parser.duplicates = duplicates
      parser.skipSpace()
      try parser.value(depth: 0)
      try parser.end()
    }.batch.tape.value(at: 0)
  }

  /// Reads plain JSON; see `parse(_:duplicates:)` for bytes.
  public static func parse(_ text: String) throws(SluiceError) -> Value { try parse(Array(text.utf8)) }

  /// Reads one typed value (Firestore's REST `Value`).
  public static func parseTyped(_ bytes: [UInt8]) throws(SluiceError) -> Value {
    try Parser.run(bytes) { parser throws(Parser.Fault) in
      parser.skipSpace()
      try parser.typedValue(depth: 0)
      try parser.end()
    }.batch.tape.value(at: 0)
  }

  /// Reads an object of names with typed values.
  public static func parseTypedFields(_ bytes: [UInt8]) throws(SluiceError) -> [Field] {
    try Parser.run(bytes) { parser throws(Parser.Fault) in
      parser.skipSpace()
      try parser.typedFields(depth: 0)
      try parser.end()
    }.batch.tape.fields(of: 0)
  }

  /// Plain JSON of a value, without white space; see `PlainValueWriter` for how kinds that JSON lacks are written.
  public static func encode(_ value: Value) -> [UInt8] {
    var writer = PlainValueWriter()
    value.visit(&writer)
    return writer.output.bytes
  }

  /// Plain JSON of a value as text.
  public static func text(_ value: Value) -> String { String(decoding: encode(value), as: UTF8.self) }

  /// The typed form of a value (Firestore's REST `Value`), without white space.
  public static func encodeTyped(_ value: Value) -> [UInt8] {
    var writer = TypedValueWriter()
    value.visit(&writer)
    return writer.output.bytes
  }

  /// An object of names with typed values, without white space.
  public static func encodeTyped(_ fields: [Field]) -> [UInt8] {
    var writer = TypedValueWriter()
    writer.output.append(0x7B)
    for field in fields { field.visit(&writer) }
    writer.output.append(0x7D)
    return writer.output.bytes
  }
}
