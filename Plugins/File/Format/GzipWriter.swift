import CZlib
import SluiceCore

/// Makes gzip members. Each call makes a whole one: members that follow each other are one valid file, so that a file
/// of them can be cut after any of them.
///
/// `@unchecked Sendable`: the stream is a C handle of its own memory, used by one task at a time.
struct GzipWriter: ~Copyable, @unchecked Sendable {
  // On the heap, because zlib keeps the stream's address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var output: [UInt8] = []

  /// Fast, and within a few per cent of the smallest for JSON.
  private static let level: Int32 = 6

  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard sluice_gzip_writer(stream, Self.level) == Z_OK else {
      stream.deallocate()
      throw SluiceError(.io, "zlib cannot be used", hint: "there may be too little memory")
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Lends one member with these bytes.
  mutating func member<R>(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    deflateReset(stream)
    let bound = Int(deflateBound(stream, uLong(bytes.count)))
    if output.count < bound { output = [UInt8](repeating: 0, count: bound) }
    var used = 0
    var taken = 0
    // zlib counts in 32 bits.
    let most = 1 << 30
    while true {
      let part = min(bytes.count - taken, most)
      let isLast = taken + part == bytes.count
      let room = min(output.count - used, most)
      let status = output.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = UnsafeMutablePointer(
          mutating: bytes.baseAddress.map { ($0 + taken).assumingMemoryBound(to: UInt8.self) })
        stream.pointee.avail_in = UInt32(part)
        stream.pointee.next_out = output.baseAddress.map { $0 + used }
        stream.pointee.avail_out = UInt32(room)
        return deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
      }
      taken += part - Int(stream.pointee.avail_in)
      used += room - Int(stream.pointee.avail_out)
      if status == Z_STREAM_END { break }
      guard status == Z_OK || status == Z_BUF_ERROR, used < output.count else {
        throw SluiceError(.internal, "zlib did not compress: \(status)")
      }
    }
    return try output.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<used])) }
  }
}
