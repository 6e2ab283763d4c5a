/// One document under a transform. Values that are not touched are never read.
///
/// Lent to the body of `Batch.edit(_:)`, one document after the other; it cannot be kept.
public struct FieldsEditor: ~Copyable {
  @usableFromInline var tape: Tape
  var entry: Batch.Entry
  var failure: SluiceError?

  init(tape: consuming Tape) {
    self.tape = tape
    entry = Batch.Entry(.dropped, header: DocumentHeader(), keyStart: 0, keyLength: 0, root: 0)
  }

  /// The document's map.
  @usableFromInline var root: Int { Int(entry.root) }

  /// The document's key.
  public var key: Key { Key(unchecked: Array(tape.bytes[entry.key])) }

  /// Lends the key's canonical text.
  public func withKeyBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try tape.withBytes(entry.key, body)
  }

  /// The document's version and times.
  public var header: DocumentHeader { entry.header }

  /// The value of a field; makes a `Value`. Nil when there is none.
  /// Setting replaces the value in its place, or adds the field at the end; setting nil removes it.
  public subscript(name: FieldName) -> Value? {
    get { tape.name(name.utf8, in: root).map { tape.value(at: tape.value(ofName: $0)) } }
    set {
      if let newValue { set(name, newValue, in: root) } else { remove(name) }
    }
  }

  /// The value at the end of a path; makes a `Value`. Nil when it, or a map on the way, is not there.
  public subscript(path: FieldPath) -> Value? { tape.find(path, from: root).map { tape.value(at: $0) } }

  /// Whether there is such a field, null or not.
  public func contains(_ name: FieldName) -> Bool { tape.name(name.utf8, in: root) != nil }

  /// Whether there is a value at the end of the path, null or not.
  public func contains(_ path: FieldPath) -> Bool { tape.find(path, from: root) != nil }

  /// Speaks the value of one field to a visitor, without making a `Value`. False when there is no such field.
  @inlinable public func visit<V: ValueVisitor & ~Copyable>(_ name: FieldName, _ visitor: inout V) -> Bool {
    guard let index = index(of: name) else { return false }
    walk(index, &visitor)
    return true
  }

  /// Speaks the value at the end of a path to a visitor. False when it, or a map on the way, is not there.
  @inlinable public func visit<V: ValueVisitor & ~Copyable>(_ path: FieldPath, _ visitor: inout V) -> Bool {
    guard let index = index(of: path) else { return false }
    walk(index, &visitor)
    return true
  }

  /// All fields, outside the page.
  public var materialized: [Field] { tape.fields(of: root) }

  @usableFromInline func index(of name: FieldName) -> Int? {
    tape.name(name.utf8, in: root).map { tape.value(ofName: $0) }
  }

  @usableFromInline func index(of path: FieldPath) -> Int? { tape.find(path, from: root) }

  @inlinable func walk<V: ValueVisitor & ~Copyable>(_ index: Int, _ visitor: inout V) {
    Tape.walk(index, tape.nodes.span, tape.bytes.span, &visitor)
  }
}

extension FieldsEditor {
  /// Removes a field. Does nothing when there is none.
  public mutating func remove(_ name: FieldName) {
    if let index = tape.name(name.utf8, in: root) { tape.nodes[index].flags.insert(.dropped) }
  }

  /// Removes the value at the end of a path. Does nothing when it, or a map on the way, is not there.
  public mutating func remove(_ path: FieldPath) {
    guard let (map, name) = parent(of: path), let index = tape.name(name.utf8, in: map) else { return }
    tape.nodes[index].flags.insert(.dropped)
  }

  /// Gives a field another name, in its place. A field that had that name before is removed. False, and nothing is
  /// done, when there is no field to rename.
  @discardableResult public mutating func rename(_ name: FieldName, to newName: FieldName) -> Bool {
    rename(name, to: newName, in: root)
  }

  /// Gives the last segment of a path another name, inside the same map; as `rename(_:to:)` does for a field.
  @discardableResult public mutating func rename(_ path: FieldPath, to newName: FieldName) -> Bool {
    guard let (map, name) = parent(of: path) else { return false }
    return rename(name, to: newName, in: map)
  }

  /// Keeps only these fields.
  public mutating func keep(only names: [FieldName]) { keep(only: names.map { FieldPath($0) }) }

  /// Keeps only what lies at or below these paths, with the maps on the way.
  public mutating func keep(only paths: [FieldPath]) { keep(paths[...], depth: 0, in: root) }

