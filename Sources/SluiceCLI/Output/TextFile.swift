import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Small files of text that the command line writes for people.
enum TextFile {
  /// Makes a folder where there is none; the one it lies in must be there.
  static func makeFolder(_ path: String) throws(SluiceError) {
    if mkdir(path, 0o755) != 0, errno != EEXIST { throw failure("make the folder", path) }
  }

  /// Whether something is there.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Writes a new file. Throws `usage` where there is one, and leaves it as it is.
  static func create(_ path: String, _ text: String) throws(SluiceError) {
    try write(path, text, O_EXCL)
  }

  /// Writes a file, in place of the one before.
  static func replace(_ path: String, _ text: String) throws(SluiceError) {
    try write(path, text, O_TRUNC)
  }

  /// Removes a file, where it is there.
  static func remove(_ path: String) throws(SluiceError) {
    if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw failure("remove", path) }
  }

  /// The names in a folder, sorted; none where there is no folder.
  static func names(in path: String) throws(SluiceError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw failure("read the folder", path)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  private static func write(_ path: String, _ text: String, _ flag: Int32) throws(SluiceError) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o644)
    guard file >= 0 else {
      if flag == O_EXCL, errno == EEXIST {
        throw SluiceError(
          .usage, "\(path) is there already, and is not overwritten", at: Place(file: path),
          hint: "name another file, or remove it")
      }
      throw failure("write", path)
    }
    defer { close(file) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { systemWrite(file, $0) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw failure("write", path)
      }
      bytes = bytes.dropFirst(count)
    }
  }

  private static func failure(_ action: String, _ path: String) -> SluiceError {
    SluiceError(.io, "cannot \(action): \(String(cString: strerror(errno)))", at: Place(file: path))
  }
}
