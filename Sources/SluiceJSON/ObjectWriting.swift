import SluiceCore

extension PlainValueWriter {
  /// Writes the fields of an upsert as one object, apart from whatever was written before.
  package mutating func writeObject(at index: Int, of batch: Batch) {
    needsComma = false
    output.append(0x7B)
    batch.visitFields(at: index, &self)
    output.append(0x7D)
    needsComma = true
  }
}

extension TypedValueWriter {
  /// Writes the fields of an upsert as one object of names with typed values, apart from whatever was written before.
  package mutating func writeObject(at index: Int, of batch: Batch) {
    needsComma = false
    output.append(0x7B)
    batch.visitFields(at: index, &self)
    output.append(0x7D)
    needsComma = true
  }
}
