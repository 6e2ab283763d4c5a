import CZlib
import SluiceCore

/// Unfolds a file of gzip members, in order.
///
/// `@unchecked Sendable`: the stream is a C handle of its own memory, used by one task at a time.
struct GzipReader: ~Copyable, @unchecked Sendable {
  /// Where a member begins.
  struct Member: Hashable {
    /// Bytes from the start of the file.
    var fileOffset: Int
    /// Bytes of content before it.
    var contentOffset: Int
  }

  // On the heap, because zlib keeps the stream's address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let fileSize: Int
  private var input: [UInt8] = []
  private var inputUsed = 0
  /// Where the input ends in the file.
  private var fileOffset: Int
  private(set) var contentOffset: Int
  private var isInMember = false
  /// Where members began that content was taken of. The reader forgets those before a place when told to.
  private(set) var members: [Member]

  /// A reader from a member on; `fileSize` is how much of the file there is to read.
  init(from member: Member, fileSize: Int) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    self.fileSize = fileSize
    fileOffset = member.fileOffset
    contentOffset = member.contentOffset
    members = [member]
    guard sluice_gzip_reader(stream) == Z_OK else {
      stream.deallocate()
      throw SluiceError(.io, "zlib cannot be used", hint: "there may be too little memory")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Forgets members that end before a place of the content, but for the one it lies in.
  mutating func forgetMembers(before contentOffset: Int) {
    let last = members.lastIndex { $0.contentOffset <= contentOffset } ?? 0
    members.removeFirst(last)
  }

  /// The next content, up to `count` bytes; none at the end. Throws `malformed_data` where the file is cut off, damaged,
  /// or followed by something else.
  mutating func read(_ file: borrowing OpenFile, count: Int) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    var used = 0
    while used < count {
      if inputUsed == input.count {
        input = try file.read(at: fileOffset, count: min(1 << 16, fileSize - fileOffset))
        inputUsed = 0
        fileOffset += input.count
        if input.isEmpty {
          // Between two members is where a file may end. An empty one is none of gzip.
          if isInMember || fileOffset == 0 { throw cut(file.path) }
          break
        }
      }
      if !isInMember { begin() }
      let before = used
      let status = inflate(into: &output, &used)
      contentOffset += used - before
      switch status {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END:
        inflateReset(stream)
        isInMember = false
      default: throw damaged(file.path)
      }
    }
    output.removeLast(count - used)
    return output
  }

  private mutating func begin() {
    isInMember = true
    let member = Member(fileOffset: fileOffset - input.count + inputUsed, contentOffset: contentOffset)
    if members.last?.contentOffset == contentOffset { members.removeLast() }
    members.append(member)
  }

  private mutating func inflate(into output: inout [UInt8], _ used: inout Int) -> Int32 {
    let room = output.count - used
    let given = input.count - inputUsed
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = input.baseAddress.map { $0 + inputUsed }
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = output.baseAddress.map { $0 + used }
        stream.pointee.avail_out = UInt32(room)
        return CZlib.inflate(stream, Z_NO_FLUSH)
      }
    }
    inputUsed += given - Int(stream.pointee.avail_in)
    used += room - Int(stream.pointee.avail_out)
    return status
  }

  private func cut(_ path: String) -> SluiceError {
    SluiceError(
      .malformedData, "the gzip file is cut off", at: Place(file: path, byteOffset: fileSize),
      hint: "bring the file again, whole")
  }

  private func damaged(_ path: String) -> SluiceError {
    let place = Place(file: path, byteOffset: fileOffset - input.count + inputUsed)
    let reason = stream.pointee.msg.map { String(cString: $0) } ?? "its data make no sense"
    if members.count <= 1, contentOffset == 0 {
      return SluiceError(
        .malformedData, "the file is no gzip, or is damaged: \(reason)", at: place,
        hint: "set compression: none for a file that is not compressed")
    }
    let isAfterMember = reason == "incorrect header check"
    return SluiceError(
      .malformedData,
      isAfterMember
        ? "the gzip file is followed by something else: \(reason)" : "the gzip file is damaged: \(reason)", at: place,
      hint: "bring the file again, whole")
  }
}
