// The operating system under `ScriptedServer`: what differs between systems, and what has a name of ours as well.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import Synchronization

#if canImport(Glibc)
  let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  let streamSocket = SOCK_STREAM
#endif

func systemListen(_ descriptor: Int32) -> Bool { listen(descriptor, 512) == 0 }

func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// Sends without blocking and without SIGPIPE.
func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  #if canImport(Darwin)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    return send(descriptor, bytes, count, Int32(MSG_DONTWAIT))
  #else
    return send(descriptor, bytes, count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
  #endif
}

/// Waits until there is something to read (or an end); false if the gate opens first, or the time is up.
func waitUntilReadable(_ descriptor: Int32, or gate: Gate?, milliseconds: Int32 = -1) -> Bool {
  waitUntil(Int16(POLLIN), descriptor, or: gate, milliseconds)
}

/// Waits until there is room to write; false if the gate opens first, or the time is up.
func waitUntilWritable(_ descriptor: Int32, or gate: Gate?, milliseconds: Int32 = -1) -> Bool {
  waitUntil(Int16(POLLOUT), descriptor, or: gate, milliseconds)
}

extension Duration {
  var wholeMilliseconds: Int32 {
    Int32(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}

private func waitUntil(_ events: Int16, _ descriptor: Int32, or gate: Gate?, _ milliseconds: Int32) -> Bool {
  var watched = [
    pollfd(fd: descriptor, events: events, revents: 0),
    // poll leaves out what is negative.
    pollfd(fd: gate?.reader ?? -1, events: Int16(POLLIN), revents: 0),
  ]
  while poll(&watched, 2, milliseconds) < 0 { if errno != EINTR { return false } }
  return watched[1].revents == 0 && watched[0].revents != 0
}

/// A thread that runs one closure.
final class ServerThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    let isDone = Mutex(false)
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let body: Body
  private let thread: Mutex<pthread_t?>

  init(_ run: @escaping @Sendable () -> Void) throws {
    body = Body(run)
    let context = Unmanaged.passRetained(body)
    #if canImport(Darwin)
      var created: pthread_t?
    #else
      var created = pthread_t()
    #endif
    let code = pthread_create(&created, nil, Self.main, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw ScriptedServer.ConnectionLost(call: "pthread_create", number: code)
    }
    thread = Mutex(created)
  }

  /// Waits for its end; at most once does anything.
  func join() {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread { pthread_join(thread, nil) }
  }

  /// Whether it has ended; joins it then.
  func joinIfDone() -> Bool {
    guard body.isDone.withLock({ $0 }) else { return false }
    join()
    return true
  }

  private static func start(_ context: UnsafeMutableRawPointer) {
    let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
    body.run()
    body.isDone.withLock { $0 = true }
  }

  #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
      start(context)
      return nil
    }
  #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
      if let context { start(context) }
      return nil
    }
  #endif
}
