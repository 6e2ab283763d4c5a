import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The operating system's thread under a `TransferLoop`.
final class LoopThread: Sendable {
  private let loop: TransferLoop
  private let thread: Mutex<pthread_t?>

  init(_ loop: TransferLoop) throws(SluiceError) {
    self.loop = loop
    // Signals are for the program's own threads. Blocked here, a SIGPIPE of a TLS write cannot end the process either.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    let context = Unmanaged.passRetained(loop)
    #if canImport(Darwin)
      var created: pthread_t?
    #else
      var created = pthread_t()
    #endif
    let code = pthread_create(&created, nil, Self.main, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw SluiceError(.internal, "no thread for HTTP: \(String(cString: strerror(code)))")
    }
    thread = Mutex(created)
  }

  /// Ends the loop and waits for its thread: a few milliseconds. Harmless when repeated.
  func stop() {
    loop.close()
    guard
      let thread = thread.withLock({ thread in
        defer { thread = nil }
        return thread
      })
    else { return }
    // The thread cannot wait for its own end.
    if pthread_equal(thread, pthread_self()) != 0 { pthread_detach(thread) } else { pthread_join(thread, nil) }
  }

  #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
      Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }
  #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
      guard let context else { return nil }
      Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }
  #endif
}
