import SluiceCore
import SluiceJSON

/// This package's loss-free lines, and typed values by themselves.
enum TypedTarget {
  static func check(_ bytes: [UInt8]) {
    checkLines(bytes)
    checkValue(bytes)
    checkFields(bytes)
    _ = read(bytes) { (bytes) throws(SluiceError) in try TypedDecoder().items(bytes) }
  }

  private static func checkLines(_ bytes: [UInt8]) {
    let decoder = TypedDecoder()
    var strict = decoder
    strict.unknownValues = .refuse
    let kept = read(bytes) { (bytes) throws(SluiceError) in try decoder.lines(bytes) }
    let refused = read(bytes) { (bytes) throws(SluiceError) in try strict.lines(bytes) }
    guard let batch = kept.value else { return expect(refused.value == nil, "who keeps what is unknown reads more") }
    refused.value?.expectSame(as: batch, "both ways with what is unknown")
    batch.compacted().expectSame(as: batch, "a copy")
    var writer = TypedJSONLinesWriter(deletes: .write)
    writer.write(batch)
    let text = writer.output.bytes
    guard let again = read(text, { (bytes) throws(SluiceError) in try decoder.lines(bytes) }).value else {
      return expect(false, "what was written can be read")
    }
    expect(again.count == batch.count, "as many lines")
    for index in batch.indices {
      expect(again[index] == batch[index], "line \(index) is \(batch[index]), then \(again[index])")
      if batch.kind(at: index) == .upsert {
        expect(again.fingerprint(at: index) == batch.fingerprint(at: index), "the fingerprint of line \(index)")
      }
    }
    var second = TypedJSONLinesWriter(deletes: .write)
    second.write(again)
    expect(second.output.bytes == text, "written twice")
  }

  private static func checkValue(_ bytes: [UInt8]) {
    guard let value = read(bytes, { (bytes) throws(SluiceError) in try JSON.parseTyped(bytes) }).value else { return }
    let text = JSON.encodeTyped(value)
    let again = read(text) { (bytes) throws(SluiceError) in try JSON.parseTyped(bytes) }
    expect(again.value == value, "\(value), then \(again)")
    expect(again.value.map { JSON.encodeTyped($0) } == text, "written twice")
    // Plain JSON loses kinds, and is JSON all the same.
    let plain = JSON.encode(value)
    let plainAgain = read(plain) { (bytes) throws(SluiceError) in try JSON.parse(bytes, duplicates: .last) }
    expect(plainAgain.value != nil || plainAgain.error?.code == .limitExceeded, "plain JSON of it: \(plainAgain)")
  }

  private static func checkFields(_ bytes: [UInt8]) {
    guard let fields = read(bytes, { (bytes) throws(SluiceError) in try JSON.parseTypedFields(bytes) }).value else {
      return
    }
    let again = read(JSON.encodeTyped(fields)) { (bytes) throws(SluiceError) in try JSON.parseTypedFields(bytes) }
    expect(again.value == fields, "\(fields), then \(again)")
  }
}
