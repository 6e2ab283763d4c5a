/// Nodes over one byte arena: the memory that the documents of a batch share.
///
/// Plain arrays, so that copying costs reference counts, edits copy on write, and reading needs no unsafe code.
@usableFromInline @frozen package struct Tape: Sendable {
  @usableFromInline package var nodes: [Node]
  @usableFromInline package var bytes: [UInt8]

  /// A tape; the nodes must be well formed over the bytes.
  @inlinable package init(nodes: [Node] = [], bytes: [UInt8] = []) {
    self.nodes = nodes
    self.bytes = bytes
  }

  /// The most bytes a source may put on a tape (2 GiB). Offsets have 32 bits; the other half is room for edits.
  package static let maximumBytes = 1 << 31
  /// How deep values may nest where a source builds them. Firestore allows 20.
  package static let maximumDepth = 200

  /// The index after the value that begins at `index`.
  @inlinable package func end(of index: Int) -> Int {
    let node = nodes[index]
    return node.isContainer ? Int(node.end) : index + 1
  }

  /// Where the value of the name at `index` lies.
  @inlinable package func value(ofName index: Int) -> Int {
    let name = nodes[index]
    return name.isMoved ? Int(name.end) : index + 1
  }

  /// Calls `body` with the index of each live name of a map, in order, until it returns false.
  package func forEachName(in map: Int, _ body: (Int) throws -> Bool) rethrows {
    var list = map
    repeat {
      var index = list + 1
      let end = Int(nodes[list].end)
      while index < end {
        let next = self.end(of: index + 1)
        if nodes[index].isLive, try !body(index) { return }
        index = next
      }
      list = Int(nodes[list].start)
    } while list != 0
  }

  /// The index of the live name with these bytes.
  package func name(_ utf8: [UInt8], in map: Int) -> Int? {
    var found: Int?
    forEachName(in: map) { index in
      let node = nodes[index]
      guard Int(node.length) == utf8.count, holds(utf8, at: Int(node.start)) else { return true }
      found = index
      return false
    }
    return found
  }

  private func holds(_ utf8: [UInt8], at start: Int) -> Bool {
    for i in utf8.indices where bytes[start + i] != utf8[i] { return false }
    return true
  }

  /// Lends the bytes of a range.
  @inlinable package func withBytes<R, E: Error>(
    _ range: Range<Int>, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try body(bytes.span.extracting(range))
  }

  /// The text of a range, which must be valid UTF-8.
  package func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
