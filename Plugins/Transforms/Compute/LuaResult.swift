import CLua
import SluiceCore

/// What a script wants to become of its field.
enum LuaResult {
  /// It stays as it is.
  case unchanged
  /// It is removed.
  case removed
  /// It gets this value.
  case value(Value)
}

extension LuaResult {
  /// Reads the tokens of a result. Throws `rejected` for text that is not UTF-8.
  init(_ tokens: UnsafeBufferPointer<sluice_lua_token>) throws(SluiceError) {
    switch tokens.first?.kind {
    case nil, .nothing: self = .unchanged
    case .absent: self = .removed
    default:
      var reader = Reader(tokens: tokens)
      let value = try reader.value()
      self = reader.isFinite ? .value(value) : .unchanged
    }
  }

  private struct Reader {
    let tokens: UnsafeBufferPointer<sluice_lua_token>
    var position = 0
    /// No number so far was NaN or infinite.
    var isFinite = true

    mutating func next() -> sluice_lua_token {
      position += 1
      return tokens[position - 1]
    }

    mutating func value() throws(SluiceError) -> Value {
      let token = next()
      switch token.kind {
      case .nothing, .absent, .name, .null: return .null
      case .boolean: return .bool(token.integer != 0)
      case .integer: return .int(token.integer)
      case .float: return .double(number(token))
      case .string: return .string(try text(token))
      case .timestamp:
        return .timestamp(Timestamp(seconds: token.integer, nanoseconds: UInt32(token.length)))
      case .geoPoint:
        let latitude = number(next())
        return .geoPoint(latitude: latitude, longitude: number(next()))
      case .vector:
        var numbers: [Double] = []
        for _ in 0..<token.integer { numbers.append(number(next())) }
        return .vector(numbers)
      case .array:
        var items: [Value] = []
        for _ in 0..<token.integer { items.append(try value()) }
        return .array(items)
      case .map: return .map(try fields(token.integer))
      }
    }

    /// Lua keeps no order of names: they are sorted, so that the same result is the same text each time.
    private mutating func fields(_ count: Int64) throws(SluiceError) -> [Field] {
      var fields: [Field] = []
      for _ in 0..<count {
        let name = try text(next())
        fields.append(Field(name, try value()))
      }
      return fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private mutating func number(_ token: sluice_lua_token) -> Double {
      if !token.number.isFinite { isFinite = false }
      return token.number
    }

    private func text(_ token: sluice_lua_token) throws(SluiceError) -> String {
      let utf8 = UnsafeRawBufferPointer(start: token.text, count: token.length)
      if let text = String(validating: utf8, as: UTF8.self) { return text }
      throw SluiceError(
        .rejected, "the script returns text that is not UTF-8", hint: "use copy to move a field of bytes")
    }
  }
}
