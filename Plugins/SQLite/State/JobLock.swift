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
  /// The file, where it goes with the lock.
  private let removedPath: String?

  /// Takes the lock of a job. Throws `already_running`, with the holder's process where it is known.
  convenience init(job: String, folder: String) throws {
    try FileSystem.makeFolder(folder, mode: 0o700)
    try self.init(Self.fileName(of: job), folder: folder, isKept: true) { holder in
      SluiceError(
        .alreadyRunning, "the job \(job) is already running\(holder)", at: Place(job: job),
        hint: "wait until it ends, or end it")
    }
  }

  /// Takes the lock of a table that is going to be replaced: two stages of one table would undo each other.
  convenience init(table: String, database path: String) throws {
    let name = "." + Self.fileName(of: "\(FileSystem.name(of: path))/\(table)")
    try self.init(name, folder: FileSystem.folder(of: path), isKept: false) { holder in
      SluiceError(
        .alreadyRunning, "another job is replacing the table\(holder)", at: Place(collection: table, file: path),
        hint: "give each job a table of its own")
    }
  }

  /// Removes the lock file of a table that nobody holds.
  static func removeLeft(table: String, database path: String) {
    let name = "." + fileName(of: "\(FileSystem.name(of: path))/\(table)")
    guard FileSystem.exists("\(FileSystem.folder(of: path))/\(name)") else { return }
    // Taking it and freeing it removes it; where another job holds it, it is that one's.
    do { try JobLock(table: table, database: path).free() } catch {}
  }

  private init(_ name: String, folder: String, isKept: Bool, taken: (_ holder: String) -> SluiceError) throws {
    guard name.utf8.count <= 255 else {
      throw SluiceError(
        .invalidConfiguration, "the name of its lock file is too long", at: Place(file: "\(folder)/\(name)"),
        hint: "give it a shorter name")
    }
    let path = "\(folder)/\(name)"
    var locked: Int32?
    // A file that was removed by the holder before is no lock any more: try the one that has the name now.
    while locked == nil {
      let opened = try Self.lock(path, taken)
      if isKept || Self.isNamed(opened, path) { locked = opened } else { _ = close(opened) }
    }
    let descriptor = locked ?? -1
    self.descriptor = Mutex(descriptor)
    removedPath = isKept ? nil : path
    do {
      try Self.note(getpid(), in: descriptor, path)
    } catch {
      free()
      throw error
    }
  }

  deinit { free() }

  private static func lock(_ path: String, _ taken: (_ holder: String) -> SluiceError) throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileSystem.failure("the lock cannot be opened", path) }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let error =
        errno == EWOULDBLOCK ? taken(holder(of: descriptor)) : FileSystem.failure("the lock cannot be taken", path)
      _ = close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Whether the path still names the open file.
  private static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    var named = stat()
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  /// Frees the lock. A job's file stays; a table's is removed while it is still locked, so that nobody can have taken it.
  func free() {
    let held = descriptor.withLock { stored in
      defer { stored = nil }
      return stored
    }
    guard let held else { return }
    if let removedPath { _ = unlink(removedPath) }
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
