extension Value {
  /// Speaks this value to a visitor.
  public func visit<V: ValueVisitor & ~Copyable>(_ visitor: inout V) {
    switch self {
    case .null: visitor.value(.null)
    case .bool(let value): visitor.value(.bool(value))
    case .int(let value): visitor.value(.int(value))
    case .double(let value): visitor.value(.double(value))
    case .decimal(let text): visitor.value(.decimal(text.utf8.span))
    case .timestamp(let value): visitor.value(.timestamp(value))
    case .string(let text): visitor.value(.string(text.utf8.span))
    case .bytes(let bytes): visitor.value(.bytes(bytes.span))
    case .reference(let name): visitor.value(.reference(name.utf8.span))
    case .geoPoint(let latitude, let longitude):
      visitor.begin(.geoPoint)
      visitor.value(.double(latitude))
      visitor.value(.double(longitude))
      visitor.end(.geoPoint)
    case .array(let items):
      visitor.begin(.array)
      for item in items { item.visit(&visitor) }
      visitor.end(.array)
    case .map(let fields):
      visitor.begin(.map)
      for field in fields { field.visit(&visitor) }
      visitor.end(.map)
    case .vector(let numbers):
      visitor.begin(.vector)
      for number in numbers { visitor.value(.double(number)) }
      visitor.end(.vector)
    case .unknown(let kind, let raw): visitor.value(.unknown(kind: kind.utf8.span, raw: raw.span))
    }
  }
}

extension Field {
  /// Speaks the name and the value to a visitor.
  public func visit<V: ValueVisitor & ~Copyable>(_ visitor: inout V) {
    let utf8 = name.utf8.span
    visitor.name(utf8, plain: TextScan(utf8).isPlain)
    value.visit(&visitor)
  }
}
