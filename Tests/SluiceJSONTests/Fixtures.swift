import SluiceCore
import SluiceJSON
import Testing

/// What every document's name in these tests begins with.
let root = "projects/p/databases/(default)/documents/users/"

/// A list page of one document `a` with these fields.
func page(fields: String) -> [UInt8] {
  Array(
    """
    {"documents":[{"name":"\(root)a","fields":\(fields),"createTime":"2024-01-01T00:00:00Z",\
    "updateTime":"2024-01-02T03:04:05.678901Z"}]}
    """.utf8)
}

/// The fields of the one document of a page.
func decoded(_ fields: String) throws -> [Field] {
  try FirestoreDecoder(root: root).listPage(page(fields: fields)).batch.fields(at: 0).materialized
}

/// The value of the one typed value.
func typed(_ json: String) throws -> Value { try JSON.parseTyped(Array(json.utf8)) }

/// The lines a batch is written as.
func plainLines(_ batch: Batch) -> String {
  var writer = PlainJSONLinesWriter()
  writer.write(batch)
  return String(decoding: writer.output.bytes, as: UTF8.self)
}

/// The lines a batch is written as.
func typedLines(_ batch: Batch) -> String {
  var writer = TypedJSONLinesWriter()
  writer.write(batch)
  return String(decoding: writer.output.bytes, as: UTF8.self)
}

/// A batch of one document `k` with these fields.
func batch(_ fields: [Field], header: DocumentHeader = DocumentHeader()) throws -> Batch {
  var builder = BatchBuilder()
  builder.add(key: Key("k"), header: header, fields)
  return try builder.finish()
}

/// The error that a piece of work throws.
func error(_ body: () throws(SluiceError) -> Void) -> SluiceError? {
  do throws(SluiceError) {
    try body()
    return nil
  } catch {
    return error
  }
}
