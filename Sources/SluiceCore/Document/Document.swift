/// A document: key, header and fields, as a place in a page. Copying costs reference counts; `compacted()` takes it out.
public struct Document: Sendable {
  private let storedKey: Range<Int>
  private let keyTape: [UInt8]
  /// Version and times.
  public var header: DocumentHeader
  /// The fields, in the order of the source.
  public var fields: Fields

  package init(tape: Tape, entry: Batch.Entry) {
    storedKey = entry.key
    keyTape = tape.bytes
    header = entry.header
    fields = Fields(tape: tape, root: Int(entry.root))
  }

  /// A document by itself. Of equal names the last one stays.
  public init(key: Key, header: DocumentHeader = DocumentHeader(), _ fields: [Field]) {
    self.init(key: key, header: header, Fields(fields))
  }

  /// A document by itself.
  public init(key: Key, header: DocumentHeader = DocumentHeader(), _ fields: Fields) {
    storedKey = key.bytes.indices
    keyTape = key.bytes
    self.header = header
    self.fields = fields
  }

  /// The key. Makes a copy of its bytes.
  public var key: Key { Key(unchecked: Array(keyTape[storedKey])) }

  /// Lends the key's canonical text.
  public func withKeyBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(keyTape.span.extracting(storedKey))
  }

  /// How new it is.
  public var version: Version { header.version }
  /// When it was made, where the source says so.
  public var createTime: Timestamp? { header.createTime }
  /// When it was last changed, where the source says so.
  public var updateTime: Timestamp? { header.updateTime }
  /// A name without a document, only with documents below it.
  public var isMissing: Bool { header.isMissing }

  /// 16 bytes over the content. Order of names and spelling (`1.50`, `15e-1`) do not count; kinds, composed and
  /// decomposed letters, 0.0 and −0.0, whole numbers and doubles do. Key, version and times are not part of it; that
  /// the document is missing is.
  public var fingerprint: Fingerprint { isMissing ? .ofMissingDocument : fields.fingerprint }

  /// A copy with memory of its own, exactly as large as it needs.
  public func compacted() -> Document { Document(key: key, header: header, fields.compacted()) }
}

extension Document: Equatable {
  /// Same key, header and content.
  public static func == (a: Document, b: Document) -> Bool {
    a.header == b.header && a.key == b.key && a.fields == b.fields
  }
}
