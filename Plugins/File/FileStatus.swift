import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the file system says of a file.
struct FileStatus {
  /// What a path names.
  enum Kind {
    case regular
    case folder
    case link
    /// A pipe, a device, a socket.
    case other
  }

  let kind: Kind
  let device: UInt64
  let inode: UInt64
  let size: Int
  /// Time of the last change of the content, to the nanosecond as far as the file system keeps it.
  let modified: String
  /// Time of the last change of content, name, owner or mode.
  let changed: String
  let permissions: mode_t
  let owner: uid_t
  let group: gid_t
  let links: Int

  /// The status of what a path names; nil where there is nothing. Links are followed where `following`.
  static func of(_ path: String, following: Bool = true) throws -> FileStatus? {
    var status = stat()
    if (following ? stat(path, &status) : lstat(path, &status)) == 0 { return FileStatus(status) }
    let number = errno
    if number == ENOENT { return nil }
    throw SluiceError.file("look at", path, errno: number)
  }

  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      modified = Self.text(status.st_mtimespec)
      changed = Self.text(status.st_ctimespec)
    #else
      modified = Self.text(status.st_mtim)
      changed = Self.text(status.st_ctim)
    #endif
    permissions = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
    links = Int(status.st_nlink)
  }

  private static func text(_ time: timespec) -> String {
    let digits = String(time.tv_nsec)
    return "\(time.tv_sec)." + String(repeating: "0", count: max(0, 9 - digits.count)) + digits
  }

  /// Words by which a published file is known again without reading it.
  var witness: String { "\(inode):\(size):\(modified):\(changed)" }

  /// Whether both are one file.
  func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// Refuses whatever is not a regular file.
  func requireRegular(_ path: String) throws {
    switch kind {
    case .regular: return
    case .folder: throw SluiceError.file("is a folder", path, hint: "name a file in it")
    case .link, .other:
      throw SluiceError.file(
        "is not a regular file", path, hint: "a pipe or device cannot be read twice, or replaced; stdout is a sink too")
    }
  }
}
