/// The fields of one document, in the order of the source: a place in a page. Copying costs two reference counts.
public struct Fields: Sendable {
  @usableFromInline let tape: Tape
  @usableFromInline let root: Int

  package init(tape: Tape, root: Int) {
    self.tape = tape
    self.root = root
  }

  /// No fields.
  public init() { self.init([]) }

  /// These fields. Of equal names the last one stays. A value that no tape can hold (a decimal that is no number, more
  /// than 200 levels) is a programming error and traps.
  public init(_ fields: [Field]) {
    var tape = Tape()
    if let failure = tape.write(.map(fields)) { preconditionFailure(failure.message) }
    self.init(tape: tape, root: 0)
  }

  /// Makes this one value. Nil when there is no such field; `.null` when it is there and null.
  public subscript(name: FieldName) -> Value? {
    tape.name(name.utf8, in: root).map { tape.value(at: tape.value(ofName: $0)) }
  }

  /// Makes this one value; see the subscript by field name, which is cheaper for a name used often.
  @_disfavoredOverload public subscript(name: String) -> Value? { self[FieldName(name)] }

  /// Makes the value at the end of a path. Nil when it, or a map on the way, is not there.
  public subscript(path: FieldPath) -> Value? { tape.find(path, from: root).map { tape.value(at: $0) } }

  /// Whether there is such a field, null or not.
  public func contains(_ name: FieldName) -> Bool { tape.name(name.utf8, in: root) != nil }

  /// Speaks names and values to a visitor, without `begin` and `end` of a map around them.
  @inlinable public func visit<V: ValueVisitor & ~Copyable>(_ visitor: inout V) {
    Tape.walkFields(of: root, tape.nodes.span, tape.bytes.span, &visitor)
  }

  /// Speaks the value of one field to a visitor. False when there is no such field.
  @inlinable public func visit<V: ValueVisitor & ~Copyable>(_ name: FieldName, _ visitor: inout V) -> Bool {
    guard let index = index(of: name) else { return false }
    Tape.walk(index, tape.nodes.span, tape.bytes.span, &visitor)
    return true
  }

  @usableFromInline func index(of name: FieldName) -> Int? {
    tape.name(name.utf8, in: root).map { tape.value(ofName: $0) }
  }

  /// The number of fields. Counts them.
  public var count: Int { tape.count(ofMap: root) }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }

  /// All of it, outside the page.
  public var materialized: [Field] { tape.fields(of: root) }

  /// 16 bytes over the content; see `Document.fingerprint`.
  public var fingerprint: Fingerprint { Fingerprint(ofMap: root, on: tape) }

  /// A copy with memory of its own, exactly as large as it needs.
  public func compacted() -> Fields {
    var copier = TapeCopier(from: tape)
    copier.measure(root)
    copier.reserve()
    copier.copy(root)
    return Fields(tape: copier.finish(), root: 0)
  }
}

extension Fields: Equatable {
  /// Same content, as the fingerprint understands it (order of names and spelling do not count), but compared in full.
  public static func == (a: Fields, b: Fields) -> Bool {
    a.fingerprint == b.fingerprint && Value.map(a.materialized) == Value.map(b.materialized)
  }
}

extension Tape {
  /// Where the value at the end of a path lies.
  package func find(_ path: FieldPath, from map: Int) -> Int? {
    var place = map
    for segment in path.segments {
      guard nodes[place].kind == .map, let name = name(segment.utf8, in: place) else { return nil }
      place = value(ofName: name)
    }
    return place
  }

  package func count(ofMap map: Int) -> Int {
    var count = 0
    forEachName(in: map) { _ in
      count += 1
      return true
    }
    return count
  }

  /// Puts a value at the end of the tape, and says what is wrong where the tape cannot hold it; then it is unchanged.
  package mutating func write(_ value: Value) -> SluiceError? {
    let mark = (nodes: nodes.count, bytes: bytes.count)
    var writer = TapeWriter(tape: self)
    self = Tape()
    value.visit(&writer)
    let failure = writer.failure
    self = writer.finish()
    if failure != nil {
      nodes.removeLast(nodes.count - mark.nodes)
      bytes.removeLast(bytes.count - mark.bytes)
    }
    return failure
  }
}
