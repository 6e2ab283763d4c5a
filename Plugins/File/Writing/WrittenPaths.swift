/// Whether the path of a sink is one that another component works on, by the words of both.
enum WrittenPaths {
  static func overlap(sink: String, other: String) -> Bool {
    let sink = parts(sink)
    let other = parts(other)
    guard sink.count == other.count, !sink.isEmpty else { return false }
    return zip(sink, other).allSatisfy { a, b in
      a.utf8.elementsEqual(b.utf8) || isPattern(b) && Glob(pattern(b)).matches(pattern(a, standIn: "x"))
        || CollectionPath(a) != nil && Glob(pattern(a)).matches(b)
    }
  }

  private static func isPattern(_ part: String) -> Bool { Glob.isPattern(part) || CollectionPath(part) != nil }

  /// A name with something in the place of a collection.
  private static func pattern(_ part: String, standIn: String = "*") -> String {
    guard let collections = CollectionPath(part) else { return part }
    return collections.replacingPlaceholder(by: standIn)
  }

  /// The parts of a path, without `.` and without what `..` takes back.
  private static func parts(_ path: String) -> [String] {
    var parts: [String] = path.utf8.first == UInt8(ascii: "/") ? ["/"] : []
    for part in path.split(separator: "/").map(String.init) where part != "." {
      if part == "..", let last = parts.last, last != "..", last != "/" {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return parts
  }
}