  /// Sets the value at the end of a path; maps that are missing on the way are made. Throws `rejected`, and changes
  /// nothing, where something that is no map stands in the way.
  public mutating func set(_ path: FieldPath, to value: Value) throws(SluiceError) {
    var map = root
    for (depth, segment) in path.segments.dropLast().enumerated() {
      guard let name = tape.name(segment.utf8, in: map) else {
        let rest = path.segments[(depth + 1)...].reversed()
        set(segment, rest.reduce(value) { .map([Field($1.description, $0)]) }, in: map)
        return
      }
      map = tape.value(ofName: name)
      guard tape.nodes[map].kind == .map else {
        throw SluiceError(
          .rejected, "\(path) cannot be set: \(segment) is no map",
          at: Place(key: key.description, field: path.description)
        )
      }
    }
    if let last = path.segments.last { set(last, value, in: map) }
  }
}

extension FieldsEditor {
  /// The map that holds the last segment of a path, with that segment.
  private func parent(of path: FieldPath) -> (map: Int, name: FieldName)? {
    var map = root
    for segment in path.segments.dropLast() {
      guard let name = tape.name(segment.utf8, in: map) else { return nil }
      map = tape.value(ofName: name)
      guard tape.nodes[map].kind == .map else { return nil }
    }
    return path.segments.last.map { (map, $0) }
  }

  private mutating func rename(_ name: FieldName, to newName: FieldName, in map: Int) -> Bool {
    guard let index = tape.name(name.utf8, in: map) else { return false }
    if name == newName { return true }
    if let other = tape.name(newName.utf8, in: map) { tape.nodes[other].flags.insert(.dropped) }
    let place = tape.append(newName.utf8.span)
    tape.nodes[index].start = place.start
    tape.nodes[index].length = place.length
    if newName.isPlain { tape.nodes[index].flags.insert(.plain) } else { tape.nodes[index].flags.remove(.plain) }
    return true
  }

  private mutating func keep(_ paths: ArraySlice<FieldPath>, depth: Int, in map: Int) {
    var names: [Int] = []
    tape.forEachName(in: map) { index in
      names.append(index)
      return true
    }
    for index in names {
      let node = tape.nodes[index]
      let matching = paths.filter { $0.segments[depth].utf8.elementsEqual(tape.bytes[node.range]) }
      if matching.contains(where: { $0.segments.count == depth + 1 }) { continue }
      let value = tape.value(ofName: index)
      if matching.isEmpty || tape.nodes[value].kind != .map {
        tape.nodes[index].flags.insert(.dropped)
      } else {
        keep(matching[...], depth: depth + 1, in: value)
      }
    }
  }

  private mutating func set(_ name: FieldName, _ value: Value, in map: Int) {
    if let index = tape.name(name.utf8, in: map) {
      replace(valueOfName: index, with: value)
    } else {
      add(name, value, to: map)
    }
    if failure?.place.field == nil { failure?.place.field = name.description }
  }

  /// A scalar takes the place of a scalar; anything else goes to the end of the tape, and the name points there.
  private mutating func replace(valueOfName index: Int, with value: Value) {
    let new = tape.nodes.count
    if let failure = tape.write(value) { return fail(failure) }
    let old = tape.value(ofName: index)
    if new == tape.nodes.count - 1, !tape.nodes[new].isContainer, !tape.nodes[old].isContainer {
      tape.nodes[old] = tape.nodes.removeLast()
    } else {
      tape.nodes[index].end = UInt32(new)
      tape.nodes[index].flags.insert(.moved)
    }
  }

  /// Adds to the last of the map's lists where that ends the tape, else to a new list after the last one, so that
  /// fields stay in the order they were added.
  private mutating func add(_ name: FieldName, _ value: Value, to map: Int) {
    var last = map
    while tape.nodes[last].start != 0 { last = Int(tape.nodes[last].start) }
    let mark = tape.nodes.count
    let goesOn = tape.nodes[last].kind == .more && Int(tape.nodes[last].end) == mark
    if !goesOn { tape.nodes.append(Node(.more)) }
    tape.append(name)
    if let failure = tape.write(value) {
      tape.nodes.removeLast(tape.nodes.count - mark)
      return fail(failure)
    }
    if !goesOn {
      tape.nodes[last].start = UInt32(mark)
      last = mark
    }
    tape.nodes[last].end = UInt32(tape.nodes.count)
  }

  private mutating func fail(_ error: SluiceError) {
    if failure == nil { failure = error.at(Place(key: key.description)) }
  }
}

extension Batch {
  /// Lends every document to `body`, in order, for changing its fields; where `body` returns false the document is left
  /// out. Works in place while nobody else holds the page, else on a copy.
  ///
  /// Throws what `body` throws, or `malformed_data` when a value was set that no document can hold (a decimal that is
  /// no number, more than 200 levels). Documents before that one are then changed, the others not.
  public mutating func edit(_ body: (inout FieldsEditor) throws -> Bool) throws {
    var editor = FieldsEditor(tape: tape)
    tape = Tape()
    defer { tape = editor.tape }
    for index in entries.indices where entries[index].kind == .upsert {
      editor.entry = entries[index]
      let stays = try body(&editor)
      if let failure = editor.failure { throw failure }
      if !stays { entries[index].kind = .dropped }
    }
  }
}
