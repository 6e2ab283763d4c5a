import SluiceCore
import SluiceJSON
import Synchronization

/// The reading side: pages of documents out of one file after the other.
///
/// A file stays open between its pages. One that is replaced meanwhile, as this package's own sink does it, is therefore
/// read to its end as it was; one that is changed in place, or before it was opened, is noticed.
final class FileSource: Sendable {
  private struct State: ~Copyable {
    /// The files of the listing, in order.
    var files: [SourceFile]
    /// What a listing of them is frozen as.
    var frozen: FrozenRequest
    var open: OpenSource?
  }

  private let settings: FileAdapter.Config
  private let files: SourceFiles
  private let state: Mutex<State>
  let identity: SourceIdentity

  init(_ settings: FileAdapter.Config, path: String) throws {
    self.settings = settings
    files = try SourceFiles(settings, path: path)
    let list = try files.list()
    // What cannot be opened is said before anything is begun.
    _ = try ContentReader(list[0].path, settings)
    identity = try files.identity()
    state = Mutex(State(files: list, frozen: Self.frozen(list, settings), open: nil))
  }

  func close() { state.withLock { $0.open = nil } }

  /// Looks at the files as they are now, and opens the first.
  func freeze() throws -> FrozenRequest {
    try state.withLock { state in
      var list = try files.list()
      let open = try OpenSource(list[0], settings)
      // That of the file that is open: another may have taken its name.
      list[0].status = open.content.status
      state.open = consume open
      state.files = list
      state.frozen = Self.frozen(list, settings)
      return state.frozen
    }
  }

  func page(_ request: PageRequest) throws -> Page {
    try state.withLock { state in
      if files.areSeveral { try requireSame(request.frozen, &state) }
      var position = try position(request.position, in: state.files)
      while true {
        let index = try self.index(of: position.name, in: state.files)
        let page = try page(request, from: position.content, of: state.files[index], &state.open)
        let next = page.next ?? (index + 1 < state.files.count ? ContentPosition() : nil)
        let nextName = page.next == nil && index + 1 < state.files.count ? state.files[index + 1].name : position.name
        let isEmpty = page.batch.isEmpty && page.rejections.isEmpty
        // A file without documents is no page: many of them would look like a source that has come to nothing.
        if isEmpty, page.next == nil, let next {
          try Task.checkCancellation()
          position = FilePosition(name: nextName, content: next)
          continue
        }
        let token = next.map { FilePosition(name: nextName, content: $0).token }
        return Page(
          page.batch,
          signals: PageSignals(
            count: page.batch.count + page.rejections.count, nextToken: token, hasMore: token != nil,
            receivedBytes: page.received), rejections: page.rejections)
      }
    }
  }

  private struct FilePage {
    var batch: Batch
    var rejections: [SluiceError]
    var received: Int
    var next: ContentPosition?
  }

  private func page(
    _ request: PageRequest, from start: ContentPosition, of file: SourceFile, _ open: inout OpenSource?
  ) throws -> FilePage {
    if !isOpen(file, open) { open = try OpenSource(file, settings) }
    let expected = files.areSeveral ? Self.frozen([file], settings) : request.frozen
    var piece: Piece
    do {
      piece = try Self.read(&open, request.size, from: start)
    } catch {
      try requireUnchanged(open, since: expected)
      throw error
    }
    // Looks after reading, so that a change while it was read is seen too.
    try requireUnchanged(open, since: expected)
    var page = FilePage(batch: Batch(), rejections: piece.rejections, received: piece.received, next: piece.next)
    let decoder = PieceDecoder(path: file.path, settings)
    do {
      page.batch = try decoder.decode(piece)
    } catch {
      piece = try Self.read(&open, request.size, from: start)
      let each = try decoder.decodeEach(piece)
      if each.rejections.isEmpty { throw error }
      page.batch = each.batch
      page.rejections += each.rejections
    }
    if let path = file.keyPath { page.batch.putKeys(below: path) }
    return page
  }

  private static func read(_ open: inout OpenSource?, _ count: Int, from start: ContentPosition) throws -> Piece {
    guard let piece = try open?.read(count, from: start) else { throw SluiceError(.internal, "no file is open") }
    return piece
  }
}

