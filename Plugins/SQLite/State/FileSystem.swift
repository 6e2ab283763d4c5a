import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The few things the plugin asks of files beside what SQLite does.
enum FileSystem {
  /// The path of a setting, from the folder of the configuration file.
  static func path(_ path: String, from base: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    return base.utf8.last == UInt8(ascii: "/") ? base + path : "\(base)/\(path)"
  }

  /// The folder a path lies in.
  static func folder(of path: String) -> String {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
  }

  /// The last part of a path.
  static func name(of path: String) -> String {
    String(decoding: Array(path.utf8).split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
  }

  /// Makes a folder and those above it, where they are not there.
  static func makeFolder(_ path: String, mode: mode_t) throws {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, folder(of: path) != path else { throw failure("the folder cannot be made", path) }
    try makeFolder(folder(of: path), mode: mode)
    if mkdir(path, mode) != 0, errno != EEXIST { throw failure("the folder cannot be made", path) }
  }

  /// Whether there is something at a path, without following a link at its end.
  static func exists(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0
  }

  /// An error with what the system said last.
  static func failure(_ what: String, _ path: String) -> SluiceError {
    let number = errno
    let hint: String? =
      switch number {
      case EACCES, EPERM, EROFS: "the user needs to write there"
      case ENOSPC, EDQUOT: "make room and run again"
      case EFBIG: "the file may not grow: raise the limit (ulimit -f) and run again"
      case EIO: "the disk failed: see the system's log"
      default: nil
      }
    return SluiceError(.io, "\(what): \(String(cString: strerror(number)))", at: Place(file: path), hint: hint)
  }
}
