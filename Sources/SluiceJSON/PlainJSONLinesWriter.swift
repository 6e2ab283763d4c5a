import SluiceCore

/// Writes one line of plain JSON per document: the key first, in `_key`, then the fields at the top level.
///
/// See `PlainValueWriter` for how kinds that JSON lacks are written. Names without a document are not written.
public struct PlainJSONLinesWriter: DocumentVisitor, ~Copyable {
  /// What to do with deletes.
  public enum Deletes: Sendable {
    /// They are not written: a file of what there is.
    case skip
    /// As `{"_key": …, "_deleted": true}`: a change log.
    case write
  }

  /// A document that could not be written; nothing of it is in the output.
  public struct Rejection: Sendable {
    /// The canonical text of its key.
    public var key: [UInt8]
    /// Why.
    public var error: SluiceError
  }

  private var writer: PlainValueWriter
  private let keyField: [UInt8]
  /// `{"_key":`
  private let opening: [UInt8]
  private let deletedField: [UInt8]?
  private var lineStart = 0
  private var depth = 0
  private var isSkipped = false
  private var clash: [UInt8]?
  private var key: [UInt8] = []

  /// The documents that could not be written since the list was last emptied.
  public private(set) var rejections: [Rejection] = []

  /// A writer. A document with a field of the key's name, or of `_deleted` where deletes are written, is rejected.
  public init(keyField: String = "_key", deletes: Deletes = .skip, capacity: Int = 1 << 16) {
    writer = PlainValueWriter(capacity: capacity)
    self.keyField = Array(keyField.utf8)
    opening = [0x7B] + JSON.encode(.string(keyField)) + [0x3A]
    deletedField = deletes == .write ? Array("_deleted".utf8) : nil
  }

  /// What was written: whole lines.
  public var output: OutputBuffer {
    _read { yield writer.output }
    _modify { yield &writer.output }
  }

  /// Writes a batch. The same as visiting it, specialised.
  public mutating func write(_ batch: Batch) { batch.visit(&self) }

  /// Hands the list of rejections over and begins a new one.
  public mutating func takeRejections() -> [Rejection] {
    defer { rejections = [] }
    return rejections
  }

  /// Begins a line.
  public mutating func begin(document key: Span<UInt8>, header: DocumentHeader) {
    isSkipped = header.isMissing
    lineStart = writer.output.count
    self.key.removeAll(keepingCapacity: true)
    self.key.append(key)
    beginLine(key)
  }

  /// Ends the line.
  public mutating func endDocument() {
    if clash != nil || isSkipped { return giveUp() }
    writer.output.append("}\n")
  }

  /// Writes a delete, or nothing.
  public mutating func delete(key: Span<UInt8>, version: Version) {
    guard let deletedField else { return }
    beginLine(key)
    writer.name(deletedField.span, plain: true)
    writer.value(.bool(true))
    writer.output.append("}\n")
  }

  /// Writes a name and its colon.
  @inline(__always) public mutating func name(_ utf8: Span<UInt8>, plain: Bool) {
    if depth == 0, utf8.count == keyField.count || utf8.count == deletedField?.count { checkClash(utf8) }
    writer.name(utf8, plain: plain)
  }

  /// Writes a scalar.
  public mutating func value(_ scalar: Scalar) { writer.value(scalar) }

  /// Copies a scalar's text.
  @inline(__always) public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    writer.text(utf8, as: spelling)
  }

  /// Opens a container.
  @inline(__always) public mutating func begin(_ container: Container) {
    depth += 1
    writer.begin(container)
  }

  /// Closes a container.
  @inline(__always) public mutating func end(_ container: Container) {
    depth -= 1
    writer.end(container)
  }

  private mutating func beginLine(_ key: Span<UInt8>) {
    let opening = opening
    writer.output.append(opening.span)
    writer.output.appendString(key)
    writer.needsComma = true
  }

  @inline(never) private mutating func checkClash(_ utf8: Span<UInt8>) {
    if utf8.isEqual(to: keyField) || (deletedField.map { utf8.isEqual(to: $0) } ?? false) {
      clash = (0..<utf8.count).map { utf8[$0] }
    }
  }

  /// Takes the line back.
  private mutating func giveUp() {
    if let clash {
      let field = String(decoding: clash, as: UTF8.self)
      rejections.append(
        Rejection(
          key: key,
          error: SluiceError(
            .rejected, "the document has a field \"\(field)\", which the file needs for itself",
            at: Place(key: String(decoding: key, as: UTF8.self), field: field),
            hint: "name another key_field, or rename or drop the field")))
    }
    clash = nil
    writer.output.truncate(to: lineStart)
  }
}
