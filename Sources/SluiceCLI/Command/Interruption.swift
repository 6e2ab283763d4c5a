import SluiceEngine
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// SIGINT and SIGTERM: the first lets the page in hand finish and be saved, a second one ends the process at once.
///
/// A handler puts the signal's number into a pipe, and one thread takes it out. Blocking the signals and waiting for them
/// would not do: once the main thread has nothing left to run, it suspends itself with every signal let in, and the
/// default of these two ends the process.
enum Interruption {
  private final class Target: Sendable {
    let reader: Int32
    let stop: StopSignal
    let told: @Sendable (Int32) -> Void
    init(reader: Int32, stop: StopSignal, told: @escaping @Sendable (Int32) -> Void) {
      self.reader = reader
      self.stop = stop
      self.told = told
    }
  }

  /// Where the handler writes. Set before the handler is, so that nothing is left to be made within it.
  private static let writer = Atomic<Int32>(-1)

  /// Blocks the signals in this thread and those it will begin, so that no call of theirs is interrupted.
  static func block() { mask(SIG_BLOCK) }

  /// Begins to listen; once in a process. `told` is called once, with the first signal.
  static func listen(stopping stop: StopSignal, told: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe or a thread the signals do what they always do.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let target = Unmanaged.passRetained(Target(reader: ends[0], stop: stop, told: told)).toOpaque()
    guard startThread(target) else { return Unmanaged<Target>.fromOpaque(target).release() }
    writer.store(ends[1], ordering: .sequentiallyConsistent)
    for number in [SIGINT, SIGTERM] { signal(number, handler) }
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writer.load(ordering: .relaxed), &byte, 1)
    errno = before
  }

  private static func startThread(_ target: UnsafeMutableRawPointer) -> Bool {
    #if canImport(Darwin)
      var thread: pthread_t?
      guard pthread_create(&thread, nil, main, target) == 0, let thread else { return false }
    #else
      var thread = pthread_t()
      guard pthread_create(&thread, nil, main, target) == 0 else { return false }
    #endif
    pthread_detach(thread)
    return true
  }

  private static func mask(_ how: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    pthread_sigmask(how, &set, nil)
  }

  #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { listen(to: $0) }
  #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { listen(to: $0) }
  #endif

  private static func listen(to pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let target = Unmanaged<Target>.fromOpaque(pointer).takeRetainedValue()
    // Here they are let in, wherever else they are not.
    mask(SIG_UNBLOCK)
    var isSecond = false
    while true {
      var number: UInt8 = 0
      let count = read(target.reader, &number, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return nil }
      if isSecond { _exit(128 + Int32(number)) }
      isSecond = true
      target.stop.request(Int32(number))
      target.told(Int32(number))
    }
  }
}
