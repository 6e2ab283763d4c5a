import CLua
import SluiceCore

/// One value of a document, written down for Lua: tokens, and an arena with their text.
///
/// Memory of its own rather than arrays: C reads it after the Swift call that wrote it has returned.
struct LuaTokens: ValueVisitor, ~Copyable {
  private var tokens = UnsafeMutablePointer<sluice_lua_token>.allocate(capacity: 64)
  private var count = 0
  private var capacity = 64
  private var arena = UnsafeMutablePointer<UInt8>.allocate(capacity: 1024)
  private var used = 0
  private var arenaCapacity = 1024
  /// The place after the innermost open container, 0 where none is open. While a container is open its `length` holds
  /// that of the next one out.
  private var open = 0

  deinit {
    tokens.deallocate()
    arena.deallocate()
  }

  /// What C reads. Good until the next `removeAll()`.
  var field: sluice_lua_field {
    sluice_lua_field(tokens: tokens, count: count, arena: UnsafeRawPointer(arena).assumingMemoryBound(to: CChar.self))
  }

  /// Forgets the value and keeps the memory.
  mutating func removeAll() {
    count = 0
    used = 0
    open = 0
  }

  mutating func name(_ utf8: Span<UInt8>, plain: Bool) { append(.name, text: utf8) }

  mutating func value(_ scalar: Scalar) {
    countValue()
    switch scalar {
    case .null: append(.null)
    case .bool(let value): append(.boolean, integer: value ? 1 : 0)
    case .int(let value): append(.integer, integer: value)
    case .double(let value): append(.float, number: value)
    // Lua has no such numbers; the nearest one is what its own arithmetic would make of it.
    case .decimal(let text): append(.float, number: Double(String(text)) ?? .nan)
    case .timestamp(let value):
      append(.timestamp, integer: value.seconds, length: Int(value.nanoseconds))
    case .string(let text), .reference(let text): append(.string, text: text)
    case .bytes(let bytes): append(.string, text: bytes)
    case .unknown(_, let raw): append(.string, text: raw)
    }
  }

  mutating func begin(_ container: Container) {
    countValue()
    let kind: SluiceLuaKind =
      switch container {
      case .map: .map
      case .array: .array
      case .vector: .vector
      case .geoPoint: .geoPoint
      }
    append(kind, length: open)
    open = count
  }

  mutating func end(_ container: Container) { open = tokens[open - 1].length }

  private mutating func countValue() {
    if open > 0 { tokens[open - 1].integer += 1 }
  }

  private mutating func append(_ kind: SluiceLuaKind, integer: Int64 = 0, number: Double = 0, length: Int = 0) {
    if count == capacity {
      let larger = UnsafeMutablePointer<sluice_lua_token>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: tokens, count: count)
      tokens.deallocate()
      tokens = larger
      capacity *= 2
    }
    (tokens + count).initialize(
      to: sluice_lua_token(kind: kind, integer: integer, number: number, text: nil, length: length))
    count += 1
  }

  private mutating func append(_ kind: SluiceLuaKind, text: Span<UInt8>) {
    if used + text.count > arenaCapacity {
      arenaCapacity = max(arenaCapacity * 2, used + text.count)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: arenaCapacity)
      larger.moveInitialize(from: arena, count: used)
      arena.deallocate()
      arena = larger
    }
    text.withUnsafeBufferPointer { source in
      if let first = source.baseAddress { (arena + used).initialize(from: first, count: source.count) }
    }
    append(kind, integer: Int64(used), length: text.count)
    used += text.count
  }
}
