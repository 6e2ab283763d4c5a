/// Tells cheaply whether a map may hold a name twice: one bit per name, chosen by its length and ends.
@usableFromInline @frozen package struct NameMask: Sendable {
  @usableFromInline var bits: UInt64 = 0
  /// Two names share a bit: they may be equal, and must be compared.
  @usableFromInline package private(set) var mayRepeat = false

  /// No names yet.
  @inlinable package init() {}

  /// Takes a name in.
  package mutating func insert(_ utf8: Span<UInt8>) {
    var hash = UInt64(truncatingIfNeeded: utf8.count)
    if utf8.count > 0 {
      hash = hash &* 5 &+ UInt64(utf8[0]) &* 11 &+ UInt64(utf8[utf8.count - 1]) &* 3 &+ UInt64(utf8[utf8.count / 2])
    }
    let bit: UInt64 = 1 << (hash & 63)
    if bits & bit != 0 { mayRepeat = true }
    bits |= bit
  }
}

extension Tape {
  /// Keeps the last of equal names of a map and drops the others. For a map that was just built: no `more`, no moves.
  package mutating func dropEarlierDuplicates(in map: Int) {
    for index in duplicates(in: map) { nodes[index].flags.insert(.dropped) }
  }

  /// The names of a map that come again later in it. Sorted comparison, so that a hostile map costs n log n.
  package func duplicates(in map: Int) -> [Int] {
    var names: [Int] = []
    forEachName(in: map) { index in
      names.append(index)
      return true
    }
    if names.count <= 24 { return duplicatesOfFew(names) }
    names.sort { a, b in
      let order = compareBytes(nodes[a].range, nodes[b].range)
      return order == 0 ? a < b : order < 0
    }
    return zip(names, names.dropFirst()).compactMap { a, b in
      compareBytes(nodes[a].range, nodes[b].range) == 0 ? a : nil
    }
  }

  private func duplicatesOfFew(_ names: [Int]) -> [Int] {
    var result: [Int] = []
    for (i, a) in names.enumerated() {
      for b in names[(i + 1)...]
      where nodes[a].length == nodes[b].length && compareBytes(nodes[a].range, nodes[b].range) == 0 {
        result.append(a)
        break
      }
    }
    return result
  }

  private func compareBytes(_ a: Range<Int>, _ b: Range<Int>) -> Int {
    var i = a.lowerBound
    var j = b.lowerBound
    while i < a.upperBound, j < b.upperBound {
      if bytes[i] != bytes[j] { return Int(bytes[i]) - Int(bytes[j]) }
      i += 1
      j += 1
    }
    return a.count - b.count
  }
}
