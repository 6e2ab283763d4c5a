import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Takes whole lines out of a file, by large blocks: one block serves several pages.
struct LineReader: ~Copyable {
  let file: OpenFile
  private let maximumLineBytes: Int
  private var block: [UInt8] = []
  private var blockStart = 0
  /// The size of the last page: about as large will be the next.
  private var expectedBytes = 0

  /// A page ends with the line that brings it to this many bytes, however few lines that are.
  static let pageBytes = 16 << 20

  init(_ file: consuming OpenFile, maximumLineBytes: Int) {
    self.file = file
    self.maximumLineBytes = maximumLineBytes
  }

  /// Where a line begins.
  struct Position {
    /// Bytes from the start of the file.
    var offset: Int
    /// Counted from 1.
    var line: Int
  }

  /// The lines from a place on: `count` that are not blank, or fewer at `end` and where lines are long.
  mutating func lines(_ count: Int, from start: Position, end: Int) throws -> Lines {
    var lines = Lines()
    lines.bytes.reserveCapacity(expectedBytes + 64)
    while start.offset + lines.bytes.count < end, !lines.isEnough(count) {
      try Task.checkCancellation()
      let part = try load(at: start.offset + lines.bytes.count, end: end)
      if lines.take(block, part, upTo: count, maximumLineBytes: maximumLineBytes) { continue }
      throw SluiceError(
        .limitExceeded, "the line is longer than \(ByteCount(maximumLineBytes))",
        at: Place(
          file: file.path, line: start.line + lines.lineFeeds, byteOffset: start.offset + lines.lineStart),
        hint: "raise max_line_bytes, if the line is meant to be so long")
    }
    lines.endFile()
    expectedBytes = lines.bytes.count
    return lines
  }

  /// Makes sure that the block holds the byte at an offset. Answers which part of it is wanted.
  private mutating func load(at offset: Int, end: Int) throws -> Range<Int> {
    if !(blockStart..<blockStart + block.count).contains(offset) {
      block = try file.read(at: offset, count: min(OpenFile.blockSize, end - offset))
      blockStart = offset
      if block.isEmpty { throw SluiceError(.positionLost, "the file \(file.path) has become shorter") }
    }
    return offset - blockStart..<min(block.count, end - blockStart)
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

  private mutating func endLine() {
    if hasContent { count += 1 }
    hasContent = false
  }
}
