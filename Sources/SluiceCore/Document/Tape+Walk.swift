/// Reading a tape by visiting it. Inlinable throughout, so that a visitor of another module is specialised: without
/// that, each value would go through a witness table (38 % more instructions when measured).
extension Tape {
  /// Visits the fields of a map: names and values, without `begin` and `end` of the map itself.
  @inlinable package static func walkFields<V: ValueVisitor & ~Copyable>(
    of map: Int, _ nodes: Span<Node>, _ bytes: Span<UInt8>, _ visitor: inout V
  ) {
    var list = map
    while true {
      let head = nodes[list]
      var index = list + 1
      let end = Int(head.end)
      while index < end {
        let name = nodes[index]
        let value = nodes[index + 1]
        let next = value.isContainer ? Int(value.end) : index + 2
        if name.isLive {
          visitor.name(bytes.extracting(name.range), plain: name.isPlain)
          walk(name.isMoved ? Int(name.end) : index + 1, nodes, bytes, &visitor)
        }
        index = next
      }
      list = Int(head.start)
      if list == 0 { return }
    }
  }

  /// Visits one value.
  @inlinable package static func walk<V: ValueVisitor & ~Copyable>(
    _ index: Int, _ nodes: Span<Node>, _ bytes: Span<UInt8>, _ visitor: inout V
  ) {
    let node = nodes[index]
    switch node.kind {
    case .string: visitor.text(bytes.extracting(node.range), as: node.isPlain ? .plainString : .string)
    case .intText: visitor.text(bytes.extracting(node.range), as: .int)
    case .doubleText: visitor.text(bytes.extracting(node.range), as: .double)
    case .timestampText: visitor.text(bytes.extracting(node.range), as: .timestamp)
    case .base64: visitor.text(bytes.extracting(node.range), as: .base64)
    case .reference: visitor.text(bytes.extracting(node.range), as: node.isPlain ? .plainReference : .reference)
    case .decimal: visitor.text(bytes.extracting(node.range), as: .decimal)
    case .null: visitor.value(.null)
    case .isFalse: visitor.value(.bool(false))
    case .isTrue: visitor.value(.bool(true))
    case .int: visitor.value(.int(Int64(bitPattern: node.bits)))
    case .double: visitor.value(.double(Double(bitPattern: node.bits)))
    case .timestamp: visitor.value(.timestamp(node.timestamp))
    case .bytes: visitor.value(.bytes(bytes.extracting(node.range)))
    case .unknown:
      visitor.value(
        .unknown(kind: bytes.extracting(node.range), raw: bytes.extracting(nodes[index + 1].range)))
    case .map, .more:
      visitor.begin(.map)
      walkFields(of: index, nodes, bytes, &visitor)
      visitor.end(.map)
    case .array: walkItems(of: index, as: .array, nodes, bytes, &visitor)
    case .vector: walkItems(of: index, as: .vector, nodes, bytes, &visitor)
    case .geoPoint: walkItems(of: index, as: .geoPoint, nodes, bytes, &visitor)
    case .name: break
    }
  }

  /// Visits a list with its items.
  @inlinable package static func walkItems<V: ValueVisitor & ~Copyable>(
    of list: Int, as container: Container, _ nodes: Span<Node>, _ bytes: Span<UInt8>, _ visitor: inout V
  ) {
    visitor.begin(container)
    var index = list + 1
    let end = Int(nodes[list].end)
    while index < end {
      walk(index, nodes, bytes, &visitor)
      let node = nodes[index]
      index = node.isContainer ? Int(node.end) : index + 1
    }
    visitor.end(container)
  }
}
