import CCurl
import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The one thread that owns a libcurl multi handle and every easy handle. Others reach it through `post`.
///
/// `@unchecked Sendable`: `inbox` is guarded by its mutex, `multi` is set once, and everything else is touched by the
/// loop's thread only.
final class TransferLoop: @unchecked Sendable {
  enum Command {
    case start(Exchange)
    case cancel(Exchange)
    /// The reader of a stream has room again.
    case resume(Exchange)
    /// A piece of a task that prefers the loop's thread.
    case run(UnownedJob)
  }

  private struct Inbox {
    var commands: [Command] = []
    var isClosed = false
    /// The loop's thread, while it runs: it looks here again before it waits, and need not be woken.
    var thread: pthread_t?
  }

  typealias Handle = UnsafeMutableRawPointer

  let configuration: HTTPConfiguration
  private let multi: Handle
  private let inbox = Mutex(Inbox())

  private var active: [Handle: Exchange] = [:]
  private var spare: [Handle] = []
  private var isCleanedUp = false
  private var channelsToWake: [BodyChannel] = []
  /// The time at the beginning of this round: callbacks need no clock of their own.
  private(set) var now = Monotonic.now
  /// The size of the last body whose length was not declared: the next page's is much the same.
  private(set) var usualBodySize = 0
  /// Origins that TLS was agreed on with, a few of them.
  private var reached: Set<Origin> = []

