import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The state database as a file: told from others by its header, and made whole or not at all.
struct StateFile: Sendable {
  /// The path.
  let path: String
  /// How much a commit survives.
  let synchronous: Connection.Synchronous

  /// `SLUI`, in the header of every state database.
  static let applicationID: UInt32 = 0x534C_5549

  /// Opens the database; makes it where there is no file. A file that is no state database of a known version throws
  /// `invalid_state` and is not touched.
  func open() throws -> Connection {
    if !FileSystem.exists(path) { try make() }
    try checkHeader()
    return try connect()
  }

  /// A database in memory, in the place of one that is not there and is not to be made: nothing is saved in it.
  static func none() throws -> Connection {
    let connection = try Connection(path: ":memory:", creating: true, synchronous: .off)
    try StateSchema.create(connection)
    return connection
  }

  /// Opens the database for one that has opened it before. Does not look at the file by itself: closing a file takes
  /// away the locks that SQLite holds on it for this process.
  func connect() throws -> Connection {
    let connection = try Connection(path: path, creating: false, synchronous: synchronous)
    try connection.useWriteAheadLog()
    try StateSchema.migrate(connection)
    return connection
  }

  /// Makes a database beside the path, and gives it its name once it is whole. A file of that name that is there by
  /// then was made by another process, and is as good.
  private func make() throws {
    for log in ["\(path)-wal", "\(path)-journal"] where FileSystem.exists(log) {
      throw SluiceError(
        .invalidState, "the state database is gone, but its log is there", at: Place(file: log),
        hint: "restore the database from a copy; to begin anew, remove the log")
    }
    try FileSystem.makeFolder(FileSystem.folder(of: path), mode: 0o700)
    let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    // SQLite gives its logs the rights of the database.
    let descriptor = Self.openFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.failure("the state database cannot be made", path) }
    defer { _ = close(descriptor) }
    defer { _ = unlink(draft) }
    do {
      let connection = try Connection(path: draft, creating: true, synchronous: .off)
      try connection.useWriteAheadLog()
      try StateSchema.create(connection)
    }
    // Once, in place of with each step: whoever sees the name sees a whole file, also after a loss of power.
    guard fsync(descriptor) == 0 else { throw FileSystem.failure("the state database cannot be made", path) }
    if link(draft, path) != 0, errno != EEXIST { throw FileSystem.failure("the state database cannot be made", path) }
  }

  private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags, 0o600)
    #elseif canImport(Musl)
      Musl.open(path, flags, 0o600)
    #else
      Darwin.open(path, flags, 0o600)
    #endif
  }

  /// Looks at the first bytes before SQLite opens the file: SQLite may write to what it opens.
  private func checkHeader() throws {
    let descriptor = Self.openFile(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.failure("the state database cannot be opened", path) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, header.count, 0)
    let size = lseek(descriptor, 0, SEEK_END)
    _ = close(descriptor)
    guard count >= 0 else { throw FileSystem.failure("the state database cannot be read", path) }
    guard count > 0 else { throw foreign("is empty, which a state database never is") }
    guard count == header.count, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw foreign("is no SQLite database")
    }
    guard Self.number(in: header, at: 68) == Self.applicationID else {
      throw foreign("is the database of another program")
    }
    // SQLite itself would notice only once it comes to a page that is gone. With a log, the rest may be there.
    if !FileSystem.exists("\(path)-wal"), let whole = Self.size(in: header), size < whole {
      throw foreign("is cut off: \(size) bytes of \(whole) are there")
    }
    try StateSchema.check(version: Int(Self.number(in: header, at: 60)), path: path)
  }

  /// How long the header says that the file is; nil where it does not say.
  private static func size(in header: [UInt8]) -> Int? {
    guard number(in: header, at: 24) == number(in: header, at: 92) else { return nil }
    let pageSize = Int(header[16]) << 8 | Int(header[17])
    return (pageSize == 1 ? 65536 : pageSize) * Int(number(in: header, at: 28))
  }

  private static func number(in header: [UInt8], at offset: Int) -> UInt32 {
    header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func foreign(_ what: String) -> SluiceError {
    SluiceError(
      .invalidState, "the file \(what)", at: Place(file: path),
      hint: "it was left as it is; restore it from a copy, move it away to begin anew, or name another state path")
  }
}
