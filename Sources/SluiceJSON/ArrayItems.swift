import SluiceCore

/// Documents that stand between the brackets of a JSON array. Whoever reads a large array cuts it between two items, so
/// that a part of it can be read by itself.
extension PlainDecoder {
  /// Reads objects with a comma between each two; line feeds are white space. The memory becomes the batch's.
  ///
  /// Throws `malformed_data` with line (counted on from `firstLine`), column, and byte offset into `items`.
  public func items(_ items: consuming [UInt8], firstLine: Int = 1) throws(SluiceError) -> Batch {
    try Parser.run(items, firstLine: firstLine, isLines: false) { parser throws(Parser.Fault) in
      parser.duplicates = duplicates
      try parser.listedItems { parser throws(Parser.Fault) in
        try parser.plainDocument(keyField: keyField.utf8, keyForm: keyForm)
      }
    }.batch
  }
}

extension TypedDecoder {
  /// Reads objects with a comma between each two; see `PlainDecoder.items(_:firstLine:)`.
  public func items(_ items: consuming [UInt8], firstLine: Int = 1) throws(SluiceError) -> Batch {
    try Parser.run(items, firstLine: firstLine, isLines: false) { parser throws(Parser.Fault) in
      parser.unknownValues = unknownValues
      try parser.listedItems { parser throws(Parser.Fault) in try parser.typedLine() }
    }.batch
  }
}

extension Parser {
  /// Goes through objects with commas between them; `body` takes each.
  fileprivate mutating func listedItems(_ body: (inout Parser) throws(Fault) -> Void) throws(Fault) {
    skipSpace()
    if i >= count { return }
    while true {
      key = nil
      try body(&self)
      skipSpace()
      if i >= count { return }
      if !take(0x2C) { throw fault("expected ',' between two items") }
      skipSpace()
    }
  }
}
