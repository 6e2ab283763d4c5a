/// Finds what somebody probably meant.
package enum NearestName {
  /// The candidate nearest to a mistyped name, nil where none is near enough. Case, `-` and `_` weigh nothing.
  package static func find(_ name: String, among candidates: [String]) -> String? {
    let folded = fold(name)
    let limit = max(1, min(3, (folded.count + 1) / 3))
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
      let distance = distance(folded, fold(candidate))
      if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.candidate
  }

  private static func fold(_ name: String) -> [UInt8] {
    name.prefix(64).lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }

  /// Edits from one to the other: insert, delete, replace, or swap two neighbours.
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var current = [i + 1]
      for j in b.indices {
        var cost = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforePrevious[j - 1] + 1) }
        current.append(cost)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[b.count]
  }
}
