import SluiceCore
import SluiceJSON

/// The published file, read back. Keys are read as this sink writes them, whatever the field is called.
extension FileSink {
  /// The lines from a place on. The place is `OFFSET:LINE:INODE`: a file that was replaced meanwhile throws
  /// `position_lost`.
  func contents(after place: String?, limit: Int) throws -> Contents {
    guard let file = try target.open() else { return Contents(Batch(), next: nil) }
    let status = try file.status()
    var start = LineReader.Position(offset: 0, line: 1)
    if let place {
      let parts = place.split(separator: ":").compactMap { Int($0) }
      guard parts.count == 3, parts[2] == Int(truncatingIfNeeded: status.inode) else {
        throw SluiceError(.positionLost, "the file was replaced while it was read", at: Place(file: target.path))
      }
      start = LineReader.Position(offset: parts[0], line: parts[1])
    }
    var reader = LineReader(file, maximumLineBytes: settings.maxLineBytes.bytes)
    let lines = try reader.lines(limit, from: start, end: status.size)
    let end = start.offset + lines.bytes.count
    let line = start.line + lines.lineFeeds
    do {
      let batch = try decode(lines.bytes, firstLine: start.line)
      return Contents(batch, next: end < status.size ? "\(end):\(line):\(Int(truncatingIfNeeded: status.inode))" : nil)
    } catch let error as SluiceError {
      var error = error
      error.place.file = target.path
      throw error
    }
  }

  /// What the lines of a batch say.
  func asKept(_ batch: Batch) throws -> Batch {
    var writer = JSONLinesWriter(settings.encoding, keyField: settings.keyField)
    let lines = try writer.write(batch) { lines, _, _ in Array(lines) }
    return try decode(lines, firstLine: 1)
  }

  private func decode(_ lines: [UInt8], firstLine: Int) throws -> Batch {
    switch settings.encoding {
    case .typed: try TypedDecoder().lines(lines, firstLine: firstLine)
    case .plain:
      try PlainDecoder(keyField: FieldName(settings.keyField), keyForm: .canonical).lines(lines, firstLine: firstLine)
    }
  }
}
