/// Making values from a tape, and putting values on one.
extension Tape {
  /// The value at `index`, outside the tape.
  package func value(at index: Int) -> Value {
    let node = nodes[index]
    switch node.kind {
    case .null, .name: return .null
    case .isFalse: return .bool(false)
    case .isTrue: return .bool(true)
    case .int: return .int(Int64(bitPattern: node.bits))
    case .intText: return .int(withBytes(node.range, CanonicalText.int))
    case .double: return .double(Double(bitPattern: node.bits))
    case .doubleText: return .double(withBytes(node.range, CanonicalText.double))
    case .decimal: return .decimal(string(node.range))
    case .timestamp: return .timestamp(node.timestamp)
    case .timestampText: return .timestamp(withBytes(node.range, CanonicalText.timestamp))
    case .string: return .string(string(node.range))
    case .reference: return .reference(string(node.range))
    case .bytes: return .bytes(Array(bytes[node.range]))
    case .base64: return .bytes(withBytes(node.range, CanonicalText.bytes))
    case .unknown: return .unknown(kind: string(node.range), raw: Array(bytes[nodes[index + 1].range]))
    case .array: return .array(items(of: index))
    case .vector: return .vector(doubles(of: index))
    case .geoPoint: return .geoPoint(latitude: double(at: index + 1), longitude: double(at: index + 2))
    case .map, .more: return .map(fields(of: index))
    }
  }

  /// The live fields of a map, in order.
  package func fields(of map: Int) -> [Field] {
    var fields: [Field] = []
    forEachName(in: map) { index in
      fields.append(Field(string(nodes[index].range), value(at: value(ofName: index))))
      return true
    }
    return fields
  }

  private func items(of list: Int) -> [Value] {
    var items: [Value] = []
    var index = list + 1
    while index < Int(nodes[list].end) {
      items.append(value(at: index))
      index = end(of: index)
    }
    return items
  }

  private func doubles(of list: Int) -> [Double] { (list + 1..<Int(nodes[list].end)).map(double) }

  private func double(at index: Int) -> Double {
    let node = nodes[index]
    return node.kind == .double ? Double(bitPattern: node.bits) : withBytes(node.range, CanonicalText.double)
  }
}

extension Tape {
  /// Puts bytes into the arena. Traps past 4 GiB: sources stop at `maximumBytes`, so only edits that add as much again
  /// to one batch can come here.
  @discardableResult package mutating func append(_ utf8: Span<UInt8>) -> (start: UInt32, length: UInt32) {
    let start = bytes.count
    precondition(start + utf8.count <= Int(UInt32.max), "edits would grow a batch beyond 4 GiB")
    bytes.append(utf8)
    return (UInt32(start), UInt32(utf8.count))
  }

  /// Puts a node with a range of its own on the tape.
  package mutating func append(_ kind: Node.Kind, _ text: Span<UInt8>, flags: Node.Flags = [], end: UInt32 = 0) {
    let place = append(text)
    nodes.append(Node(kind, start: place.start, length: place.length, end: end, flags: flags))
  }

  /// Puts a name on the tape.
  package mutating func append(_ name: FieldName) {
    append(.name, name.utf8.span, flags: name.isPlain ? .plain : [])
  }
}
