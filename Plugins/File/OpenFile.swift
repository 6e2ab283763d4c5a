import CLinux
import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file, closed when it goes. Used by one task at a time.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  /// The path it was opened by, for messages.
  let path: String

  /// How many bytes are read at once where a whole file is gone through.
  static let blockSize = 1 << 20

  private init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // Closing would do, but for a child process that is just being started: it may hold a copy until it becomes another
    // program.
    _ = flock(descriptor, LOCK_UN)
    _ = close(descriptor)
  }

  /// Opens a file for reading. Does not wait where the path names a pipe.
  static func reading(_ path: String) throws -> OpenFile {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
    return OpenFile(descriptor: try check("open", path) { open(path, flags) }, path: path)
  }

  /// Opens a folder, to sync it.
  static func folder(_ path: String) throws -> OpenFile {
    OpenFile(
      descriptor: try check("open", path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }, path: path)
  }

  /// Makes a new file, for its owner only. What is there already is an error, links included.
  static func new(_ path: String) throws -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    return OpenFile(descriptor: try check("make", path) { open(path, flags, 0o600) }, path: path)
  }

  /// Opens a file for reading and writing, making it with these permissions, less what the process's mask takes away. A
  /// link is an error.
  static func logging(_ path: String, permissions: mode_t) throws -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    return OpenFile(descriptor: try check("open", path) { open(path, flags, permissions) }, path: path)
  }

  /// Opens a file for reading and writing; nil where there is none. A link is an error.
  static func existing(_ path: String) throws -> OpenFile? {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor >= 0 { return OpenFile(descriptor: descriptor, path: path) }
    let number = errno
    if number == ENOENT { return nil }
    throw SluiceError.file("open", path, errno: number)
  }

  /// What the file system says of it now.
  func status() throws -> FileStatus {
    var status = stat()
    _ = try Self.check("look at", path) { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Reads up to `count` bytes from an offset; fewer only at the end.
  func read(at offset: Int, count: Int) throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      while used < count {
        let more = pread(descriptor, buffer.baseAddress.map { $0 + used }, count - used, off_t(offset + used))
        if more > 0 {
          used += more
        } else if more == 0 {
          break
        } else if errno != EINTR {
          failure = errno
          break
        }
      }
    }
    if failure != 0 { throw SluiceError.file("read", path, errno: failure) }
    return bytes
  }

  /// Writes all bytes from an offset. After an error some of them may be there.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    var done = 0
    while done < bytes.count {
      let more = pwrite(
        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      if more >= 0 {
        done += more
      } else if errno != EINTR {
        throw SluiceError.file("write to", path, errno: errno)
      }
    }
  }

  /// The digest of the first `length` bytes; nil where there are fewer. Ends early with the task.
  func digest(length: Int) throws -> RunningDigest? {
    var digest = RunningDigest()
    var offset = 0
    while offset < length {
      try Task.checkCancellation()
      let block = try read(at: offset, count: min(Self.blockSize, length - offset))
      if block.isEmpty { return nil }
      digest.append(block.span)
      offset += block.count
    }
    return digest
  }

  /// How much is written before the disk begins to take it.
  static let writeBehind = 8 << 20

  /// Lets the kernel begin to bring a part onto the disk, without waiting for it. Promises nothing: `sync()` does, and
  /// has less to wait for. Nothing on systems without such a call.
  func beginWriting(from start: Int, to end: Int) {
    sluice_begin_writing(descriptor, Int64(start), Int64(end - start))
  }

  /// Cuts the file off.
  func truncate(to length: Int) throws {
    _ = try Self.check("cut", path) { ftruncate(descriptor, off_t(length)) }
  }

  /// Forces what was written onto the disk.
  func sync() throws { _ = try Self.check("sync", path) { fsync(descriptor) } }

  /// Takes the file for this process, until it is closed. False where somebody else has it. A file system without locks
  /// grants it.
  func lock() -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    return errno != EWOULDBLOCK
  }

  private static func check(_ doing: String, _ path: String, _ call: () -> Int32) throws -> Int32 {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw SluiceError.file(doing, path, errno: errno) }
    }
  }
}
