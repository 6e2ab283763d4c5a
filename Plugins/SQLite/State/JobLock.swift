import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock of one job, or of one table that a job replaces, held by an open file: the kernel frees it with the process,
/// however that ends.
final class JobLock: Sendable {
  private let descriptor: Mutex<Int32?>

  /// Takes the lock of a job. Throws `already_running`, with the holder's process where it is known.
  convenience init(job: String, folder: String) throws {
    try self.init(job, folder: folder) { holder in
      SluiceError(
        .alreadyRunning, "the job \(job) is already running\(holder)", at: Place(job: job),
        hint: "wait until it ends, or end it")
    }
  }

  /// Takes the lock of a table that is going to be replaced: two stages of one table would undo each other.
  convenience init(table: String, database path: String) throws {
    let folder = "\(FileSystem.folder(of: path))/.sluice/locks"
    try self.init("\(FileSystem.name(of: path))/\(table)", folder: folder) { holder in
      SluiceError(
        .alreadyRunning, "another job is replacing the table\(holder)", at: Place(collection: table, file: path),
        hint: "give each job a table of its own")
    }
  }

  private init(_ job: String, folder: String, taken: (_ holder: String) -> SluiceError) throws {
    let name = Self.fileName(of: job)
    guard name.utf8.count <= 255 else {
      throw SluiceError(
        .invalidConfiguration, "the name is too long for the name of its lock file", at: Place(job: job),
        hint: "give it a shorter name")
    }
    try FileSystem.makeFolder(folder, mode: 0o700)
    let path = "\(folder)/\(name)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileSystem.failure("the job's lock cannot be opened", path) }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let error =
        errno == EWOULDBLOCK ? taken(Self.holder(of: descriptor)) : FileSystem.failure("the job cannot be locked", path)
      _ = close(descriptor)
      throw error
    }
    self.descriptor = Mutex(descriptor)
    do {
      try Self.note(getpid(), in: descriptor, path)
    } catch {
      free()
      throw error
    }
  }

  deinit { free() }

  /// Frees the lock. The file stays: removing it would let two others lock two files of one name.
  func free() {
    let held = descriptor.withLock { stored in
      defer { stored = nil }
      return stored
    }
    guard let held else { return }
    // Freed before it is closed: a child process that is just being started may hold a copy of the descriptor until it
    // becomes another program, and with it the lock.
    _ = flock(held, LOCK_UN)
    _ = close(held)
  }

  /// `JOB.lock`. Every byte but letters, digits, `-`, `_` and inner dots is written as `%` and two digits, so that the
  /// name is a plain file of the folder and tells the job.
  static func fileName(of job: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var name = ""
    for byte in job.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      if isPlain || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        || (byte == UInt8(ascii: ".") && !name.isEmpty)
      {
        name.unicodeScalars.append(scalar)
      } else {
        name += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return name + ".lock"
  }

  private static func note(_ process: pid_t, in descriptor: Int32, _ path: String) throws {
    let text = Array("\(process)\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
      throw FileSystem.failure("the job's lock cannot be written", path)
    }
  }

  /// ` (process N)`, where it is known.
  private static func holder(of descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    let holder = Int(String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self))
    return holder.map { " (process \($0))" } ?? ""
  }
}
