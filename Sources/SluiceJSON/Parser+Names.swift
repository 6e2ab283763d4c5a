import SluiceCore

/// Names of a map: taken, and kept unique.
extension Parser {
  /// The names of one map so far. Two bits per name in two masks: only a name both of whose bits are set is compared.
  struct Names {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var count = 0
  }

  /// Beyond this many names a map is checked once at its end, by sorting.
  private static let fewNames = 32

  /// Takes a name and its colon, and puts the name on the tape. Returns its node. `i` is behind the opening quote.
  @inline(__always) mutating func name(in map: Int, _ names: inout Names) throws(Fault) -> Int {
    let text = try string()
    let index = n
    try emit(.name, text)
    try colon()
    names.count += 1
    let hash = hash(text)
    let low: UInt64 = 1 &<< hash
    let high: UInt64 = 1 &<< (hash &>> 6)
    if names.low & low != 0, names.high & high != 0, names.count <= Self.fewNames {
      try compare(index, in: map)
    }
    names.low |= low
    names.high |= high
    return index
  }

  /// Closes a map.
  @inline(__always) mutating func finish(_ map: Int, _ names: Names) throws(Fault) {
    nodes[map].end = UInt32(truncatingIfNeeded: n)
    if names.count > Self.fewNames { try compareAll(in: map) }
  }

  /// Twelve bits of a name, from its length and its first and last eight bytes.
  @inline(__always) private func hash(_ text: Text) -> UInt64 {
    // In the page eight bytes may always be read, since the padding follows it.
    if text.start >= count { return hashInExtra(text) }
    let pointer = UnsafeRawPointer(base + text.start)
    let first = pointer.loadUnaligned(as: UInt64.self).littleEndian
    if text.length < 8 {
      return Self.hash(first & (1 &<< UInt64(truncatingIfNeeded: 8 &* text.length) &- 1), 0, text.length)
    }
    return Self.hash(first, (pointer + text.length - 8).loadUnaligned(as: UInt64.self).littleEndian, text.length)
  }

  private func hashInExtra(_ text: Text) -> UInt64 {
    withBytes(text) { bytes in
      func word(_ start: Int) -> UInt64 {
        (start..<min(start + 8, bytes.count)).reduce(0) { $0 | UInt64(bytes[$1]) << UInt64(8 * ($1 - start)) }
      }
      return Self.hash(word(0), bytes.count < 8 ? 0 : word(bytes.count - 8), bytes.count)
    }
  }

  @inline(__always) private static func hash(_ first: UInt64, _ last: UInt64, _ length: Int) -> UInt64 {
    let word = first &* 0x9E37_79B9_7F4A_7C15 &+ last
    return (word ^ UInt64(truncatingIfNeeded: length)) &* 0xD6E8_FEB8_6659_FD93 &>> 52
  }

  /// Compares a name with those before it in its map.
  @inline(never) private mutating func compare(_ index: Int, in map: Int) throws(Fault) {
    var other = map + 1
    while other < index {
      if isSameName(other, index) { try repeated(first: other, again: index) }
      let value = nodes[other + 1]
      other = value.isContainer ? Int(value.end) : other + 2
    }
  }

  @inline(never) private mutating func compareAll(in map: Int) throws(Fault) {
    var names: [Int] = []
    var index = map + 1
    while index < n {
      names.append(index)
      let value = nodes[index + 1]
      index = value.isContainer ? Int(value.end) : index + 2
    }
    names.sort { a, b in
      let order = order(a, b)
      return order == 0 ? a < b : order < 0
    }
    for k in names.indices.dropFirst() where order(names[k - 1], names[k]) == 0 {
      try repeated(first: names[k - 1], again: names[k])
    }
  }

  private mutating func repeated(first: Int, again: Int) throws(Fault) {
    switch duplicates {
    case .refuse:
      faultPath.append(again)
      throw fault("the name stands twice in one object", at: min(Int(nodes[again].start), i))
    case .last: nodes[first].flags.insert(.dropped)
    }
  }

  func text(_ index: Int) -> Text {
    Text(start: Int(nodes[index].start), length: Int(nodes[index].length), isPlain: nodes[index].isPlain)
  }

  private func isSameName(_ a: Int, _ b: Int) -> Bool {
    nodes[a].length == nodes[b].length && order(a, b) == 0
  }

  private func order(_ a: Int, _ b: Int) -> Int {
    withBytes(text(a)) { x in
      withBytes(text(b)) { y in
        let shared = min(x.count, y.count)
        for k in 0..<shared where x[k] != y[k] { return Int(x[k]) - Int(y[k]) }
        return x.count - y.count
      }
    }
  }
}
