import SluiceCore
import SluiceJSON

/// Plain JSON: one value, one document, lines, items of an array.
enum JSONTarget {
  static func check(_ bytes: [UInt8]) {
    checkValue(bytes)
    checkLines(bytes)
    checkItems(bytes)
  }

  private static func checkValue(_ bytes: [UInt8]) {
    let strict = read(bytes) { (bytes) throws(SluiceError) in try JSON.parse(bytes) }
    let lenient = read(bytes) { (bytes) throws(SluiceError) in try JSON.parse(bytes, duplicates: .last) }
    if let value = strict.value {
      expect(lenient.value == value, "without a name twice, both policies read the same")
    } else if lenient.value != nil {
      expect(strict.error?.message.contains("twice") == true, "only a name twice is between the policies")
    }
    guard let value = lenient.value else { return }
    let text = JSON.encode(value)
    let again = read(text) { (bytes) throws(SluiceError) in try JSON.parse(bytes) }
    expect(again.value == value, "what was written reads as the same value")
    expect(again.value.map(JSON.encode) == text, "what was read writes the same text")
  }

  private static func checkLines(_ bytes: [UInt8]) {
    let decoder = PlainDecoder()
    let whole = read(bytes) { (bytes) throws(SluiceError) in try decoder.lines(bytes) }
    checkCuts(of: bytes, decoder, whole)
    var lenient = decoder
    lenient.duplicates = .last
    let last = read(bytes) { (bytes) throws(SluiceError) in try lenient.lines(bytes) }
    if let batch = whole.value {
      guard let other = last.value else { return expect(false, "without a name twice, both policies read") }
      batch.expectSame(as: other, "both policies")
      batch.compacted().expectSame(as: batch, "a copy")
      var writer = PlainJSONLinesWriter()
      writer.write(batch)
      expect(writer.rejections.isEmpty, "the key stands in its field only")
      let text = writer.output.bytes
      guard let again = read(text, { (bytes) throws(SluiceError) in try decoder.lines(bytes) }).value else {
        return expect(false, "what was written can be read")
      }
      again.expectSame(as: batch, "written and read")
      var second = PlainJSONLinesWriter()
      second.write(again)
      expect(second.output.bytes == text, "written twice")
    } else if last.value != nil {
      expect(whole.error?.message.contains("twice") == true, "only a name twice is between the policies")
    }
  }

  /// Lines read one by one are the lines read at once: the same documents, or the same place of the first error.
  private static func checkCuts(of bytes: [UInt8], _ decoder: PlainDecoder, _ whole: Outcome<Batch>) {
    var documents: [Change] = []
    var start = 0
    var line = 1
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      let part = Outcome { () throws(SluiceError) in try decoder.lines(Array(bytes[start..<end]), firstLine: line) }
      if let error = part.error {
        expect(whole.error?.place.line == error.place.line, "the line of the error: \(error)")
        expect(whole.error?.place.byteOffset == error.place.byteOffset.map { $0 + start }, "its offset: \(error)")
        return
      }
      documents += part.value.map { Array($0) } ?? []
      start = end
      line += 1
    }
    expect(whole.value.map { Array($0) } == documents, "lines one by one are the lines at once")
  }

  private static func checkItems(_ bytes: [UInt8]) {
    guard let batch = read(bytes, { (bytes) throws(SluiceError) in try PlainDecoder().items(bytes) }).value else {
      return
    }
    let array = Outcome { () throws(SluiceError) in try JSON.parse([0x5B] + bytes + [0x5D]) }
    if let error = array.error {
      expect(error.code == .limitExceeded, "items between brackets are an array: \(error)")
    } else if case .array(let items) = array.value {
      expect(items.count == batch.count, "\(items.count) items, \(batch.count) documents")
    }
  }
}
