import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SluiceError {
  /// A system call on a file failed. `doing` completes "cannot …": `open`, `write to`.
  static func file(_ doing: String, _ path: String, errno number: Int32) -> SluiceError {
    SluiceError(
      .io, "cannot \(doing) \(path): \(String(cString: strerror(number)))", at: Place(file: path),
      retry: number == EAGAIN ? .transient : .never, hint: hint(number))
  }

  /// A file is not what it must be.
  static func file(_ message: String, _ path: String, hint: String? = nil) -> SluiceError {
    SluiceError(.io, "\(path) \(message)", at: Place(file: path), hint: hint)
  }

  private static func hint(_ number: Int32) -> String? {
    switch number {
    case ENOENT: "a relative path starts from the folder of the configuration file"
    case EACCES, EPERM: "check who owns the file and its folder, and their permissions"
    case EROFS: "the file system is mounted read-only: choose another folder"
    case ENOSPC, EDQUOT: "make room and run again: it goes on where it stopped"
    case EFBIG: "the file may not grow: raise the limit (ulimit -f), or choose another file system, and run again"
    case EIO: "the disk or the network behind the file failed: see the system's log, then run again"
    case ENAMETOOLONG: "choose a shorter name"
    case EMFILE, ENFILE: "too many files are open: raise the limit (ulimit -n)"
    default: nil
    }
  }
}

/// A path below a folder.
func joined(_ folder: String, _ name: String) -> String {
  if folder.isEmpty || folder == "." { return name }
  return folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
}

/// Whether a path starts at the root.
func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

/// The folder a path lies in, `.` for a bare name.
func folder(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The last part of a path.
func fileName(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
  return String(path[path.utf8.index(after: slash)...])
}
