import SluiceCore

/// The kinds of values, as `type` names them.
public enum KindName: String, Sendable, Hashable, CaseIterable, ConfigValue {
  /// Nothing, on purpose.
  case null
  /// True or false.
  case bool
  /// A whole number of 64 bits.
  case int
  /// A floating-point number.
  case double
  /// A number that neither holds exactly.
  case decimal
  /// Any of the three.
  case number
  /// A moment.
  case timestamp
  /// Text.
  case string
  /// Bytes.
  case bytes
  /// The name of another document.
  case reference
  /// A place on Earth.
  case geoPoint = "geo_point"
  /// A list.
  case array
  /// Names and values.
  case map
  /// A list of doubles for nearest-neighbour search.
  case vector
  /// A kind that this version does not know.
  case unknown

  /// A written `null` is the name of a kind.
  public static var takesNull: Bool { true }

  /// Reads one of the names.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> KindName? {
    if case .scalar(let scalar) = node.content, let name = KindName(rawValue: scalar.text) { return name }
    let words = allCases.map(\.rawValue)
    var suggestion: String?
    if case .scalar(let scalar) = node.content {
      suggestion = otherNames[scalar.text.lowercased()] ?? NearestName.find(scalar.text, among: words)
    }
    context.wrongType(
      node, expected: "one of \(words.joined(separator: ", "))", suggestion: suggestion, into: &diagnostics)
    return nil
  }

  /// What other tools call these kinds.
  private static let otherNames = [
    "boolean": "bool", "integer": "int", "int64": "int", "long": "int", "float": "double", "text": "string",
    "str": "string", "list": "array", "object": "map", "dict": "map", "date": "timestamp", "datetime": "timestamp",
    "time": "timestamp", "binary": "bytes", "geopoint": "geo_point", "ref": "reference",
  ]
}

/// One or several kinds.
public struct KindSet: Sendable, Hashable {
  private var bits: UInt32 = 0

  /// These kinds; `number` stands for its three.
  public init(_ names: [KindName]) {
    for name in names {
      let kinds: [KindName] = name == .number ? [.int, .double, .decimal] : [name]
      for kind in kinds { bits |= Self.bit(kind) }
    }
  }

  /// Whether a value of this kind belongs to the set.
  public func contains(_ kind: KindName) -> Bool { bits & Self.bit(kind) != 0 }

  private static func bit(_ kind: KindName) -> UInt32 {
    switch kind {
    case .null: 1
    case .bool: 2
    case .int: 4
    case .double: 8
    case .decimal: 16
    case .number: 0
    case .timestamp: 32
    case .string: 64
    case .bytes: 128
    case .reference: 256
    case .geoPoint: 512
    case .array: 1024
    case .map: 2048
    case .vector: 4096
    case .unknown: 8192
    }
  }
}

extension KindSet: ConfigValue {
  /// A kind or a list of kinds.
  public static var configType: ConfigType { .either([KindName.configType, .list(KindName.configType)]) }

  /// A written `null` is the name of a kind.
  public static var takesNull: Bool { true }

  /// Reads one name or a list of them.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> KindSet? {
    guard case .sequence(let items) = node.content else {
      return KindName.decode(node, in: context, into: &diagnostics).map { KindSet([$0]) }
    }
    if items.isEmpty {
      diagnostics.error("empty_list", "\(context.name) is empty", at: node.mark, hint: "write at least one kind")
      return nil
    }
    return [KindName].decode(node, in: context, into: &diagnostics).map { KindSet($0) }
  }

  /// Nothing: it has no default.
  public var configText: String? { nil }
}

extension Scalar {
  /// The name of its kind.
  var kind: KindName {
    switch self {
    case .null: .null
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .decimal: .decimal
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .reference
    case .unknown: .unknown
    }
  }
}

extension Container {
  /// The name of its kind.
  var kind: KindName {
    switch self {
    case .map: .map
    case .array: .array
    case .vector: .vector
    case .geoPoint: .geoPoint
    }
  }
}
