import SluiceCore

/// Where a value stands in relation to another of its kind.
enum Order: Sendable {
  case before, same, after

  init<T: Comparable>(_ a: T, _ b: T) { self = a < b ? .before : a > b ? .after : .same }

  var reversed: Order {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }
}

/// A literal of a condition, read once for every kind that it may be compared with.
struct Operand: Sendable {
  private indirect enum Content: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(ExactNumber)
    case text(Text)
    case list([Operand])
    case map([(name: String, value: Operand)])
  }

  /// A text with what else it may stand for.
  fileprivate struct Text: Sendable {
    var utf8: [UInt8]
    var timestamp: Timestamp?
    var bytes: [UInt8]?
    var isFullName: Bool

    init(_ text: String) {
      utf8 = Array(text.utf8)
      timestamp = RFC3339.parse(text) ?? RFC3339.parse(text + "T00:00:00Z")
      bytes = Base64.decode(text)
      isFullName = text.utf8.starts(with: "projects/".utf8)
    }
  }

  private let content: Content

  init(_ value: Value) {
    switch value {
    case .null: content = .null
    case .bool(let value): content = .bool(value)
    case .int(let value): content = .int(value)
    case .double(let value): content = .double(value)
    case .decimal(let text): content = .decimal(ExactNumber(text.utf8.span))
    case .string(let text), .reference(let text): content = .text(Text(text))
    case .timestamp(let value): content = .text(Text(value.description))
    case .bytes(let bytes): content = .text(Text(Base64.encode(bytes)))
    case .unknown(_, let raw): content = .text(Text(String(decoding: raw, as: UTF8.self)))
    case .array(let items): content = .list(items.map { Operand($0) })
    case .vector(let numbers): content = .list(numbers.map { Operand(.double($0)) })
    case .map(let fields): content = .map(fields.map { (name: $0.name, value: Operand($0.value)) })
    case .geoPoint(let latitude, let longitude):
      content = .map([(name: "latitude", Operand(.double(latitude))), (name: "longitude", Operand(.double(longitude)))])
    }
  }

  /// Whether it is a list or map.
  var isContainer: Bool {
    switch content {
    case .list, .map: true
    default: false
    }
  }

  /// Whether it is NaN, or holds one.
  var isNaN: Bool {
    switch content {
    case .double(let value): value.isNaN
    case .list(let items): items.contains(where: \.isNaN)
    case .map(let fields): fields.contains { $0.value.isNaN }
    default: false
    }
  }

  /// Whether values of its kind have an order.
  var isOrdered: Bool {
    switch content {
    case .int, .double, .decimal, .text: true
    case .null, .bool, .list, .map: false
    }
  }
}

extension Operand {
  /// Where a field's value stands in relation to the literal. Nil for different kinds, and where there is no order.
  func order(of scalar: Scalar) -> Order? {
    switch content {
    case .null:
      if case .null = scalar { return .same }
      return nil
    case .bool(let literal):
      if case .bool(let value) = scalar { return value == literal ? .same : nil }
      return nil
    case .int(let literal): return Self.order(of: scalar, int: literal)
    case .double(let literal): return Self.order(of: scalar, double: literal)
    case .decimal(let literal): return ExactNumber(scalar).flatMap { $0.order(to: literal) }
    case .text(let literal): return literal.order(of: scalar)
    case .list, .map: return nil
    }
  }

  private static func order(of scalar: Scalar, int literal: Int64) -> Order? {
    switch scalar {
    case .int(let value): Order(value, literal)
    case .double(let value): order(literal, value)?.reversed
    case .decimal(let text): ExactNumber(text).order(to: ExactNumber(literal))
    default: nil
    }
  }

  private static func order(of scalar: Scalar, double literal: Double) -> Order? {
    switch scalar {
    case .int(let value): order(value, literal)
    case .double(let value): value.isNaN || literal.isNaN ? nil : Order(value, literal)
    case .decimal(let text): ExactNumber(literal).flatMap { ExactNumber(text).order(to: $0) }
    default: nil
    }
  }

  /// Compares without rounding either number: the whole part as an integer, then what is left.
  private static func order(_ int: Int64, _ double: Double) -> Order? {
    if double.isNaN { return nil }
    if double >= 0x1p63 { return .before }
    if double < -0x1p63 { return .after }
    let whole = double.rounded(.towardZero)
    let order = Order(int, Int64(whole))
    return order == .same ? Order(whole, double) : order
  }
}

extension Operand.Text {
  fileprivate func order(of scalar: Scalar) -> Order? {
    switch scalar {
    case .string(let text): Operand.order(text, utf8.span)
    case .timestamp(let value): timestamp.map { Order(value, $0) }
    case .bytes(let value): bytes.map { Operand.order(value, $0.span) }
    case .reference(let name):
      Operand.order(name.extracting(isFullName ? 0..<name.count : Operand.path(of: name)), utf8.span)
    default: nil
    }
  }
}

extension Operand {
  /// The order of bytes; a text comes before the longer ones that begin with it.
  fileprivate static func order(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Order {
    let shared = min(a.count, b.count)
    for i in 0..<shared where a[i] != b[i] { return Order(a[i], b[i]) }
    return Order(a.count, b.count)
  }

  /// The part of a document's name after `/documents/`; all of it where it has no such part.
  fileprivate static func path(of name: Span<UInt8>) -> Range<Int> {
    var start = 0
    while start + mark.count <= name.count {
      if order(name.extracting(start..<start + mark.count), mark.span) == .same {
        return start + mark.count..<name.count
      }
      start += 1
    }
    return 0..<name.count
  }

  private static let mark = Array("/documents/".utf8)

  /// Whether a list, map, vector or geo point equals the literal.
  func equals(_ value: Value) -> Bool {
    switch (content, value) {
    case (.list(let literals), .array(let items)):
      return literals.count == items.count && zip(literals, items).allSatisfy { $0.equals($1) }
    case (.list(let literals), .vector(let numbers)):
      return literals.count == numbers.count && zip(literals, numbers).allSatisfy { $0.equals(.double($1)) }
    case (.map, .geoPoint(let latitude, let longitude)):
      return equals(.map([Field("latitude", .double(latitude)), Field("longitude", .double(longitude))]))
    case (.map(let literals), .map(let fields)):
      return literals.count == fields.count
        && literals.allSatisfy { literal in
          fields.contains { $0.name.utf8.elementsEqual(literal.name.utf8) && literal.value.equals($0.value) }
        }
    default:
      var visitor = TestVisitor([.equal(self)])
      value.visit(&visitor)
      return visitor.holds
    }
  }
}
