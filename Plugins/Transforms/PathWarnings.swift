import SluiceCore

extension Diagnostics {
  /// Warns of a path that leads nowhere in most documents, so that the transform would do nothing and say nothing.
  ///
  /// - The document's key is not among its fields, though `_key` is what files show it as.
  /// - Paths do not enter lists: `tags.0` and `tags[0]` are looked up as names.
  mutating func warn(ofPath path: FieldPath, at mark: Mark) {
    let names = path.segments.map(\.description)
    if names == ["_key"] {
      warning(
        "path_to_key", "the key is not among the fields: \"_key\" is looked up as a field of that name", at: mark,
        hint: "no transform reads or changes the key; a sink's key_field names the field that shows it")
      return
    }
    let index = names.first { $0.hasSuffix("]") && $0.contains("[") } ?? names.dropFirst().first { $0.isIndex }
    guard let index else { return }
    warning(
      "path_into_list", "paths do not enter lists: \"\(index)\" is looked up as a name in a map", at: mark,
      hint: "compute reads items of a list, as doc.tags[1]")
  }
}

extension String {
  /// Whether it is written as the number of an item. Longer numbers are taken for years and ids: names of maps.
  fileprivate var isIndex: Bool { self == "*" || (1...2).contains(utf8.count) && utf8.allSatisfy { 0x30...0x39 ~= $0 } }
}
