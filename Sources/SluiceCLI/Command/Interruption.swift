import SluiceEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// SIGINT and SIGTERM: the first lets the page in hand finish and be saved, a second one ends the process at once.
///
/// The signals are blocked in every thread and taken by one thread with `sigwait`, so that nothing runs in a signal
/// handler.
enum Interruption {
  private final class Target: Sendable {
    let stop: StopSignal
    let told: @Sendable (Int32) -> Void
    init(stop: StopSignal, told: @escaping @Sendable (Int32) -> Void) {
      self.stop = stop
      self.told = told
    }
  }

  /// Blocks the signals in this thread and those it will begin. Call it before others begin, else they would take them.
  static func block() {
    var set = signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Begins to listen. `told` is called once, with the first signal.
  static func listen(stopping stop: StopSignal, told: @escaping @Sendable (Int32) -> Void) {
    let target = Unmanaged.passRetained(Target(stop: stop, told: told)).toOpaque()
    if !startThread(target) { Unmanaged<Target>.fromOpaque(target).release() }
  }

  private static func startThread(_ target: UnsafeMutableRawPointer) -> Bool {
    #if canImport(Darwin)
      var thread: pthread_t?
      guard pthread_create(&thread, nil, wait, target) == 0, let thread else { return false }
    #else
      var thread = pthread_t()
      guard pthread_create(&thread, nil, wait, target) == 0 else { return false }
    #endif
    pthread_detach(thread)
    return true
  }

  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    return set
  }

  #if canImport(Darwin)
    private static let wait: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { listen(to: $0) }
  #else
    private static let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { listen(to: $0) }
  #endif

  private static func listen(to pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let target = Unmanaged<Target>.fromOpaque(pointer).takeRetainedValue()
    var set = signals
    var signal: Int32 = 0
    var isSecond = false
    while true {
      guard sigwait(&set, &signal) == 0 else { return nil }
      if isSecond { _exit(128 + signal) }
      isSecond = true
      target.stop.request(signal)
      target.told(signal)
    }
  }
}
