/// Copies live documents from one tape to another of the exact size: measure everything, reserve, copy everything.
struct TapeCopier {
  private let source: Tape
  private var result = Tape()
  private var nodeCount = 0
  private var byteCount = 0

  init(from source: Tape) { self.source = source }

  /// Counts bytes outside the nodes: keys.
  mutating func measure(bytes: Range<Int>) { byteCount += bytes.count }

  /// Counts a value.
  mutating func measure(_ index: Int) {
    let node = source.nodes[index]
    nodeCount += 1
    switch node.kind {
    case .map, .more:
      source.forEachName(in: index) { name in
        nodeCount += 1
        byteCount += Int(source.nodes[name].length)
        measure(source.value(ofName: name))
        return true
      }
    case .array, .vector, .geoPoint: forEachItem(of: index) { $0.measure($1) }
    case .unknown:
      nodeCount += 1
      byteCount += Int(node.length) + Int(source.nodes[index + 1].length)
    default: if node.kind.hasText { byteCount += Int(node.length) }
    }
  }

  /// Makes room for all that was measured.
  mutating func reserve() {
    result.nodes.reserveCapacity(nodeCount)
    result.bytes.reserveCapacity(byteCount)
  }

  /// Copies bytes outside the nodes, and returns where they begin now.
  mutating func copy(bytes range: Range<Int>) -> UInt32 {
    let start = result.bytes.count
    result.bytes.append(contentsOf: source.bytes[range])
    return UInt32(start)
  }

  /// Copies a value, without what was dropped and with what was moved in its place. Returns its new index.
  @discardableResult mutating func copy(_ index: Int) -> UInt32 {
    let place = result.nodes.count
    switch source.nodes[index].kind {
    case .map, .more:
      result.nodes.append(Node(.map))
      source.forEachName(in: index) { name in
        append(textOf: name)
        copy(source.value(ofName: name))
        return true
      }
      result.nodes[place].end = UInt32(result.nodes.count)
    case .array, .vector, .geoPoint:
      result.nodes.append(source.nodes[index])
      forEachItem(of: index) { $0.copy($1) }
      result.nodes[place].end = UInt32(result.nodes.count)
    case .unknown:
      append(textOf: index)
      append(textOf: index + 1)
      result.nodes[place].end = UInt32(result.nodes.count)
    default: append(textOf: index)
    }
    return UInt32(place)
  }

  consuming func finish() -> Tape { result }

  private mutating func append(textOf index: Int) {
    var node = source.nodes[index]
    node.flags.remove(.moved)
    if node.kind.hasText { node.start = copy(bytes: node.range) }
    result.nodes.append(node)
  }

  private mutating func forEachItem(of list: Int, _ body: (inout TapeCopier, Int) -> Void) {
    var index = list + 1
    while index < Int(source.nodes[list].end) {
      body(&self, index)
      index = source.end(of: index)
    }
  }
}

extension Node.Kind {
  /// Whether `start` and `length` are a range of the arena.
  var hasText: Bool {
    switch self {
    case .intText, .doubleText, .decimal, .timestampText, .base64, .string, .reference, .bytes, .name, .unknown: true
    case .null, .isFalse, .isTrue, .int, .double, .timestamp, .array, .vector, .geoPoint, .map, .more: false
    }
  }
}

extension Batch {
  /// An exact copy with memory of its own: one allocation for each of its arrays. For whoever keeps documents beyond
  /// their page. Indices stay the same; a left-out entry keeps its key and version only.
  public func compacted() -> Batch {
    var copier = TapeCopier(from: tape)
    for entry in entries {
      copier.measure(bytes: entry.key)
      if entry.kind == .upsert { copier.measure(Int(entry.root)) }
    }
    copier.reserve()
    var copies: [Entry] = []
    copies.reserveCapacity(entries.count)
    for var entry in entries {
      entry.keyStart = copier.copy(bytes: entry.key)
      entry.root = entry.kind == .upsert ? copier.copy(Int(entry.root)) : 0
      copies.append(entry)
    }
    return Batch(tape: copier.finish(), entries: copies)
  }
}
