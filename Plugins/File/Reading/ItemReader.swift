import SluiceCore

/// Takes whole items out of a file that is one JSON array. It only finds where items begin and end: what they are is
/// for the decoder to see.
struct ItemReader {
  let maximumItemBytes: Int

  /// The items from a place on: `count`, or fewer at the end and where items are long. A place other than the start is
  /// one after a comma. Throws `malformed_data` where the array is not closed, or where something follows it.
  func items(_ count: Int, from start: ContentPosition, _ content: inout ContentReader) throws -> Piece {
    var scan = ItemScan(path: content.file.path, count: count, maximumItemBytes: maximumItemBytes, from: start)
    if start.offset == 0, try content.hasByteOrderMark() { scan.offset = 3 }
    while !scan.isDone {
      let part = try content.load(scan.offset, near: start.member)
      if part.isEmpty {
        try scan.endFile()
        break
      }
      try content.block.withUnsafeBytes { try scan.take(UnsafeRawBufferPointer(rebasing: $0[part])) }
    }
    var next: ContentPosition?
    if scan.phase != .afterArray {
      next = ContentPosition(offset: scan.offset, line: scan.line, member: content.member(of: scan.offset))
    }
    return Piece(
      bytes: scan.bytes, start: scan.start, items: scan.items, received: scan.offset - start.offset, next: next)
  }
}

/// Finds the items of an array, byte by byte.
struct ItemScan {
  enum Phase {
    case beforeArray
    /// Behind the opening bracket, or a comma.
    case beforeItem
    case inItem
    case afterArray
  }

  /// The bytes from the first item's start to the last one's end.
  private(set) var bytes: [UInt8] = []
  private(set) var items: [(bytes: Range<Int>, line: Int)] = []
  private(set) var phase: Phase
  /// Where the bytes begin.
  private(set) var start: ContentPosition
  /// The next byte of the content.
  var offset: Int
  private(set) var line: Int
  private(set) var isDone = false

  private let path: String
  private let count: Int
  private let maximumItemBytes: Int
  /// Whether an item may be missing here: directly behind the opening bracket.
  private var mayBeEmpty = false
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var itemStart = 0
  private var itemLine = 0

  init(path: String, count: Int, maximumItemBytes: Int, from start: ContentPosition) {
    self.path = path
    self.count = count
    self.maximumItemBytes = maximumItemBytes
    self.start = start
    offset = start.offset
    line = start.line
    phase = start.offset == 0 ? .beforeArray : .beforeItem
  }

  /// Goes through a part of a block, up to the end of the page.
  mutating func take(_ part: UnsafeRawBufferPointer) throws {
    // Where the bytes of this part begin that belong to the page.
    var kept = phase == .inItem || !items.isEmpty ? 0 : part.count
    var i = 0
    while i < part.count, !isDone {
      let byte = part[i]
      if phase == .inItem {
        try takeInItem(byte, at: i, in: part, keptFrom: &kept)
      } else if try takeBetween(byte) {
        if items.isEmpty {
          kept = i
          start.offset = offset
          start.line = line
        }
        itemStart = bytes.count + i - kept
        itemLine = line
        phase = .inItem
        // Looked at again, as a part of the item.
        continue
      }
      if byte == 0x0A { line += 1 }
      offset += 1
      i += 1
    }
    if phase != .afterArray, !isDone, kept < i {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: part[kept..<i]))
      if phase == .inItem, bytes.count - itemStart > maximumItemBytes { throw tooLong }
    }
  }

  /// A byte that belongs to no item. True where an item begins.
  private mutating func takeBetween(_ byte: UInt8) throws -> Bool {
    if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { return false }
    switch phase {
    case .beforeArray:
      if byte != 0x5B { throw fault("the file is no array", hint: "set format: json_lines for one document a line") }
      phase = .beforeItem
      mayBeEmpty = true
      return false
    case .beforeItem:
      if byte == 0x5D, mayBeEmpty {
        phase = .afterArray
        return false
      }
      if byte == 0x5D || byte == 0x2C { throw fault("expected an item of the array") }
      return true
    default: throw fault("there is more after the end of the array")
    }
  }

  private mutating func takeInItem(
    _ byte: UInt8, at i: Int, in part: UnsafeRawBufferPointer, keptFrom kept: inout Int
  ) throws {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      return
    }
    switch byte {
    case 0x22: isInString = true
    case 0x7B, 0x5B: depth += 1
    case 0x7D: depth = max(0, depth - 1)
    case 0x5D where depth > 0: depth -= 1
    case 0x5D:
      try endItem(at: i, in: part, keptFrom: &kept)
      phase = .afterArray
    case 0x2C where depth == 0:
      try endItem(at: i, in: part, keptFrom: &kept)
      phase = .beforeItem
      mayBeEmpty = false
      isDone = items.count >= count || bytes.count >= LineReader.pageBytes
    default: break
    }
  }

  private mutating func endItem(at i: Int, in part: UnsafeRawBufferPointer, keptFrom kept: inout Int) throws {
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: part[kept..<i]))
    kept = i
    if bytes.count - itemStart > maximumItemBytes { throw tooLong }
    items.append((itemStart..<bytes.count, itemLine))
  }

  /// The content is at its end.
  mutating func endFile() throws {
    isDone = true
    if phase == .afterArray { return }
    throw fault(
      phase == .beforeArray ? "the file is no array" : "the array is not closed",
      hint: phase == .beforeArray
        ? "an empty array is []" : "the file may have been cut, or is still being written")
  }

  private var tooLong: SluiceError {
    SluiceError(
      .limitExceeded, "the item is longer than \(ByteCount(maximumItemBytes))",
      at: Place(file: path, line: itemLine, byteOffset: start.offset + itemStart),
      hint: "raise max_line, if the item is meant to be so long")
  }

  private func fault(_ message: String, hint: String? = nil) -> SluiceError {
    SluiceError(.malformedData, message, at: Place(file: path, line: line, byteOffset: offset), hint: hint)
  }
}
