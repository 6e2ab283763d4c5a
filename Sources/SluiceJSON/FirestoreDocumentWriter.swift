import SluiceCore

/// Writes documents as Firestore answers them: `{"name": …, "fields": {…}, "createTime": …, "updateTime": …}`, joined
/// with commas. What stands around them, the caller appends to `output`.
///
/// A name without a document has neither fields nor times. Deletes are not written.
public struct FirestoreDocumentWriter: DocumentVisitor, ~Copyable {
  private var writer: TypedValueWriter
  private let root: [UInt8]
  private var header = DocumentHeader()
  private var isFirst = true

  /// A writer of documents whose names begin with `root`, such as `projects/p/databases/(default)/documents/users`.
  public init(root: String, capacity: Int = 1 << 16) {
    writer = TypedValueWriter(capacity: capacity)
    self.root = Array((root.isEmpty || root.hasSuffix("/") ? root : root + "/").utf8)
  }

  /// What was written.
  public var output: OutputBuffer {
    _read { yield writer.output }
    _modify { yield &writer.output }
  }

  /// The next document is the first of a new list: no comma stands before it.
  public mutating func beginList() { isFirst = true }

  /// Begins a document.
  public mutating func begin(document key: Span<UInt8>, header: DocumentHeader) {
    self.header = header
    if !isFirst { writer.output.append(0x2C) }
    isFirst = false
    writer.output.append("{\"name\":")
    var name = root
    name.append(key)
    if name.contains(0x25) { name = root + Key.unescapedPath(key) }
    writer.output.appendString(name.span)
    if !header.isMissing { writer.output.append(",\"fields\":{") }
    writer.needsComma = false
  }

  /// Ends the document.
  public mutating func endDocument() {
    if !header.isMissing {
      writer.output.append("}")
      writer.output.appendTimes(of: header)
    }
    writer.output.append("}")
  }

  /// Writes nothing.
  public mutating func delete(key: Span<UInt8>, version: Version) {}

  /// Writes a name and its colon.
  public mutating func name(_ utf8: Span<UInt8>, plain: Bool) { writer.name(utf8, plain: plain) }

  /// Writes a scalar.
  public mutating func value(_ scalar: Scalar) { writer.value(scalar) }

  /// Copies a scalar's text.
  public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) { writer.text(utf8, as: spelling) }

  /// Opens a container.
  public mutating func begin(_ container: Container) { writer.begin(container) }

  /// Closes a container.
  public mutating func end(_ container: Container) { writer.end(container) }
}