extension FileSource {
  private func position(_ position: PagePosition, in files: [SourceFile]) throws -> FilePosition {
    switch position {
    case .start: return FilePosition(name: files[0].name)
    case .token(let token):
      if let position = FilePosition(token: token), (position.name == nil) == (files[0].name == nil) { return position }
    default: break
    }
    throw SluiceError(
      .positionLost, "the position is none of a file: \(position)", at: Place(file: self.files.path))
  }

  private func index(of name: String?, in files: [SourceFile]) throws -> Int {
    // They are in the order of their names' bytes.
    var low = 0
    var high = files.count
    let bytes = (name ?? "").utf8
    while low < high {
      let middle = (low + high) / 2
      if (files[middle].name ?? "").utf8.lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
    }
    if low < files.count, (files[low].name ?? "").utf8.elementsEqual(bytes) { return low }
    throw SluiceError(
      .positionLost, "the file \(name ?? "") is not among the files of \(self.files.path)",
      at: Place(file: self.files.path))
  }

  /// What pages are read by, and of which files.
  private static func frozen(_ files: [SourceFile], _ settings: FileAdapter.Config) -> FrozenRequest {
    var parameters: [FrozenRequest.Parameter] = []
    if files.count == 1 {
      let status = files[0].status
      parameters = [
        .init("inode", String(status.inode)), .init("size", String(status.size)), .init("modified", status.modified),
      ]
    } else {
      var digest = RunningDigest()
      for file in files {
        let line = "\(file.name ?? "")\0\(file.status.inode)\0\(file.status.size)\0\(file.status.modified)\0"
        digest.append(Array(line.utf8).span)
      }
      parameters = [.init("files", String(files.count)), .init("digest", digest.value.description)]
    }
    return FrozenRequest(
      parameters + [
        .init("encoding", settings.encoding.rawValue), .init("key_field", settings.keyField),
        .init("format", settings.format?.rawValue ?? ""), .init("compression", settings.compression.rawValue),
        .init("keys", settings.keys.rawValue),
      ])
  }

  /// Looks at the files again where those at hand are not the frozen ones: after a restart.
  private func requireSame(_ request: FrozenRequest, _ state: inout State) throws {
    if request.parameters.isEmpty || state.frozen == request { return }
    state.files = try files.list()
    state.frozen = Self.frozen(state.files, settings)
    if state.frozen != request { throw changed(files.path, isSameFile: false) }
  }

  private func requireUnchanged(_ open: borrowing OpenSource?, since expected: FrozenRequest) throws {
    switch open {
    case .some(let open):
      let path = open.content.file.path
      let now = Self.frozen(
        [SourceFile(name: nil, path: path, status: try open.content.file.status())], settings)
      if expected.parameters.isEmpty || now == expected { return }
      throw changed(path, isSameFile: ["inode", "size", "modified"].allSatisfy { now[$0] == expected[$0] })
    case .none: return
    }
  }

  private func isOpen(_ file: SourceFile, _ open: borrowing OpenSource?) -> Bool {
    switch open {
    case .some(let open): open.path == file.path
    case .none: false
    }
  }

  private func changed(_ path: String, isSameFile: Bool) -> SluiceError {
    SluiceError(
      .positionLost,
      isSameFile
        ? "the settings of the file \(path) have changed since the listing began"
        : "the file \(path) is not the one the listing began with, or has changed since",
      at: Place(file: path), hint: "a file that is replaced by rename(2) is read to its end as it was")
  }
}

/// A file that is being read.
struct OpenSource: ~Copyable {
  let path: String
  var content: ContentReader
  private var lines: LineReader
  private let items: ItemReader
  private let format: FileFormat

  init(_ file: SourceFile, _ settings: FileAdapter.Config) throws {
    path = file.path
    content = try ContentReader(file.path, settings)
    lines = LineReader(maximumLineBytes: settings.maxLine.bytes)
    items = ItemReader(maximumItemBytes: settings.maxLine.bytes)
    format = settings.format ?? FileFormat(ofFileNamed: file.path)
  }

  mutating func read(_ count: Int, from start: ContentPosition) throws -> Piece {
    switch format {
    case .jsonLines: try lines.lines(count, from: start, &content)
    case .jsonArray: try items.items(count, from: start, &content)
    }
  }
}
