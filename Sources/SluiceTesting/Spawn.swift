import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pipe from a child. Other children do not inherit it.
final class ChildPipe: Sendable {
  let reader: Int32
  private let writerEnd: Mutex<Int32>

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Spawn.failure("make a pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reader = ends[0]
    writerEnd = Mutex(ends[1])
  }

  deinit {
    closeWriter()
    closeDescriptor(reader)
  }

  var writer: Int32 { writerEnd.withLock { $0 } }

  func closeWriter() {
    writerEnd.withLock { end in
      if end >= 0 { closeDescriptor(end) }
      end = -1
    }
  }
}

/// What a child is started with: its own process group, nothing on stdin, no signal blocked or ignored.
struct Spawn {
  private let path: String
  private let arguments: [String]
  private let variables: [String]

  init(_ path: String, _ arguments: [String], _ variables: [String]) {
    self.path = path
    self.arguments = arguments
    self.variables = variables
  }

  #if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  /// Starts it. Throws `io`.
  func start(output: ChildPipe, errors: ChildPipe) throws -> pid_t {
    #if canImport(Darwin)
      var actions: Actions = nil
      var attributes: Attributes = nil
    #else
      var actions = Actions()
      var attributes = Attributes()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writer, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors.writer, STDERR_FILENO)
    setSignals(&attributes)
    var child: pid_t = 0
    let code = withTexts(arguments) { arguments in
      withTexts(variables) { posix_spawn(&child, path, &actions, &attributes, arguments, $0) }
    }
    guard code == 0 else { throw Self.failure("start \(path)", code) }
    return child
  }

  private func setSignals(_ attributes: inout Attributes) {
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    for unchangeable in [SIGKILL, SIGSTOP] { sigdelset(&all, unchangeable) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
  }

  private func withTexts<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
    let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return body(copies)
  }

  static func failure(_ what: String, _ number: Int32) -> SluiceError {
    SluiceError(.io, "cannot \(what): \(String(cString: strerror(number)))")
  }
}

/// The program that the tests belong to.
public enum SluiceExecutable {
  /// The path of `sluice`, which is built into the folder of the test bundle. Throws `io` where it is not there.
  public static func path() throws -> String {
    let path = "\(try folder())/sluice"
    guard access(path, X_OK) == 0 else {
      throw SluiceError(.io, "the program is not beside the tests", at: Place(file: path), hint: "swift build first")
    }
    return path
  }

  private static func folder() throws -> String {
    #if canImport(Darwin)
      // The bundle is a library here, loaded by a helper of the toolchain's.
      let images = (0..<_dyld_image_count()).compactMap { _dyld_get_image_name($0).map { String(cString: $0) } }
      guard let image = images.first(where: { $0.contains(".xctest/") }), let bundle = image.firstRange(of: ".xctest/")
      else {
        throw SluiceError(.io, "these tests run outside of a test bundle")
      }
      return parent(of: String(image[..<bundle.lowerBound]))
    #else
      var buffer = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &buffer, buffer.count)
      guard length > 0 else { throw Spawn.failure("find this program", errno) }
      return parent(of: String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    #endif
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
