import SluiceCore

/// The content of a file, compressed or not, by large blocks: one block serves several pages.
struct ContentReader: ~Copyable {
  let file: OpenFile
  /// The status of the file when it was opened.
  let status: FileStatus
  private let size: Int
  private let limit: ByteCount
  private let isGzip: Bool
  private var gzip: GzipReader?
  private(set) var block: [UInt8] = []
  private var blockStart = 0

  /// Opens a file as it is now.
  init(_ path: String, _ settings: FileAdapter.Config) throws {
    let file = try OpenFile.reading(path)
    let status = try file.status()
    try status.requireRegular(path)
    let isGzip =
      switch settings.compression {
      case .none: false
      case .gzip: true
      case .auto: try path.hasSuffixIgnoringCase(".gz") || file.read(at: 0, count: 2) == [0x1F, 0x8B]
      }
    self.init(file: file, status: status, isGzip: isGzip, limit: settings.maxDecompressed)
  }

  private init(file: consuming OpenFile, status: FileStatus, isGzip: Bool, limit: ByteCount) {
    self.file = file
    self.status = status
    self.isGzip = isGzip
    self.limit = limit
    size = status.size
  }

  /// Makes sure that the block holds the byte at a place. Answers which part of it goes on from there; an empty one at
  /// the end of the content.
  mutating func load(_ offset: Int, near member: GzipReader.Member?) throws -> Range<Int> {
    if !(blockStart..<blockStart + block.count).contains(offset) {
      try Task.checkCancellation()
      if isGzip {
        try unfold(to: offset, near: member)
      } else {
        block = try file.read(at: offset, count: min(OpenFile.blockSize, max(0, size - offset)))
        blockStart = offset
        if block.isEmpty, offset < size {
          throw SluiceError(.positionLost, "the file \(file.path) has become shorter")
        }
      }
    }
    return min(offset - blockStart, block.count)..<block.count
  }

  /// Begins with a byte order mark, which is no part of the content.
  mutating func hasByteOrderMark() throws -> Bool {
    let part = try load(0, near: nil)
    return block[part].starts(with: [0xEF, 0xBB, 0xBF])
  }

  /// The member that a place lies in, so that another reader can go on there. Nil where the file is not compressed.
  mutating func member(of offset: Int) -> GzipReader.Member? {
    gzip?.forgetMembers(before: offset)
    return gzip?.members.first
  }

  private mutating func unfold(to offset: Int, near member: GzipReader.Member?) throws {
    if gzip == nil || offset < blockStart {
      let start = member.flatMap { $0.contentOffset <= offset ? $0 : nil }
      gzip = try GzipReader(from: start ?? .init(fileOffset: 0, contentOffset: 0), fileSize: size)
      block = []
      blockStart = gzip?.contentOffset ?? 0
    }
    repeat {
      try Task.checkCancellation()
      let end = blockStart + block.count
      block = try gzip?.read(file, count: OpenFile.blockSize) ?? []
      blockStart = end
      if end + block.count > limit.bytes {
        throw SluiceError(
          .limitExceeded, "the file unfolds to more than \(limit)", at: Place(file: file.path),
          hint: "raise max_decompressed, if the file is meant to be so large")
      }
    } while !block.isEmpty && offset >= blockStart + block.count
  }
}
