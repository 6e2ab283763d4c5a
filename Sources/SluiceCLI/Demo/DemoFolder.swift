import SluiceConfig
import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The demo's folder: made where it is missing, small files only.
struct DemoFolder: Sendable {
  let root: String

  init(_ root: String) { self.root = root }

  func path(of name: String) -> String { "\(root)/\(name)" }

  /// Writes a small file where there is none. Refuses a folder where it is another: it is not the demo's.
  func claim(_ name: String, _ text: String) throws(SluiceError) {
    guard access(path(of: name), F_OK) == 0 else { return try write(text, to: name) }
    guard try ConfigInputs.process.file(path(of: name), 1 << 20) == Array(text.utf8) else {
      throw SluiceError(
        .usage, "this is not the demo's own folder: its \(name) is another", at: Place(file: path(of: name)),
        hint: "choose another with --directory, or remove it")
    }
  }

  /// Writes a small file, in place of the one before.
  func write(_ text: String, to name: String) throws(SluiceError) {
    if mkdir(root, 0o755) != 0, errno != EEXIST { throw failure("make the folder", root) }
    let path = path(of: name)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw failure("write", path) }
    defer { close(file) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Self.write(file, $0) }
      guard count >= 0 else { throw failure("write", path) }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Removes a file, where it is there.
  func remove(_ name: String) throws(SluiceError) {
    let path = path(of: name)
    if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw failure("remove", path) }
  }

  /// The lines of a small file.
  func lines(of name: String) throws(SluiceError) -> [String] {
    let bytes = try ConfigInputs.process.file(path(of: name), 1 << 20)
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func write(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.write(file, buffer.baseAddress, buffer.count)
    #else
      Darwin.write(file, buffer.baseAddress, buffer.count)
    #endif
  }

  private func failure(_ action: String, _ path: String) -> SluiceError {
    SluiceError(.io, "cannot \(action): \(String(cString: strerror(errno)))", at: Place(file: path))
  }
}
