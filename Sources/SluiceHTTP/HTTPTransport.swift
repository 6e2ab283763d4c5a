import SluiceCore

/// Sends HTTP requests over pooled connections. One thread of its own drives them all; any number may be under way at
/// once, from any task.
///
/// Only a complete answer is a success: a cut body, a reset, an unresolvable name and the like throw a `SluiceError` of
/// retry class `transient` with the origin as its place. A status is not judged here: that is `HTTPClient`'s part, which
/// also repeats. Cancelling the task ends the request within milliseconds with `CancellationError`.
///
/// One cut libcurl (7.88.1) does not see: a gzip body that ends early although its framing (Content-Length or the last
/// chunk) is right. A format that has no end of its own should be read with `stream`, which asks for no compression.
public final class HTTPTransport: Sendable {
  private let configuration: HTTPConfiguration
  private let loop: TransferLoop
  private let thread: LoopThread

  /// Starts the thread. Throws `invalid_configuration` when a file that the configuration names cannot be read.
  public init(_ configuration: HTTPConfiguration = HTTPConfiguration()) throws(SluiceError) {
    try configuration.checkFiles()
    self.configuration = configuration
    loop = try TransferLoop(configuration)
    thread = try LoopThread(loop)
  }

  deinit { thread.stop() }

  /// The thread that drives the requests, for tasks that prefer it: what such a task does with an answer it does where
  /// the answer arrived, without a change of threads, and with the bytes still in that core's cache.
  ///
  /// Meanwhile no request goes on, so it is for tasks that do little but wait for answers and decode them.
  public var executor: any TaskExecutor { loop }

  /// Closes every connection and ends the thread; what is under way fails. Returns when the thread is gone. May be
  /// called more than once.
  public func close() { thread.stop() }

  /// Sends one request and collects its answer, whatever the status. Redirects are followed where the request allows
  /// it. Not repeated on failure.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    var followed = 0
    while true {
      let response = try await collect(request)
      guard let next = try request.following(response.head, count: followed) else { return response }
      request = next
      followed += 1
    }
  }

  /// Sends one request and returns once the answer's head is there, whatever the status; the body follows as its reader
  /// asks for it. Redirects are followed where the request allows it. Use `HTTPLimits.endless` for what never ends.
  ///
  /// No compression is asked for: libcurl unpacks a piece whole even while the reader holds it back, so a small piece
  /// could take much memory.
  public func stream(_ request: HTTPRequest) async throws -> HTTPStream {
    var request = request
    var followed = 0
    while true {
      let stream = try await open(request)
      guard let next = try request.following(stream.head, count: followed) else { return stream }
      stream.body.cancel()
      request = next
      followed += 1
    }
  }

  private func collect(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.checkSafeToSend()
    let exchange = Exchange(request, limits: request.limits ?? configuration.limits)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { start(exchange, .whole($0)) }
    } onCancel: {
      loop.cancel(exchange)
    }
  }

  private func open(_ request: HTTPRequest) async throws -> HTTPStream {
    try request.checkSafeToSend()
    let exchange = Exchange(request, limits: request.limits ?? configuration.limits)
    let channel = BodyChannel(highWater: 256 << 10)
    let head = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { start(exchange, .stream($0, channel)) }
    } onCancel: {
      loop.cancel(exchange)
    }
    return HTTPStream(head: head, body: HTTPBody(channel, exchange, loop, self))
  }

  private func start(_ exchange: Exchange, _ delivery: Delivery) {
    exchange.delivery = delivery
    if !loop.post(.start(exchange)) { exchange.deliver(.failure(TransferLoop.closed)) }
  }
}
