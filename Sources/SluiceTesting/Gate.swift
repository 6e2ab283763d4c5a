#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import Synchronization

/// A door that a test opens once: scripts of a `ScriptedServer` wait at it. It never closes again.
public final class Gate: Sendable {
  // A pipe, since a thread can wait for it and for a socket at the same time. Opening it closes the writing end.
  let reader: Int32
  private let writer: Mutex<Int32>
  private let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// A closed gate.
  public init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe for a gate")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reader = ends[0]
    writer = Mutex(ends[1])
  }

  deinit {
    open()
    Self.close(reader)
  }

  /// Lets everybody through, now and later.
  public func open() {
    writer.withLock { writer in
      if writer >= 0 { Self.close(writer) }
      writer = -1
    }
    let waiting = waiters.withLock { waiters in
      defer { waiters = [] }
      return waiters
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Waits until it is open: for the test's side, where the script is what opens it.
  public func waitUntilOpen() async {
    await withCheckedContinuation { continuation in
      // Looked at under the lock: whoever opens it meanwhile finds the waiter, or the waiter finds it open.
      let isOpen = waiters.withLock { waiters in
        if self.isOpen { return true }
        waiters.append(continuation)
        return false
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Whether it has been opened.
  public var isOpen: Bool { writer.withLock { $0 < 0 } }

  private static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }
}
