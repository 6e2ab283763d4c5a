#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import SluiceCore

/// A folder of a test's own, removed with the last reference to it.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// An empty folder. Throws `io`.
  public init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/sluice-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.failure("make a folder in", base) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
  }

  deinit { Self.remove(path) }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, in place of the one before.
  public func write(_ bytes: [UInt8], to name: String) throws {
    let file = fopen(self.file(name), "w")
    guard let file else { throw Self.failure("write", self.file(name)) }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw Self.failure("write", self.file(name)) }
  }

  /// Writes a file of text, in place of the one before.
  public func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  /// The content of a file.
  public func read(_ name: String) throws -> [UInt8] {
    guard let file = fopen(self.file(name), "r") else { throw Self.failure("read", self.file(name)) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if count < buffer.count { break }
    }
    guard ferror(file) == 0 else { throw Self.failure("read", self.file(name)) }
    return bytes
  }

  /// The content of a file of text.
  public func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

  /// Whether there is something of this name.
  public func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

  /// Removes what is there of this name.
  public func remove(_ name: String) { Self.remove(file(name)) }

  /// The permission bits of a file.
  public func rights(_ name: String) throws -> Int {
    var status = stat()
    guard lstat(file(name), &status) == 0 else { throw Self.failure("look at", file(name)) }
    return Int(status.st_mode & 0o7777)
  }

  /// Names in the folder, hidden ones too, sorted.
  public func names() throws -> [String] {
    guard let names = Self.entries(of: path) else { throw Self.failure("list", path) }
    return names.sorted()
  }

  private static func entries(of path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a file or a folder with all it holds. What cannot be removed stays: there is nobody to tell.
  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      chmod(path, 0o700)
      for name in entries(of: path) ?? [] { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  private static func failure(_ action: String, _ path: String) -> SluiceError {
    SluiceError(.io, "cannot \(action) it: \(String(cString: strerror(errno)))", at: Place(file: path))
  }
}
