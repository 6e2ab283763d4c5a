#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import SluiceCore
import Synchronization

/// A Python script as a child process, in a process group of its own. What it writes goes to a file.
///
/// Killed with its group when nobody holds it any more. Safe to use from any task.
final class PythonScript: Sendable {
  private let child: pid_t
  /// The exit code, or 128 and the signal, once it is known; from then on the number may be another process's.
  private let ending = Mutex<Int32?>(nil)

  /// Starts `python3` with these arguments, the script's file first.
  init(_ arguments: [String], output: String) throws {
    child = try Self.spawn(["/usr/bin/env", "python3"] + arguments, output: output)
  }

  deinit { stop() }

  /// Ends it at once, and waits until it is gone. Idempotent.
  func stop() {
    ending.withLock { ending in
      if ending != nil { return }
      kill(-child, SIGKILL)
      ending = Self.collect(child)
    }
  }

  /// Waits for its end. Blocks the thread: for scripts of seconds.
  func wait() -> Int32 {
    ending.withLock { ending in
      let code = ending ?? Self.collect(child)
      ending = code
      return code
    }
  }

  private static func collect(_ child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  private static func spawn(_ arguments: [String], output: String) throws -> pid_t {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
      var actions: posix_spawn_file_actions_t?
    #else
      var attributes = posix_spawnattr_t()
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    // A test process may block SIGTERM, and the child would inherit that: nobody could ask it to end.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)

    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, arguments[0], &actions, &attributes, &words, environ)
    guard code == 0 else { throw SluiceError(.io, "cannot start python3: \(String(cString: strerror(code)))") }
    return child
  }
}
