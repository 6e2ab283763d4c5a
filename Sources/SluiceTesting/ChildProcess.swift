import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program run by a test, in a process group of its own, with both its outputs kept.
///
/// A thread reads both pipes as they fill, so that the child never waits for its reader. No signal is blocked or ignored
/// in the child, whatever this process does with them. A child that still lives when nobody holds it any more is killed
/// with its group. Safe to use from any task.
public final class ChildProcess: Sendable {
  /// How a child ended.
  public enum Ending: Sendable, Equatable {
    /// By itself, with this code.
    case exited(Int32)
    /// By this signal.
    case killed(Int32)
  }

  /// What is left of a child.
  public struct Result: Sendable {
    /// How it ended.
    public var ending: Ending
    /// What it wrote to stdout.
    public var output: [UInt8]
    /// What it wrote to stderr.
    public var errors: [UInt8]

    /// The exit code; nil where a signal ended it.
    public var exitCode: Int32? { if case .exited(let code) = ending { code } else { nil } }
    /// stdout as text.
    public var outputText: String { String(decoding: output, as: UTF8.self) }
    /// stderr as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  private let record: ChildRecord
  private let reader: ServerThread

  /// Starts a program. Throws `io` where that fails.
  ///
  /// - Parameters:
  ///   - path: the program's file.
  ///   - arguments: those after the program's name.
  ///   - environment: all variables of the child.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]
  ) throws {
    let output = try ChildPipe()
    let errors = try ChildPipe()
    let child = try Spawn(path, [path] + arguments, environment.map { "\($0.key)=\($0.value)" })
      .start(output: output, errors: errors)
    output.closeWriter()
    errors.closeWriter()
    let record = ChildRecord(child)
    self.record = record
    reader = try ServerThread { record.follow(output: output, errors: errors) }
  }

  deinit {
    signal(SIGKILL)
    reader.join()
  }

  /// The process's number.
  public var identifier: Int32 { record.child }

  /// Whether it has ended and all it wrote was read.
  public var hasEnded: Bool { record.hasEnded }

  /// Sends a signal to the child's group. False where the child has ended already.
  @discardableResult public func signal(_ number: Int32) -> Bool { record.signal(number) }

  /// Waits for the end of the child and of both its outputs.
  public func wait() async -> Result {
    await record.change { $0.result != nil }
    return record.result
  }

  /// Waits until stderr holds a text. False where the child ended without having written it.
  public func waitForError(_ text: String) async -> Bool {
    let wanted = Array(text.utf8)
    await record.change { $0.result != nil || $0.errors.contains(wanted) }
    return record.errors.contains(wanted)
  }
}

/// What is known of a child, and who waits to know more.
private final class ChildRecord: Sendable {
  struct State {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var result: ChildProcess.Result?
    /// From then on its number may be another process's.
    var isCollected = false
    var waiters: [(isMet: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let child: pid_t
  private let state = Mutex(State())

  init(_ child: pid_t) { self.child = child }

  var errors: [UInt8] { state.withLock { $0.errors } }

  var hasEnded: Bool { state.withLock { $0.result != nil } }

  /// To be asked for once the child has ended.
  var result: ChildProcess.Result {
    state.withLock { $0.result ?? ChildProcess.Result(ending: .exited(-1), output: $0.output, errors: $0.errors) }
  }

  func signal(_ number: Int32) -> Bool {
    state.withLock { !$0.isCollected && kill(-child, number) == 0 }
  }

  /// Returns once a condition holds.
  func change(_ isMet: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let holds = state.withLock { state in
        if isMet(state) { return true }
        state.waiters.append((isMet, continuation))
        return false
      }
      if holds { continuation.resume() }
    }
  }

  private func update(_ body: (inout State) -> Void) {
    let met = state.withLock { state in
      body(&state)
      let now = state
      let met = now.waiters.filter { $0.isMet(now) }
      state.waiters.removeAll { $0.isMet(now) }
      return met.map(\.continuation)
    }
    for continuation in met { continuation.resume() }
  }

  /// Reads both outputs to their ends, then collects the child. Runs on a thread of its own.
  func follow(output: ChildPipe, errors: ChildPipe) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var watched = [output, errors].map { pollfd(fd: $0.reader, events: Int16(POLLIN), revents: 0) }
    while watched.contains(where: { $0.fd >= 0 }) {
      if poll(&watched, nfds_t(watched.count), -1) < 0 { continue }
      for index in watched.indices where watched[index].fd >= 0 && watched[index].revents != 0 {
        let count = read(watched[index].fd, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { watched[index].fd = -1 }
        guard count > 0 else { continue }
        update { state in
          if index == 0 { state.output += buffer[..<count] } else { state.errors += buffer[..<count] }
        }
      }
    }
    // Looked at first and collected under the lock, so that a signal never goes to another process of this number.
    var information = siginfo_t()
    while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    update { state in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      state.isCollected = true
      let signal = status & 0x7F
      state.result = ChildProcess.Result(
        ending: signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal), output: state.output,
        errors: state.errors)
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard !part.isEmpty, count >= part.count else { return part.isEmpty }
    return withUnsafeBytes { whole in
      part.withUnsafeBytes { part in
        (0...(whole.count - part.count)).contains { start in
          memcmp(whole.baseAddress! + start, part.baseAddress!, part.count) == 0
        }
      }
    }
  }
}
