import SluiceCore

/// Writes one line of the typed form per document or delete: everything that `TypedDecoder` reads, loss-free.
public struct TypedJSONLinesWriter: DocumentVisitor, ~Copyable {
  /// What to do with deletes.
  public enum Deletes: Sendable {
    /// They are not written: a file of what there is.
    case skip
    /// As `{"key": …, "deleted": true, "version": …}`: a change log.
    case write
  }

  private var writer: TypedValueWriter
  private let deletes: Deletes
  private var header = DocumentHeader()

  /// A writer.
  public init(deletes: Deletes = .skip, capacity: Int = 1 << 16) {
    writer = TypedValueWriter(capacity: capacity)
    self.deletes = deletes
  }

  /// What was written: whole lines.
  public var output: OutputBuffer {
    _read { yield writer.output }
    _modify { yield &writer.output }
  }

  /// Writes a batch. The same as visiting it, specialised.
  public mutating func write(_ batch: Batch) { batch.visit(&self) }

  /// Begins a line.
  public mutating func begin(document key: Span<UInt8>, header: DocumentHeader) {
    self.header = header
    writer.output.append("{\"key\":")
    writer.output.appendString(key)
    writer.output.append(",\"fields\":{")
    writer.needsComma = false
  }

  /// Ends the line.
  public mutating func endDocument() {
    writer.output.append("}")
    writer.output.appendTimes(of: header)
    if header.isMissing { writer.output.append(",\"missing\":true") }
    if header.version != header.updateTime.map({ .time($0) }) ?? .none { append(header.version) }
    writer.output.append("}\n")
  }

  /// Writes a delete, or nothing.
  public mutating func delete(key: Span<UInt8>, version: Version) {
    if deletes == .skip { return }
    writer.output.append("{\"key\":")
    writer.output.appendString(key)
    writer.output.append(",\"deleted\":true")
    append(version)
    writer.output.append("}\n")
  }

  /// Writes a name and its colon.
  @inline(__always) public mutating func name(_ utf8: Span<UInt8>, plain: Bool) { writer.name(utf8, plain: plain) }

  /// Writes a scalar.
  public mutating func value(_ scalar: Scalar) { writer.value(scalar) }

  /// Copies a scalar's text.
  @inline(__always) public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    writer.text(utf8, as: spelling)
  }

  /// Opens a container.
  public mutating func begin(_ container: Container) { writer.begin(container) }

  /// Closes a container.
  public mutating func end(_ container: Container) { writer.end(container) }

  private mutating func append(_ version: Version) {
    switch version {
    case .none: break
    case .sequence(let number):
      writer.output.append(",\"version\":{\"sequence\":\"")
      for byte in String(number).utf8 { writer.output.append(byte) }
      writer.output.append("\"}")
    case .time(let time):
      writer.output.append(",\"version\":{\"time\":\"")
      writer.output.append(time: time)
      writer.output.append("\"}")
    }
  }
}

extension OutputBuffer {
  /// Appends `,"createTime":"…","updateTime":"…"`, those there are.
  mutating func appendTimes(of header: DocumentHeader) {
    if let time = header.createTime {
      append(",\"createTime\":\"")
      append(time: time)
      append("\"")
    }
    if let time = header.updateTime {
      append(",\"updateTime\":\"")
      append(time: time)
      append("\"")
    }
  }
}
