import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A part of a file that is decoded at once.
struct Piece {
  /// Whole lines, or items with commas between them.
  var bytes: [UInt8]
  /// Where the bytes begin.
  var start: ContentPosition
  /// What each document's text is, where the format needs that to find it again.
  var items: [(bytes: Range<Int>, line: Int)] = []
  /// Whether the file ends within the last line.
  var isCut = false
  /// Line feeds in the bytes.
  var lineFeeds = 0
  /// What of the file could not be taken, and is not in the bytes.
  var rejections: [SluiceError] = []
  /// What was read, in bytes.
  var received: Int
  /// Where the next piece begins; nil at the end of the file.
  var next: ContentPosition?
}

/// Takes whole lines out of a file.
struct LineReader {
  let maximumLineBytes: Int
  /// The size of the last page: about as large will be the next.
  private var expectedBytes = 0

  /// A page ends with the line that brings it to this many bytes, however few lines that are.
  static let pageBytes = 16 << 20

  init(maximumLineBytes: Int) { self.maximumLineBytes = maximumLineBytes }

  /// The lines from a place on: `count` that are not blank, or fewer at the end and where lines are long. A line that
  /// is too long ends a page before it, and is a page without lines by itself.
  mutating func lines(
    _ count: Int, from start: ContentPosition, _ content: inout ContentReader
  ) throws -> Piece {
    var start = start
    if start.offset == 0, try content.hasByteOrderMark() { start.offset = 3 }
    var lines = Lines()
    lines.bytes.reserveCapacity(expectedBytes + 64)
    while !lines.isEnough(count) {
      let part = try content.load(start.offset + lines.bytes.count, near: start.member)
      if part.isEmpty { break }
      if lines.take(content.block, part, upTo: count, maximumLineBytes: maximumLineBytes) { continue }
      if lines.lineFeeds == 0 { return try skipLine(from: start, &content) }
      lines.leaveLastLine()
      break
    }
    lines.endFile()
    expectedBytes = lines.bytes.count
    return Piece(
      bytes: lines.bytes, start: start, isCut: lines.isCut, lineFeeds: lines.lineFeeds, received: lines.bytes.count,
      next: try next(start.offset + lines.bytes.count, line: start.line + lines.lineFeeds, start.member, &content))
  }

  private func next(
    _ offset: Int, line: Int, _ member: GzipReader.Member?, _ content: inout ContentReader
  ) throws -> ContentPosition? {
    if try content.load(offset, near: member).isEmpty { return nil }
    return ContentPosition(offset: offset, line: line, member: content.member(of: offset))
  }

  /// Goes to the end of a line without keeping it.
  private func skipLine(from start: ContentPosition, _ content: inout ContentReader) throws -> Piece {
    let error = SluiceError(
      .limitExceeded, "the line is longer than \(ByteCount(maximumLineBytes))",
      at: Place(file: content.file.path, line: start.line, byteOffset: start.offset),
      hint: "raise max_line, if the line is meant to be so long")
    var offset = start.offset
    while true {
      let part = try content.load(offset, near: start.member)
      // The file may have been cut within it: then it is not known what else is missing.
      if part.isEmpty { throw error }
      if let feed = content.block[part].firstIndex(of: 0x0A) {
        offset += feed - part.lowerBound + 1
        break
      }
      offset += part.count
    }
    return Piece(
      bytes: [], start: start, rejections: [error], received: offset - start.offset,
      next: try next(offset, line: start.line + 1, start.member, &content))
  }
}

/// Lines that follow each other in a file.
struct Lines {
  /// The lines, blank ones among them.
  var bytes: [UInt8] = []
  /// Line feeds in them.
  private(set) var lineFeeds = 0
  /// Lines that are not blank.
  private(set) var count = 0
  /// Where the last line begins, as long as it has no line feed.
  private(set) var lineStart = 0
  private var hasContent = false

  /// Whether the last line has no line feed.
  var isCut: Bool { lineStart < bytes.count }

  /// Whether a page of so many lines is full.
  func isEnough(_ wanted: Int) -> Bool { !isCut && (count >= wanted || bytes.count >= LineReader.pageBytes) }

  /// Takes lines, and the beginning of one, out of a part of a block. False where a line becomes too long.
  mutating func take(_ block: [UInt8], _ part: Range<Int>, upTo wanted: Int, maximumLineBytes: Int) -> Bool {
    block.withUnsafeBytes { block in
      var i = part.lowerBound
      while i < part.upperBound, !isEnough(wanted) {
        let rest = UnsafeRawBufferPointer(rebasing: block[i..<part.upperBound])
        let feed = rest.baseAddress.flatMap { base in memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base }
        }
        let piece = UnsafeRawBufferPointer(rebasing: rest[..<(feed ?? rest.count)])
        hasContent = hasContent || piece.contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        bytes.append(contentsOf: piece)
        if bytes.count - lineStart > maximumLineBytes { return false }
        i += piece.count
        if feed != nil {
          bytes.append(0x0A)
          i += 1
          endLine()
          lineFeeds += 1
          lineStart = bytes.count
        }
      }
      return true
    }
  }

  /// Counts the last line, where the file ends without a line feed.
  mutating func endFile() { if isCut { endLine() } }

  /// Gives back the beginning of the last line.
  mutating func leaveLastLine() {
    bytes.removeLast(bytes.count - lineStart)
    hasContent = false
  }

  private mutating func endLine() {
    if hasContent { count += 1 }
    hasContent = false
  }
}
