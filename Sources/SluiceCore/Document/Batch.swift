/// Changes that share one page of memory, in the order of their source. What crosses tasks, what transforms edit, what
/// sinks visit.
///
/// A value: copying costs a few reference counts, edits copy what somebody else still holds. A batch, and every
/// document taken from it, keeps the whole page alive; who keeps documents beyond it calls `compacted()`.
public struct Batch: Sendable {
  /// What an entry of a batch is.
  @frozen public enum Kind: UInt8, Sendable, Hashable {
    /// A document as it is now.
    case upsert
    /// A document is gone.
    case delete
    /// A document that was left out, by a transform or by the engine: nobody visits it, but its key is known.
    case dropped
  }

  /// What stands beside the fields of a document.
  @usableFromInline @frozen package struct Entry: Sendable {
    @usableFromInline package var header: DocumentHeader
    @usableFromInline package var keyStart: UInt32
    @usableFromInline package var keyLength: UInt32
    /// The node of the document's map. Means nothing for a delete.
    @usableFromInline package var root: UInt32
    @usableFromInline package var kind: Kind

    @inlinable package init(
      _ kind: Kind, header: DocumentHeader, keyStart: UInt32, keyLength: UInt32, root: UInt32
    ) {
      self.kind = kind
      self.header = header
      self.keyStart = keyStart
      self.keyLength = keyLength
      self.root = root
    }

    @inlinable package var key: Range<Int> {
      Range(uncheckedBounds: (lower: Int(keyStart), upper: Int(keyStart) + Int(keyLength)))
    }
  }

  @usableFromInline package var tape: Tape
  @usableFromInline package var entries: [Entry]

  /// An empty batch.
  public init() { self.init(tape: Tape(), entries: []) }

  /// A batch over a tape.
  package init(tape: consuming Tape, entries: consuming [Entry]) {
    self.tape = tape
    self.entries = entries
  }

  /// Visits every upsert and delete once, in order. The hot path: nothing is allocated, nothing is counted.
  /// Entries that were left out are not visited.
  @inlinable public func visit<V: DocumentVisitor & ~Copyable>(_ visitor: inout V) {
    visit(entries.indices, &visitor)
  }

  /// Visits the upserts and deletes of a part of the batch.
  @inlinable public func visit<V: DocumentVisitor & ~Copyable>(_ range: Range<Int>, _ visitor: inout V) {
    let nodes = tape.nodes.span
    let bytes = tape.bytes.span
    let entries = self.entries.span
    for index in range {
      let entry = entries[index]
      switch entry.kind {
      case .upsert:
        visitor.begin(document: bytes.extracting(entry.key), header: entry.header)
        Tape.walkFields(of: Int(entry.root), nodes, bytes, &visitor)
        visitor.endDocument()
      case .delete: visitor.delete(key: bytes.extracting(entry.key), version: entry.header.version)
      case .dropped: break
      }
    }
  }

  /// Visits the fields of one upsert, without a call for the document around them. Nothing for other entries.
  @inlinable public func visitFields<V: ValueVisitor & ~Copyable>(at index: Int, _ visitor: inout V) {
    let entry = entries[index]
    if entry.kind == .upsert { Tape.walkFields(of: Int(entry.root), tape.nodes.span, tape.bytes.span, &visitor) }
  }
}

/// What can be known of an entry without making a document.
extension Batch {
  /// What the entry is.
  public func kind(at index: Int) -> Kind { entries[index].kind }

  /// Version and times. Of a delete only the version means something.
  public func header(at index: Int) -> DocumentHeader { entries[index].header }

  /// Lends the canonical text of the entry's key.
  @inlinable public func withKeyBytes<R, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try body(tape.bytes.span.extracting(entries[index].key))
  }

  /// The entry's key.
  public func key(at index: Int) -> Key { Key(unchecked: Array(tape.bytes[entries[index].key])) }

  /// The fields of an upsert; empty for other entries.
  public func fields(at index: Int) -> Fields {
    let entry = entries[index]
    return entry.kind == .upsert ? Fields(tape: tape, root: Int(entry.root)) : Fields()
  }

  /// The fingerprint of an upsert's content; see `Document.fingerprint`. Of another entry, that of no fields.
  ///
  /// `timestampDigits` are the digits of a second's fraction that count: a sink's `Capabilities.timestampDigits`.
  public func fingerprint(at index: Int, timestampDigits: Int = 9) -> Fingerprint {
    let entry = entries[index]
    if entry.kind != .upsert { return Fingerprint.ofNoFields }
    if entry.header.isMissing { return Fingerprint.ofMissingDocument }
    if timestampDigits >= 9 { return Fingerprint(ofMap: Int(entry.root), on: tape) }
    return Fingerprint(ofMap: Int(entry.root), on: tape, timestampDigits: timestampDigits)
  }

  /// How many entries are of a kind. Counts them: linear in the number of entries.
  public func count(of kind: Kind) -> Int { entries.count { $0.kind == kind } }

  /// The memory its entries, nodes and bytes take, in bytes, whoever else shares it.
  public var byteCount: Int {
    tape.bytes.count + tape.nodes.count * MemoryLayout<Node>.stride + entries.count * MemoryLayout<Entry>.stride
  }
}

extension Batch: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of entries, left-out ones among them.
  public var endIndex: Int { entries.count }

  /// One entry. Costs reference counts, and for a delete or a left-out entry the copy of its key; loops over whole
  /// batches use `visit(_:)`.
  public subscript(index: Int) -> Change {
    let entry = entries[index]
    return switch entry.kind {
    case .upsert: .upsert(Document(tape: tape, entry: entry))
    case .delete: .delete(key: key(at: index), version: entry.header.version)
    case .dropped: .dropped(key: key(at: index), version: entry.header.version)
    }
  }
}

extension Batch {
  /// The same documents with other kinds of entries: what the engine makes for each sink. Nodes and bytes are shared.
  ///
  /// `decide` gets each index with its kind, in order, and returns the kind to have. An upsert may become a delete (of
  /// its key and version) or be left out; a left-out entry may become a delete; a delete may be left out. Nothing
  /// becomes an upsert: asking for that is a programming error and traps.
  public func resolving<E: Error>(_ decide: (Int, Kind) throws(E) -> Kind) throws(E) -> Batch {
    var batch = self
    for index in entries.indices {
      let old = entries[index].kind
      let new = try decide(index, old)
      if new == old { continue }
      precondition(new != .upsert, "an entry without content cannot become an upsert")
      batch.entries[index].kind = new
    }
    return batch
  }

  /// A batch of a part of the entries, over the same memory.
  public func slice(_ range: Range<Int>) -> Batch { Batch(tape: tape, entries: Array(entries[range])) }
}

/// One entry of a batch, by itself.
public enum Change: Sendable, Equatable {
  /// A document as it is now.
  case upsert(Document)
  /// The document of this key is gone, as of this version.
  case delete(key: Key, version: Version)
  /// A document of this key and version was left out.
  case dropped(key: Key, version: Version)

  /// The key of whatever it is.
  public var key: Key {
    switch self {
    case .upsert(let document): document.key
    case .delete(let key, _), .dropped(let key, _): key
    }
  }
}
