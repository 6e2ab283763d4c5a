import SluiceCore

/// Reads plain JSON: the fields of a document at the top level of an object, its key in one of them.
///
/// Objects become maps, whole numbers that fit 64 bits become `int`, other numbers `double`, and what neither holds
/// `decimal`; times, bytes and references stay the strings they are. There are no versions.
public struct PlainDecoder: Sendable {
  /// The field that holds the key; it is not among the fields.
  public var keyField: FieldName
  /// How the key field holds the key.
  public var keyForm: KeyForm
  /// What to do where an object holds a name twice.
  public var duplicates: DuplicateNames

  /// How a field holds a key.
  public enum KeyForm: Sendable {
    /// As the key's canonical text, the way `_key` is written: `rooms/r1`, with `%2F` and `%25`.
    case canonical
    /// As an id, any text or a whole number: a key of one segment.
    case id
  }

  /// A decoder for files of this package: the key in `_key`, in canonical form.
  public init() { self.init(keyField: "_key", keyForm: .canonical) }

  /// A decoder for other files.
  public init(keyField: FieldName, keyForm: KeyForm = .id, duplicates: DuplicateNames = .refuse) {
    self.keyField = keyField
    self.keyForm = keyForm
    self.duplicates = duplicates
  }

  /// Reads whole lines with one object each; blank lines are left out, lines may end with CR LF. The memory of the
  /// lines becomes the batch's.
  ///
  /// Throws `malformed_data` with line (counted on from `firstLine`), column, and byte offset into `lines`.
  public func lines(_ lines: consuming [UInt8], firstLine: Int = 1) throws(SluiceError) -> Batch {
    try Parser.run(lines, firstLine: firstLine) { parser throws(Parser.Fault) in
      parser.duplicates = duplicates
      try parser.lines { parser throws(Parser.Fault) in
        try parser.plainDocument(keyField: keyField.utf8, keyForm: keyForm)
      }
    }.batch
  }

  /// Reads one object: a batch of one.
  public func document(_ bytes: consuming [UInt8]) throws(SluiceError) -> Batch {
    try Parser.run(bytes) { parser throws(Parser.Fault) in
      parser.duplicates = duplicates
      parser.skipSpace()
      try parser.plainDocument(keyField: keyField.utf8, keyForm: keyForm)
      try parser.end()
    }.batch
  }
}

extension Parser {
  /// Goes through lines; `body` takes the object of each.
  mutating func lines(_ body: (inout Parser) throws(Fault) -> Void) throws(Fault) {
    while true {
      skipSpace()
      if i >= count { return }
      if take(0x0A) { continue }
      key = nil
      try body(&self)
      skipSpace()
      if i >= count { return }
      if !take(0x0A) { throw fault("there is more on the line after its object") }
    }
  }

  /// Takes an object as a document.
  mutating func plainDocument(keyField: [UInt8], keyForm: PlainDecoder.KeyForm) throws(Fault) {
    let start = i
    let map = n
    var found: (start: UInt32, length: UInt32)?
    try emit(Node(.map))
    var names = Names()
    try members { parser throws(Fault) in
      let nameStart = parser.i
      let name = try parser.name(in: map, &names)
      if parser.isName(name, keyField) {
        if found != nil { throw parser.fault("the key stands twice in the object", at: nameStart) }
        parser.n = name
        found = try parser.plainKey(keyForm)
        parser.key = found
        return
      }
      do throws(Fault) { try parser.value(depth: 1) } catch {
        parser.faultPath.append(name)
        throw error
      }
    }
    try finish(map, names)
    guard let found else { throw fault("an object without the key field", at: start) }
    entries.append(
      Batch.Entry(
        .upsert, header: DocumentHeader(), keyStart: found.start, keyLength: found.length, root: UInt32(map)))
  }

  @inline(__always) private func isName(_ index: Int, _ name: [UInt8]) -> Bool {
    if Int(nodes[index].length) != name.count { return false }
    return withBytes(text(index)) { bytes in
      for k in bytes.indices where bytes[k] != name[k] { return false }
      return true
    }
  }

  /// Takes a key: a string, or a whole number as its digits.
  mutating func plainKey(_ form: PlainDecoder.KeyForm) throws(Fault) -> (start: UInt32, length: UInt32) {
    let start = i
    var key: Text
    if take(0x22) {
      key = try string()
    } else if base[i] == 0x2D || base[i] &- 0x30 < 10 {
      let number = try number()
      if !number.isInteger { throw fault("a key must be a string or a whole number", at: start) }
      key = number.text
    } else {
      throw fault("a key must be a string or a whole number")
    }
    switch form {
    case .canonical:
      let isCanonical = withBytes(key, Key.isCanonical)
      if !isCanonical {
        throw fault("a key must have its '%' written as '%25' and its '/' inside a segment as '%2F'", at: start)
      }
    case .id:
      let isSimple = withBytes(key) { bytes in
        for k in bytes.indices where bytes[k] == 0x25 || bytes[k] == 0x2F { return false }
        return true
      }
      if !isSimple { key = try place(Key(string(key.start, key.length)).bytes) }
    }
    return (UInt32(truncatingIfNeeded: key.start), UInt32(truncatingIfNeeded: key.length))
  }
}
