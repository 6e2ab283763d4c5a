import SluiceCore

/// Where in the content of a file a line, or an item of an array, begins.
struct ContentPosition: Equatable {
  /// Bytes of content before it.
  var offset = 0
  /// Its line, counted from 1.
  var line = 1
  /// The gzip member it lies in, where the file is compressed.
  var member: GzipReader.Member?
}

/// Where a page begins: which file, and where in it. As a token, `OFFSET:LINE`, `OFFSET:LINE:MEMBER:CONTENT` in a
/// compressed file (where the gzip member begins, and how much content there is before it), and `@NAME` behind that
/// where there may be several files.
struct FilePosition: Equatable {
  /// The file's path below the folder of all; nil for a path without a pattern.
  var name: String?
  var content = ContentPosition()

  init(name: String?, content: ContentPosition = ContentPosition()) {
    self.name = name
    self.content = content
  }

  /// Reads a token; nil where it is none.
  init?(token: String) {
    let parts = token.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard numbers.count == 2 || numbers.count == 4, numbers.allSatisfy({ $0 >= 0 }), numbers[1] > 0 else { return nil }
    content = ContentPosition(offset: numbers[0], line: numbers[1])
    if numbers.count == 4 {
      guard numbers[3] <= numbers[0] else { return nil }
      content.member = GzipReader.Member(fileOffset: numbers[2], contentOffset: numbers[3])
    }
    name = parts.count > 1 ? String(parts[1]) : nil
  }

  var token: String {
    var text = "\(content.offset):\(content.line)"
    if let member = content.member { text += ":\(member.fileOffset):\(member.contentOffset)" }
    return name.map { "\(text)@\($0)" } ?? text
  }
}
