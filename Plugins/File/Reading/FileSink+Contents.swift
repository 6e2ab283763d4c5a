import SluiceCore
import SluiceJSON

/// The published file, read back. Keys are read as this sink writes them, whatever the field is called.
extension FileSink {
  /// The documents from a place on. The file stays open in between: one that is replaced meanwhile is read to its end as
  /// it was. What cannot be read throws.
  func contents(after place: String?, limit: Int) throws -> Contents {
    try shown.withLock { open in
      if place == nil {
        guard let status = try FileStatus.of(target.path, following: false) else {
          return Contents(Batch(), next: nil)
        }
        open = try OpenSource(SourceFile(name: nil, path: target.path, status: status), settings)
      }
      let start = place.flatMap { FilePosition(token: $0)?.content } ?? ContentPosition()
      guard let piece = try open?.read(limit, from: start) else {
        throw SluiceError(.internal, "the file is read on before it was opened", at: Place(file: target.path))
      }
      if let first = piece.rejections.first { throw first }
      let next = piece.next.map { FilePosition(name: nil, content: $0).token }
      return Contents(try decode(piece), next: next)
    }
  }

  private func decode(_ piece: Piece) throws -> Batch {
    let decoder = PieceDecoder(path: target.path, settings, ownKeys: true)
    do {
      return try decoder.decode(piece)
    } catch {
      // Again, one by one, for the place of what is wrong.
      if let first = try decoder.decodeEach(piece).rejections.first { throw first }
      throw error
    }
  }

  /// What the lines of a batch say.
  func asKept(_ batch: Batch) throws -> Batch {
    var writer = JSONLinesWriter(settings.encoding, keyField: settings.keyField)
    let lines = try writer.write(batch) { lines, _, _ in Array(lines) }
    if settings.encoding == .typed { return try TypedDecoder().lines(lines) }
    return try PlainDecoder(keyField: FieldName(settings.keyField), keyForm: .canonical).lines(lines)
  }
}
