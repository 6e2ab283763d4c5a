import SluiceCore
import SluiceJSON

/// Makes documents out of pieces of a file.
struct PieceDecoder {
  let path: String
  let format: FileFormat
  let encoding: JSONLinesEncoding
  let keyField: String
  /// Whether keys are read as this package writes them, whatever their field is called.
  let hasOwnKeys: Bool

  init(path: String, _ settings: FileAdapter.Config, ownKeys: Bool = false) {
    hasOwnKeys = ownKeys || settings.keyField == "_key"
    self.path = path
    format = settings.format ?? FileFormat(ofFileNamed: path)
    encoding = settings.encoding
    keyField = settings.keyField
  }

  /// All documents of a piece. The memory becomes the batch's.
  func decode(_ piece: consuming Piece) throws -> Batch { try decode(piece.bytes, line: piece.start.line) }

  /// Each document of a piece by itself: those that can be read, and what is wrong with the others. Throws where the
  /// end of the file is in doubt: a cut last line.
  func decodeEach(_ piece: Piece) throws -> (batch: Batch, rejections: [SluiceError]) {
    var builder = BatchBuilder()
    var rejections: [SluiceError] = []
    let items = format == .jsonArray ? piece.items : Self.lines(of: piece)
    for (index, item) in items.enumerated() {
      do {
        for change in try decode(Array(piece.bytes[item.bytes]), line: item.line) { builder.add(change) }
      } catch let error as SluiceError where error.code == .malformedData || error.code == .limitExceeded {
        var error = placed(error, of: item, in: piece)
        if piece.isCut, index == items.count - 1 {
          error.hint = "the last line has no line end: the file may have been cut, or is still being written"
          throw error
        }
        if format == .jsonLines, piece.bytes[item.bytes].first == 0x5B {
          error.hint = "set format: json_array for a file that is one array"
        }
        rejections.append(error)
      }
    }
    return (try builder.finish(), rejections)
  }

  private func placed(_ error: SluiceError, of item: (bytes: Range<Int>, line: Int), in piece: Piece) -> SluiceError {
    var error = error
    error.place.file = path
    error.place.byteOffset = error.place.byteOffset.map { $0 + item.bytes.lowerBound + piece.start.offset }
    // Of an item, it is not known how far from its line's beginning it stands.
    if format == .jsonArray, error.place.line == item.line { error.place.column = nil }
    return error
  }

  private func decode(_ bytes: consuming [UInt8], line: Int) throws -> Batch {
    switch (encoding, format) {
    case (.typed, .jsonLines): try TypedDecoder().lines(bytes, firstLine: line)
    case (.typed, .jsonArray): try TypedDecoder().items(bytes, firstLine: line)
    case (.plain, .jsonLines): try plain.lines(bytes, firstLine: line)
    case (.plain, .jsonArray): try plain.items(bytes, firstLine: line)
    }
  }

  /// `_key` holds keys the way this package writes them; another field holds somebody else's ids.
  private var plain: PlainDecoder {
    PlainDecoder(keyField: FieldName(keyField), keyForm: hasOwnKeys ? .canonical : .id)
  }

  /// The lines of a piece that are not blank.
  private static func lines(of piece: Piece) -> [(bytes: Range<Int>, line: Int)] {
    var lines: [(bytes: Range<Int>, line: Int)] = []
    var start = 0
    var number = piece.start.line
    while start < piece.bytes.count {
      let end = piece.bytes[start...].firstIndex(of: 0x0A) ?? piece.bytes.count
      if piece.bytes[start..<end].contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
        lines.append((start..<end, number))
      }
      number += 1
      start = end + 1
    }
    return lines
  }
}

extension Batch {
  /// Puts every key below a path, given as the canonical text of its segments.
  mutating func putKeys(below path: [UInt8]) {
    for index in entries.indices {
      let key = Array(tape.bytes[entries[index].key])
      let start = tape.bytes.count
      tape.bytes += path
      tape.bytes.append(UInt8(ascii: "/"))
      tape.bytes += key
      entries[index].keyStart = UInt32(truncatingIfNeeded: start)
      entries[index].keyLength = UInt32(truncatingIfNeeded: tape.bytes.count - start)
    }
  }
}
