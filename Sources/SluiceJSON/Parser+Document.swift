import SluiceCore

// For memcmp.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Documents as Firestore lists them: `{"name": …, "fields": {…}, "createTime": …, "updateTime": …}`.
extension Parser {
  /// Takes a document and adds an entry for it; `i` is at its brace. `root` is what its name begins with.
  mutating func document(root: [UInt8]) throws(Fault) {
    let start = i
    var shape = DocumentShape()
    shape.fields = UInt32(truncatingIfNeeded: n)
    let mark = n
    do throws(Fault) {
      try members { parser throws(Fault) in try parser.documentMember(&shape, root: root) }
      guard let key = shape.key else { throw fault("a document without a name", at: start) }
      if n == mark { try emit(Node(.map, end: UInt32(truncatingIfNeeded: n + 1))) }
      let isMissing = !shape.seen.contains(.fields) && shape.createTime == nil && shape.updateTime == nil
      entries.append(
        Batch.Entry(
          .upsert,
          header: DocumentHeader(
            version: shape.updateTime.map { .time($0) } ?? .none, createTime: shape.createTime,
            updateTime: shape.updateTime, isMissing: isMissing), keyStart: key.start, keyLength: key.length,
          root: shape.fields))
    } catch {
      key = shape.key
      throw error
    }
  }

  /// What was found of a document so far.
  struct DocumentShape {
    struct Members: OptionSet {
      let rawValue: UInt8
      static let name = Members(rawValue: 1)
      static let fields = Members(rawValue: 2)
      static let createTime = Members(rawValue: 4)
      static let updateTime = Members(rawValue: 8)
    }
    var seen: Members = []
    var key: (start: UInt32, length: UInt32)?
    var fields: UInt32 = 0
    var createTime: Timestamp?
    var updateTime: Timestamp?
  }

  @inline(__always) private mutating func documentMember(
    _ shape: inout DocumentShape, root: [UInt8]
  ) throws(Fault) {
    let start = i
    let member = try memberName()
    try colon()
    switch member {
    case .name:
      shape.key = try key(root: root)
    case .fields:
      if base[i] == 0x7B { try typedFields(depth: 0) } else if !take("null") { throw fault("fields must be an object") }
    case .createTime: shape.createTime = try time()
    case .updateTime: shape.updateTime = try time()
    default: try skip(depth: 0)
    }
    if !shape.seen.isDisjoint(with: member) { throw fault("a member of the document stands twice", at: start) }
    shape.seen.formUnion(member)
  }

  /// Takes the name of a document's member; empty where it is another one.
  @inline(__always) private mutating func memberName() throws(Fault) -> DocumentShape.Members {
    if take("name\"") { return .name }
    if take("fields\"") { return .fields }
    if take("createTime\"") { return .createTime }
    if take("updateTime\"") { return .updateTime }
    let text = try string()
    if text.start < count { return [] }
    return switch withBytes(text, { String($0) }) {
    case "name": .name
    case "fields": .fields
    case "createTime": .createTime
    case "updateTime": .updateTime
    default: []
    }
  }

  /// Takes a time of a document's header, or null.
  mutating func time() throws(Fault) -> Timestamp? {
    if take("null") { return nil }
    let start = i
    if !take(0x22) { throw fault("expected a time as a string") }
    let text = try string()
    guard let time = withBytes(text, RFC3339.parse) else { throw fault("expected a time by RFC 3339", at: start) }
    return time
  }

  /// Takes the name of a document, and answers its key: the name without the root, in canonical form. Segments of a
  /// name never hold a `/`, so only `%` needs an escape.
  @inline(__always) mutating func key(root: [UInt8]) throws(Fault) -> (start: UInt32, length: UInt32) {
    let start = i
    if !take(0x22) { throw fault("the name of a document must be a string") }
    let name = try string()
    let length = name.length - root.count
    if length <= 0 || !withBytes(name, { hasPrefix($0, root) }) {
      throw fault("a document whose name is not below the collection that was asked for", at: start)
    }
    var key = Text(start: name.start + root.count, length: length, isPlain: name.isPlain)
    if withBytes(key, Self.holdsPercent) {
      var canonical: [UInt8] = []
      withBytes(key) { bytes in
        for index in bytes.indices {
          canonical.append(bytes[index])
          if bytes[index] == 0x25 { canonical.append(contentsOf: [0x32, 0x35]) }
        }
      }
      key = try place(canonical)
    }
    return (UInt32(truncatingIfNeeded: key.start), UInt32(truncatingIfNeeded: key.length))
  }

  @inline(__always) private func hasPrefix(_ bytes: Span<UInt8>, _ prefix: [UInt8]) -> Bool {
    prefix.withUnsafeBufferPointer { prefix in
      bytes.withUnsafeBufferPointer { bytes in
        guard let a = bytes.baseAddress, let b = prefix.baseAddress else { return prefix.isEmpty }
        return memcmp(a, b, prefix.count) == 0
      }
    }
  }

  private static func holdsPercent(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where bytes[index] == 0x25 { return true }
    return false
  }
}
