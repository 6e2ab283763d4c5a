import SluiceCore

extension NodeReader {
  /// A mapping under construction.
  private struct Mapping {
    var entries: [ConfigNode.Entry] = []
    /// The keys' bytes with their places.
    var places: [[UInt8]: Mark] = [:]
    /// The merge keys. A second one is an error, but what it brings is there all the same: no key is missing for it.
    var merges: [(mark: Mark, value: Built)] = []
    var count = 1
    var depth = 0
  }

  /// The mapping whose start was just read.
  mutating func mapping(at mark: Mark, depth: Int) throws(Stop) -> Built {
    var mapping = Mapping()
    while true {
      let event = try next()
      if case .mappingEnd = event.kind { break }
      let key = try self.key(event, depth: depth)
      let value = try node(try next(), depth: depth + 1)
      mapping.count += value.count + 1
      mapping.depth = max(mapping.depth, value.depth)
      switch key {
      case nil: continue
      case .merge: addMerge(value, at: event.mark, to: &mapping)
      case .name(let name): add(name, value.node, at: event.mark, to: &mapping)
      }
    }
    for merge in mapping.merges { apply(merge.value, at: merge.mark, to: &mapping) }
    return Built(node: ConfigNode(.mapping(mapping.entries), at: mark), count: mapping.count, depth: mapping.depth + 1)
  }

  private enum Key {
    case name(String)
    case merge
  }

  /// A key; nil, with an error, for what cannot be one.
  private mutating func key(_ event: YAMLEvent, depth: Int) throws(Stop) -> Key? {
    guard case .scalar(let text, let isPlain, let properties) = event.kind else {
      _ = try node(event, depth: depth + 1)
      diagnostics.error(
        "key", "a key must be text", at: event.mark, hint: "quote ${…}, {…}, […] and *… in a key's place")
      return nil
    }
    if isPlain, text == "<<", properties.tag == nil { return .merge }
    if properties.anchor != nil || properties.tag != nil {
      diagnostics.error("key", "a key takes no anchor and no tag", at: event.mark)
      return nil
    }
    if isPlain, text.isEmpty {
      diagnostics.error("key", "there is no key before the \":\"", at: event.mark)
      return nil
    }
    return plainKey(text, at: event.mark).map(Key.name)
  }

  /// Keys are not interpolated: that would be an error now, and not a header named `${env:X}` later.
  private mutating func plainKey(_ text: String, at mark: Mark) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.first {
      if rest.starts(with: "${".utf8) {
        diagnostics.error(
          "interpolation", "a key cannot be interpolated", at: mark, hint: "write $${ for the characters themselves")
        return nil
      }
      let isEscape = rest.starts(with: "$${".utf8)
      bytes += isEscape ? Array("${".utf8) : [first]
      rest = rest.dropFirst(isEscape ? 3 : 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func add(_ key: String, _ value: ConfigNode, at mark: Mark, to mapping: inout Mapping) {
    let bytes = Array(key.utf8)
    if let first = mapping.places[bytes] {
      diagnostics.error(
        "duplicate_key", "key \"\(key)\" is here twice: on line \(first.line) and on line \(mark.line)", at: mark,
        notes: [Diagnostic.Note("the first \"\(key)\"", at: first)])
      return
    }
    mapping.places[bytes] = mark
    mapping.entries.append(ConfigNode.Entry(key, at: mark, value))
  }

  private mutating func addMerge(_ value: Built, at mark: Mark, to mapping: inout Mapping) {
    mapping.merges.append((mark, value))
    guard mapping.merges.count > 1 else { return }
    let (firstMark, first) = mapping.merges[0]
    let names = [first.alias ?? "a", value.alias ?? "b"]
    diagnostics.error(
      "duplicate_key", "key \"<<\" is here twice: on line \(firstMark.line) and on line \(mark.line)", at: mark,
      suggestion: "<<: [\(names.map { "*" + $0 }.joined(separator: ", "))]",
      notes: [Diagnostic.Note("the first \"<<\"", at: firstMark)])
  }

  /// Adds what the mapping does not have itself. Of several merged mappings the first wins.
  private mutating func apply(_ value: Built, at mark: Mark, to mapping: inout Mapping) {
    let parts: [ConfigNode] = if case .sequence(let nodes) = value.node.content { nodes } else { [value.node] }
    for part in parts {
      guard case .mapping(let entries) = part.content else {
        if case .scalar(let scalar) = part.content, scalar.isUnresolved { continue }
        diagnostics.error("merge", "<< takes a mapping or a list of mappings, found \(part.summary)", at: part.mark)
        continue
      }
      for entry in entries where mapping.places[Array(entry.key.utf8)] == nil {
        mapping.places[Array(entry.key.utf8)] = entry.keyMark
        mapping.entries.append(entry)
      }
    }
  }
}
