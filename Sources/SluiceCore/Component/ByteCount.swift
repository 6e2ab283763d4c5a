/// A size in bytes.
public struct ByteCount: Sendable, Hashable, Comparable {
  /// The number of bytes, never negative.
  public var bytes: Int

  /// A size.
  public init(_ bytes: Int) { self.bytes = bytes }

  /// By size.
  public static func < (a: ByteCount, b: ByteCount) -> Bool { a.bytes < b.bytes }

  private static let units: [(name: String, bytes: Int64)] = [
    ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("kB", 1_000), ("B", 1),
  ]
}

extension ByteCount: CustomStringConvertible {
  /// In the unit that divides it with the smallest number: `64MB`, not `62500KiB`.
  public var description: String {
    guard bytes > 0 else { return "0B" }
    let fitting = Self.units.filter { Int64(bytes) % $0.bytes == 0 }
    let unit = fitting.max { $0.bytes < $1.bytes } ?? Self.units[9]
    return "\(Int64(bytes) / unit.bytes)\(unit.name)"
  }
}

extension ByteCount: ConfigValue {
  /// A size.
  public static var configType: ConfigType { .bytes }

  /// Reads `64MB` (millions), `64MiB` (1,048,576 each), or a number of bytes.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> ByteCount? {
    let expected = "a size such as 64MB, 1KiB or a number of bytes"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let name = text.dropFirst(number.count)
    let unit = name.isEmpty ? 1 : units.first { $0.name == name }?.bytes
    if let unit, let scaled = ScaledNumber(number), let product = scaled.times(unit) {
      if let bytes = product { return ByteCount(Int(bytes)) }
      diagnostics.error("out_of_range", "\(context.name): \(context.show(node)) is too large", at: node.mark)
      return nil
    }
    context.wrongType(node, expected: expected, suggestion: meant(number, name), into: &diagnostics)
    return nil
  }

  private static func meant(_ number: Substring, _ name: Substring) -> String? {
    guard ScaledNumber(number) != nil, !units.contains(where: { $0.name == name }) else { return nil }
    let word = name.filter { $0 != " " }.uppercased()
    let unit = units.first { [$0.name.uppercased(), String($0.name.uppercased().dropLast())].contains(word) }
    return unit.map { number + $0.name }
  }

  /// The description.
  public var configText: String? { description }
}
