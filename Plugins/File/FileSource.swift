import SluiceCore
import SluiceJSON
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The reading side: pages of lines out of one open file.
///
/// The file stays open between pages. One that is replaced meanwhile, as this package's own sink does it, is therefore
/// read to its end as it was; one that is changed in place is noticed.
final class FileSource: Sendable {
  private struct State: ~Copyable {
    var reader: LineReader?
  }

  private let settings: FileAdapter.Config
  private let path: String
  private let state: Mutex<State>
  let identity: SourceIdentity

  init(_ settings: FileAdapter.Config, path: String) throws {
    self.settings = settings
    self.path = path
    let reader = try Self.open(path, settings)
    guard let real = realpath(path, nil) else { throw SluiceError.file("open", path, errno: errno) }
    defer { free(real) }
    identity = SourceIdentity([
      .init("adapter", FileAdapter.name), .init("path", String(cString: real)),
    ])
    state = Mutex(State(reader: reader))
  }

  func close() { state.withLock { $0.reader = nil } }

  func freeze() throws -> FrozenRequest {
    try state.withLock { state in
      let reader = try Self.open(path, settings)
      let frozen = Self.frozen(try reader.file.status(), settings)
      state.reader = consume reader
      return frozen
    }
  }

  func page(_ request: PageRequest) throws -> Page {
    let start = try start(of: request.position)
    return try state.withLock { state in
      if state.reader == nil { state.reader = try Self.open(path, settings) }
      guard let page = try state.reader?.page(request, from: start, settings) else {
        throw SluiceError(.internal, "no file is open")
      }
      return page
    }
  }

  private static func open(_ path: String, _ settings: FileAdapter.Config) throws -> LineReader {
    let file = try OpenFile.reading(path)
    try file.status().requireRegular(path)
    return LineReader(file, maximumLineBytes: settings.maxLineBytes.bytes)
  }

  private func start(of position: PagePosition) throws -> LineReader.Position {
    switch position {
    case .start: return LineReader.Position(offset: 0, line: 1)
    case .token(let token):
      let parts = token.split(separator: ":", omittingEmptySubsequences: false)
      if parts.count == 2, let offset = Int(parts[0]), let line = Int(parts[1]), offset >= 0, line > 0 {
        return LineReader.Position(offset: offset, line: line)
      }
    default: break
    }
    throw SluiceError(.positionLost, "the position is none of a file: \(position)", at: Place(file: path))
  }

  /// What a page is read by, and of which file.
  static func frozen(_ status: FileStatus, _ settings: FileAdapter.Config) -> FrozenRequest {
    FrozenRequest([
      .init("inode", String(status.inode)), .init("size", String(status.size)), .init("modified", status.modified),
      .init("encoding", settings.encoding.rawValue), .init("key_field", settings.keyField),
    ])
  }
}

extension LineReader {
  fileprivate mutating func page(
    _ request: PageRequest, from start: Position, _ settings: FileAdapter.Config
  ) throws -> Page {
    let size = try request.frozen["size"].flatMap { Int($0) } ?? file.status().size
    var start = start
    if start.offset == 0, size >= 3, try file.read(at: 0, count: 3) == [0xEF, 0xBB, 0xBF] {
      // A byte order mark is no part of the first line.
      start.offset = 3
    }
    let lines = try lines(request.size, from: start, end: size)
    try requireUnchanged(since: request.frozen, settings)
    let end = start.offset + lines.bytes.count
    let next = end < size ? "\(end):\(start.line + lines.lineFeeds)" : nil
    let received = lines.bytes.count
    let batch = try decode(lines, from: start, settings)
    return Page(
      batch,
      signals: PageSignals(count: batch.count, nextToken: next, hasMore: next != nil, receivedBytes: received))
  }

  /// Looks after reading, so that a change while it was read is seen too.
  private func requireUnchanged(since frozen: FrozenRequest, _ settings: FileAdapter.Config) throws {
    let now = FileSource.frozen(try file.status(), settings)
    if frozen.parameters.isEmpty || now == frozen { return }
    let isSameFile = ["inode", "size", "modified"].allSatisfy { now[$0] == frozen[$0] }
    throw SluiceError(
      .positionLost,
      isSameFile
        ? "the settings of the file \(file.path) have changed since the listing began"
        : "the file \(file.path) is not the one the listing began with, or has changed since",
      at: Place(file: file.path), hint: "a file that is replaced by rename(2) is read to its end as it was")
  }

  private func decode(_ lines: Lines, from start: Position, _ settings: FileAdapter.Config) throws -> Batch {
    let isCut = lines.isCut
    let cutLine = start.line + lines.lineFeeds
    do {
      switch settings.encoding {
      case .typed: return try TypedDecoder().lines(lines.bytes, firstLine: start.line)
      case .plain: return try Self.decoder(settings.keyField).lines(lines.bytes, firstLine: start.line)
      }
    } catch {
      var error = error
      error.place.file = file.path
      error.place.byteOffset = error.place.byteOffset.map { $0 + start.offset }
      if isCut, error.place.line == cutLine, error.hint == nil {
        error.hint = "the last line has no line end: the file may have been cut, or is still being written"
      }
      throw error
    }
  }

  /// `_key` holds keys the way this package writes them; another field holds somebody else's ids.
  private static func decoder(_ keyField: String) -> PlainDecoder {
    keyField == "_key" ? PlainDecoder() : PlainDecoder(keyField: FieldName(keyField))
  }
}
