import SluiceCore
import SluiceJSON

/// Documents as lines of JSON, made and read beside the adapters.
enum Lines {
  static func encode(_ documents: [Document], _ encoding: JSONLinesEncoding) throws -> [UInt8] {
    var builder = BatchBuilder()
    for document in documents { builder.add(document) }
    var writer = JSONLinesWriter(encoding)
    return try writer.write(builder.finish()) { lines, _, _ in Array(lines) }
  }

  /// What the lines of a log amount to: of each key the last line.
  static func decode(_ bytes: [UInt8], _ encoding: JSONLinesEncoding, isLog: Bool = false) throws -> [Document] {
    let batch = try encoding == .typed ? TypedDecoder().lines(bytes) : PlainDecoder().lines(bytes)
    if !isLog { return batch.documents }
    var held: [Key: Document] = [:]
    for change in batch {
      if case .upsert(let document) = change { held[change.key] = document } else { held[change.key] = nil }
      if case .upsert(let document) = change, document.fields["_deleted"] == .bool(true) { held[change.key] = nil }
    }
    return Array(held.values)
  }
}

extension Batch {
  /// The documents of the batch.
  var documents: [Document] { compactMap { if case .upsert(let document) = $0 { document } else { nil } } }
}
