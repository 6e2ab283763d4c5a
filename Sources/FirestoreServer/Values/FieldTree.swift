import SluiceCore

/// Reading and changing fields by paths into nested maps.
enum FieldTree {
  static func value(at path: FieldPath, in fields: [Field]) -> Value? {
    var fields = fields
    var value: Value?
    for segment in path.segments {
      guard let field = fields.first(where: { $0.name.hasSameBytes(as: segment.description) }) else { return nil }
      value = field.value
      if case .map(let inner) = field.value { fields = inner } else { fields = [] }
    }
    return value
  }

  /// Sets the value at a path, or removes it (nil). Maps on the way are made; whatever else is on the way is replaced.
  static func set(_ value: Value?, at path: FieldPath, in fields: inout [Field]) {
    set(value, at: path.segments[...], in: &fields)
  }

  private static func set(_ value: Value?, at path: ArraySlice<FieldName>, in fields: inout [Field]) {
    guard let first = path.first else { return }
    let name = first.description
    let index = fields.firstIndex { $0.name.hasSameBytes(as: name) }
    if path.count == 1 {
      if let index, let value { fields[index].value = value }
      if let index, value == nil { fields.remove(at: index) }
      if index == nil, let value { fields.append(Field(name, value)) }
      return
    }
    var inner: [Field] = []
    if let index, case .map(let old) = fields[index].value { inner = old } else if value == nil { return }
    set(value, at: path.dropFirst(), in: &inner)
    if let index { fields[index].value = .map(inner) } else { fields.append(Field(name, .map(inner))) }
  }

  /// For each path of a mask: its value of `new` where there is one, else removed.
  static func merge(_ new: [Field], into old: [Field], at mask: [FieldPath]) -> [Field] {
    var result = old
    for path in mask { set(value(at: path, in: new), at: path, in: &result) }
    return result
  }

  /// Only what a mask names. `__name__` names no field.
  static func project(_ fields: [Field], to mask: [FieldPath]) -> [Field] {
    var result: [Field] = []
    for path in mask where !path.isName {
      if let value = value(at: path, in: fields) { set(value, at: path, in: &result) }
    }
    return result
  }
}
