import SluiceCore
import SluiceJSON

/// Firestore's answers: a page of a listing, one document, the elements of a query.
enum FirestoreTarget {
  private static let root = "projects/p/databases/(default)/documents/c/"

  static func check(_ bytes: [UInt8]) {
    let decoder = FirestoreDecoder(root: root)
    var strict = decoder
    strict.unknownValues = .refuse
    let kept = read(bytes) { (bytes) throws(SluiceError) in try decoder.listPage(bytes) }
    let refused = read(bytes) { (bytes) throws(SluiceError) in try strict.listPage(bytes) }
    if let page = kept.value {
      refused.value?.batch.expectSame(as: page.batch, "both ways with what is unknown")
      expect(page.nextPageToken != "", "a token is no empty text")
      roundTrip(page.batch)
    } else {
      expect(refused.value == nil, "who keeps what is unknown reads more")
    }
    if let batch = read(bytes, { (bytes) throws(SluiceError) in try decoder.document(bytes) }).value {
      expect(batch.count == 1, "one document")
      roundTrip(batch)
      typedRoundTrip(batch)
    }
    if let results = read(bytes, { (bytes) throws(SluiceError) in try decoder.queryResults(bytes) }).value {
      expect(results.skippedResults >= 0, "documents that were skipped can be counted")
      typedRoundTrip(results.batch)
    }
  }

  /// As a page of documents again.
  private static func roundTrip(_ batch: Batch) {
    var writer = FirestoreDocumentWriter(root: root)
    writer.output.append("{\"documents\":[")
    batch.visit(&writer)
    writer.output.append("]}")
    let text = writer.output.bytes
    let again = read(text) { (bytes) throws(SluiceError) in try FirestoreDecoder(root: root).listPage(bytes) }
    guard let page = again.value else { return expect(false, "what was written can be read: \(again)") }
    page.batch.expectSame(as: batch, "written and read")
    batch.compacted().expectSame(as: batch, "a copy")
  }

  /// As lines of this package's own.
  private static func typedRoundTrip(_ batch: Batch) {
    var writer = TypedJSONLinesWriter(deletes: .write)
    writer.write(batch)
    let again = read(writer.output.bytes) { (bytes) throws(SluiceError) in try TypedDecoder().lines(bytes) }
    guard let lines = again.value else { return expect(false, "what was written can be read: \(again)") }
    expect(Array(lines) == Array(batch), "written and read")
  }
}
