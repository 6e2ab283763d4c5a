import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a configuration's outside values come from: the environment and files.
public struct ConfigInputs: Sendable {
  /// The value of an environment variable, nil where it is not set.
  public var variable: @Sendable (_ name: String) throws(SluiceError) -> String?
  /// The bytes of a file, at most `limit` of them; throws where it cannot be read or is larger.
  public var file: @Sendable (_ path: String, _ limit: Int) throws(SluiceError) -> [UInt8]

  /// Inputs of one's own.
  public init(
    variable: @escaping @Sendable (_ name: String) throws(SluiceError) -> String?,
    file: @escaping @Sendable (_ path: String, _ limit: Int) throws(SluiceError) -> [UInt8]
  ) {
    self.variable = variable
    self.file = file
  }

  /// The environment and the files of this process.
  public static let process = ConfigInputs(
    variable: { (name) throws(SluiceError) in try readVariable(name) },
    file: { (path, limit) throws(SluiceError) in try readFile(path, limit: limit) })

  private static func readVariable(_ name: String) throws(SluiceError) -> String? {
    guard let value = getenv(name) else { return nil }
    guard let text = String(validatingCString: value) else {
      throw SluiceError(.malformedData, "environment variable \(name) is not UTF-8")
    }
    return text
  }

  private static func readFile(_ path: String, limit: Int) throws(SluiceError) -> [UInt8] {
    func fail(_ why: String) -> SluiceError {
      SluiceError(.io, "cannot read \(path): \(why)", at: Place(file: path))
    }
    // Not blocking, or opening a pipe without a writer would wait forever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw fail(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fail(String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw fail("it is not a regular file") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fail(String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw fail("it is larger than \(limit) bytes") }
      bytes += buffer[..<count]
    }
  }
}