  /// Initialises libcurl for the process, once, before any thread uses it.
  private static let globalInit: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  init(_ configuration: HTTPConfiguration) throws(SluiceError) {
    guard Self.globalInit == CURLE_OK, let multi = curl_multi_init() else {
      throw SluiceError(.internal, "libcurl could not be initialised")
    }
    self.configuration = configuration
    self.multi = multi
    _ = sluice_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.maxIdleConnections)
    // One request per connection, also over HTTP/2: libcurl stops reading a connection as long as one of its streams is
    // paused, so a slow reader would stall strangers.
    _ = sluice_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
  }

  deinit { cleanUp() }

  /// Closes the kept connections. After the loop's end, or when it never began; nobody wakes the multi handle any more.
  private func cleanUp() {
    guard !isCleanedUp else { return }
    isCleanedUp = true
    for handle in spare { curl_easy_cleanup(handle) }
    spare = []
    curl_multi_cleanup(multi)
  }

  // MARK: From other threads

  /// Hands a command over and wakes the loop. False once the loop is closed.
  @discardableResult func post(_ command: Command) -> Bool {
    inbox.withLock { inbox in
      if inbox.isClosed { return false }
      inbox.commands.append(command)
      let isOwn = inbox.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
      // Under the lock, so that the multi handle cannot be gone.
      if inbox.commands.count == 1, !isOwn { curl_multi_wakeup(multi) }
      return true
    }
  }

  /// Stops an exchange, also one that has not got here yet.
  func cancel(_ exchange: Exchange) {
    exchange.isCancelled.store(true, ordering: .releasing)
    post(.cancel(exchange))
  }

  /// What a request gets that comes too late.
  static let closed = SluiceError(.network, "the HTTP transport was closed")

  /// Ends the loop after this round; what is on its way fails.
  func close() {
    inbox.withLock { inbox in
      if inbox.isClosed { return }
      inbox.isClosed = true
      curl_multi_wakeup(multi)
    }
  }

  // MARK: The loop's thread

  /// Runs until `close()`, and leaves nothing open.
  func run() {
    inbox.withLock { $0.thread = pthread_self() }
    while takeCommands() {
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      now = .now
      finishDone()
      wakeReaders()
      expire()
      if hasCommands { continue }
      curl_multi_poll(multi, nil, 0, pollTimeout(), nil)
      now = .now
    }
    inbox.withLock { $0.thread = nil }
    for (handle, exchange) in active { finish(exchange, handle, .failure(Self.closed)) }
    cleanUp()
  }

  private var hasCommands: Bool { inbox.withLock { !$0.commands.isEmpty || $0.isClosed } }

  private func takeCommands() -> Bool {
    let (commands, isClosed) = inbox.withLock { inbox in
      defer { inbox.commands.removeAll() }
      return (inbox.commands, inbox.isClosed)
    }
    for command in commands {
      switch command {
      case .start(let exchange): start(exchange)
      case .cancel(let exchange): stop(exchange, CancellationError())
      case .resume(let exchange): resume(exchange)
      case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    return !isClosed
  }

  private func start(_ exchange: Exchange) {
    // The task may have been cancelled before the exchange got here.
    if exchange.isCancelled.load(ordering: .acquiring) { return exchange.deliver(.failure(CancellationError())) }
    guard let handle = spare.popLast() ?? curl_easy_init() else {
      return exchange.deliver(.failure(exchange.error(.internal, "no memory for a request", retry: .never)))
    }
    exchange.loop = self
    exchange.handle = handle
    active[handle] = exchange
    exchange.configure(handle, configuration)
    let added = curl_multi_add_handle(multi, handle)
    if added != CURLM_OK {
      let reason = String(cString: curl_multi_strerror(added))
      finish(exchange, handle, .failure(exchange.error(.internal, "libcurl refused it: \(reason)", retry: .never)))
    }
  }

  private func resume(_ exchange: Exchange) {
    guard let handle = exchange.handle, exchange.isPaused else { return }
    exchange.isPaused = false
    exchange.lastActivity = now
    // Calls the write callback from within, which may pause again, or refuse the piece.
    let code = curl_easy_pause(handle, Int32(CURLPAUSE_CONT))
    if code != CURLE_OK { finish(exchange, handle, exchange.outcome(code, handle)) }
  }

  private func stop(_ exchange: Exchange, _ error: any Error) {
    guard let handle = exchange.handle else { return }
    finish(exchange, handle, .failure(error))
  }

  private func finishDone() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      // The message is gone once its handle is removed.
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let exchange = active[handle]
      else { continue }
      finish(exchange, handle, exchange.outcome(message.pointee.data.result, handle))
    }
  }

  private func finish(_ exchange: Exchange, _ handle: Handle, _ outcome: Result<Void, any Error>) {
    // Removing a handle in mid-transfer closes its connection.
    curl_multi_remove_handle(multi, handle)
    active[handle] = nil
    exchange.release()
    if spare.count < configuration.maxIdleConnections {
      curl_easy_reset(handle)
      spare.append(handle)
    } else {
      curl_easy_cleanup(handle)
    }
    if case .success = outcome, case .whole = exchange.delivery, !exchange.body.isEmpty {
      usualBodySize = min(exchange.body.count, 1 << 20)
    }
    if exchange.head.isComplete, exchange.request.url.origin.scheme == .https, reached.count < 64 {
      reached.insert(exchange.request.url.origin)
    }
    exchange.deliver(outcome)
  }

  /// Whether an answer has come from this origin before.
  func wasReached(_ origin: Origin) -> Bool { reached.contains(origin) }

  /// Notes that a reader has something to read; it is woken once, after all that came in this round.
  func needsWaking(_ channel: BodyChannel) {
    if channelsToWake.last !== channel { channelsToWake.append(channel) }
  }

  private func wakeReaders() {
    for channel in channelsToWake { channel.wakeReader() }
    channelsToWake.removeAll(keepingCapacity: true)
  }

  private func expire() {
    for (handle, exchange) in active {
      if let error = exchange.timeout(at: now) { finish(exchange, handle, .failure(error)) }
    }
  }

  private func pollTimeout() -> Int32 {
    var next = now + .seconds(60)
    for exchange in active.values { if let deadline = exchange.nextDeadline { next = min(next, deadline) } }
    // Rounded up, so that the limit has passed when the loop looks again.
    return Int32(max(0, (next.nanoseconds - now.nanoseconds + 999_999) / 1_000_000))
  }
}

/// Tasks that prefer the loop's thread, as `HTTPTransport.executor` says.
extension TransferLoop: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A closed loop runs nothing any more; the task has to end all the same.
    if !post(.run(job)) { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
