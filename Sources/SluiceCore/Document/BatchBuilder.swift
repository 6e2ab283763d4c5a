/// Makes a batch. It is a visitor: whatever can be visited can be built or copied.
///
/// An author with dictionaries: `var b = BatchBuilder()`, then for each row
/// `b.add(key: row.id, ["age": .int(row.age), "name": .string(row.name)])`, then `try b.finish()`.
/// The first fault (text that is not UTF-8, calls that are not well nested, more than 2 GiB or 200 levels) is kept
/// and thrown by `finish()`. Of equal names in one map the last one stays.
public struct BatchBuilder: DocumentVisitor, ~Copyable {
  private var writer = TapeWriter(tape: Tape())
  private var entries: [Batch.Entry] = []
  private var failure: SluiceError?
  private var isInDocument = false

  /// An empty builder.
  public init() {}

  /// A builder with room for about so many documents and bytes.
  public init(documents: Int, bytes: Int) {
    entries.reserveCapacity(documents)
    writer.tape.bytes.reserveCapacity(bytes)
  }

  /// How many entries there are so far.
  public var count: Int { entries.count }

  /// Adds a document of a flat collection: `key` is its id, any text.
  public mutating func add(
    key: String, header: DocumentHeader = DocumentHeader(), _ fields: KeyValuePairs<String, Value>
  ) {
    add(key: Key(key), header: header, fields.map { Field($0.key, $0.value) })
  }

  /// Adds a document of a flat collection: `key` is its id, any text. For dictionaries; a literal goes to the other
  /// method, which keeps its order.
  @_disfavoredOverload public mutating func add(
    key: String, header: DocumentHeader = DocumentHeader(), _ fields: some Sequence<(key: String, value: Value)>
  ) {
    add(key: Key(key), header: header, fields.map { Field($0.key, $0.value) })
  }

  /// Adds a document.
  public mutating func add(key: Key, header: DocumentHeader = DocumentHeader(), _ fields: [Field]) {
    begin(document: key.bytes.span, header: header)
    for field in fields { field.visit(&self) }
    endDocument()
  }

  /// Adds a document from another batch.
  public mutating func add(_ document: Document) {
    document.withKeyBytes { begin(document: $0, header: document.header) }
    document.fields.visit(&self)
    endDocument()
  }

  /// Adds that the document of this key is gone.
  public mutating func delete(key: Key, version: Version = .none) { delete(key: key.bytes.span, version: version) }

  /// Adds an entry of whatever kind.
  public mutating func add(_ change: Change) {
    switch change {
    case .upsert(let document): add(document)
    case .delete(let key, let version): delete(key: key, version: version)
    case .dropped(let key, let version):
      addEntry(.dropped, key: key.bytes.span, header: DocumentHeader(version: version))
    }
  }

  /// The batch. Throws the first fault, with the key of its document where it has one.
  public consuming func finish() throws(SluiceError) -> Batch {
    noteFailure()
    if let failure { throw failure }
    if isInDocument { throw SluiceError(.internal, "a document was begun and not ended") }
    return Batch(tape: writer.finish(), entries: entries)
  }
}

extension BatchBuilder {
  /// A document begins. `key` must be canonical text.
  public mutating func begin(document key: Span<UInt8>, header: DocumentHeader) {
    if isInDocument { writer.fail("a document begins inside another", code: .internal) }
    isInDocument = true
    addEntry(.upsert, key: key, header: header)
    writer.begin(.map)
  }

  /// The document is complete.
  public mutating func endDocument() {
    if !isInDocument { writer.fail("a document ends that was not begun", code: .internal) }
    writer.end(.map)
    isInDocument = false
    noteFailure()
  }

  /// The document of this key is gone.
  public mutating func delete(key: Span<UInt8>, version: Version) {
    if isInDocument { writer.fail("a delete came inside a document", code: .internal) }
    addEntry(.delete, key: key, header: DocumentHeader(version: version))
  }

  /// The name of the next value of a map.
  public mutating func name(_ utf8: Span<UInt8>, plain: Bool) { writer.name(utf8, plain: plain) }

  /// A scalar.
  public mutating func value(_ scalar: Scalar) {
    if isInDocument { writer.value(scalar) } else { failOutside() }
  }

  /// A scalar as its canonical text. Text that is not canonical is a fault.
  public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    if isInDocument { writer.text(utf8, as: spelling) } else { failOutside() }
  }

  /// The values up to the matching `end` lie in this container.
  public mutating func begin(_ container: Container) {
    if isInDocument { writer.begin(container) } else { failOutside() }
  }

  /// The container that was begun last is complete.
  public mutating func end(_ container: Container) {
    if writer.depth < 2 { return writer.fail("the end of a container does not match its beginning", code: .internal) }
    writer.end(container)
  }

  private mutating func failOutside() { writer.fail("a value came outside a document", code: .internal) }

  private mutating func addEntry(_ kind: Batch.Kind, key: Span<UInt8>, header: DocumentHeader) {
    if writer.tape.bytes.count + key.count > Tape.maximumBytes {
      return writer.fail("a batch is larger than 2 GiB: make smaller pages", code: .limitExceeded)
    }
    if failure != nil { return }
    let place = writer.tape.append(key)
    entries.append(
      Batch.Entry(
        kind, header: header, keyStart: place.start, keyLength: place.length, root: UInt32(writer.tape.nodes.count)))
  }

  /// Takes the writer's fault over, with the key of the document it belongs to.
  private mutating func noteFailure() {
    guard failure == nil, var error = writer.failure else { return }
    if let entry = entries.last { error.place.key = writer.tape.string(entry.key) }
    failure = error
  }
}
