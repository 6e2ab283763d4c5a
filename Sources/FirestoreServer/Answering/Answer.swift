import SluiceCore
import SluiceJSON

/// What a method answers, with what it cost.
struct Answer: Sendable {
  var body: [UInt8]
  /// Documents in the answer.
  var documents = 0
  /// Reads as Firestore would bill them.
  var billedReads = 0
  /// Writes that took effect, deletes not counted.
  var writes = 0
  /// Deletes that took effect.
  var deletes = 0
  /// Fields of the head.
  var headers: [(name: String, value: String)] = []

  /// An empty message.
  static let empty = Answer(body: Array("{}".utf8))
}

/// Writes the JSON of an answer.
struct AnswerWriter: ~Copyable {
  private var documents: FirestoreDocumentWriter
  private let database: DatabaseName
  private var collection: (path: ResourcePath, prefix: [UInt8])?

  /// A writer of answers about a database.
  init(_ database: DatabaseName) {
    self.database = database
    documents = FirestoreDocumentWriter(root: "\(database.text)/documents")
  }

  var bytes: [UInt8] { documents.output.bytes }

  mutating func append(_ json: StaticString) { documents.output.append(json) }

  mutating func append(json: [UInt8]) { documents.output.append(json.span) }

  mutating func append(string text: String) { documents.output.appendString(text.utf8.span) }

  /// A time in microseconds since 1970, in quotes.
  mutating func append(time microseconds: Int64) {
    documents.output.append("\"")
    documents.output.append(time: Microseconds.timestamp(microseconds))
    documents.output.append("\"")
  }

  /// Documents with commas between them.
  mutating func append(_ snapshots: some Sequence<Snapshot>, mask: [FieldPath]?) {
    documents.beginList()
    for snapshot in snapshots { append(next: snapshot, mask: mask) }
  }

  /// One document.
  mutating func append(_ snapshot: Snapshot, mask: [FieldPath]?) { append(CollectionOfOne(snapshot), mask: mask) }

  private mutating func append(next snapshot: Snapshot, mask: [FieldPath]?) {
    let key = key(of: snapshot)
    guard let revision = snapshot.revision, var fields = revision.fields else {
      return nameOnly(key)
    }
    if let mask { fields = Fields(FieldTree.project(fields.materialized, to: mask)) }
    if fields.isEmpty {
      // Proto3's JSON leaves an empty map out: the name, and the times in place of the closing brace.
      nameOnly(key)
      documents.output.truncate(to: documents.output.count - 1)
      append(",\"createTime\":")
      append(time: revision.created)
      append(",\"updateTime\":")
      append(time: revision.updated)
      return append("}")
    }
    let header = DocumentHeader(
      createTime: Microseconds.timestamp(revision.created), updateTime: Microseconds.timestamp(revision.updated))
    documents.begin(document: key.span, header: header)
    fields.visit(&documents)
    documents.endDocument()
  }

  private mutating func nameOnly(_ key: [UInt8]) {
    documents.begin(document: key.span, header: DocumentHeader(isMissing: true))
    documents.endDocument()
  }

  /// The canonical key of a document below the root.
  private mutating func key(of snapshot: Snapshot) -> [UInt8] {
    if collection?.path != snapshot.collection {
      collection = (snapshot.collection, Key(segments: snapshot.collection.segments.map(\.text)).bytes + [0x2F])
    }
    var key = collection?.prefix ?? []
    Key.append(snapshot.id.text.utf8, to: &key)
    return key
  }
}

extension HTTPReply {
  /// An error as Google's services answer it; `inArray` for methods whose answer is a JSON array.
  init(_ error: StatusError, inArray: Bool = false) {
    let json = JSON.encode(
      .map([
        Field(
          "error",
          .map([
            Field("code", .int(Int64(error.status.http))), Field("message", .string(error.message)),
            Field("status", .string(error.status.name)),
          ]))
      ]))
    self.init(status: error.status.http, body: inArray ? [0x5B] + json + [0x5D] : json)
  }

  /// A plain text.
  init(status: Int, text: String) {
    self.init(status: status, contentType: "text/plain; charset=UTF-8", body: Array(text.utf8))
  }
}
