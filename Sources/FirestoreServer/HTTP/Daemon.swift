import CMicroHTTPD
import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// libmicrohttpd: one thread that reads requests, asks for the answer and sends it.
///
/// `@unchecked Sendable`: the handle is only read, and libmicrohttpd locks itself; `stop` runs once.
final class Daemon: @unchecked Sendable {
  private let handle: OpaquePointer
  private let exchanges: ExchangeHandler
  private let isStopped = Atomic(false)
  /// The port it listens on.
  let port: UInt16

  /// Listens on 127.0.0.1; port 0 takes any free one. `answer` is called on the server's thread, one request at a time;
  /// `accepted` there, too, for each new connection.
  /// Throws `io` where the port is taken.
  init(
    port: UInt16, maximumBody: Int, accepted: @escaping @Sendable () -> Void,
    answer: @escaping @Sendable (HTTPRequest) -> HTTPReply
  ) throws(SluiceError) {
    exchanges = ExchangeHandler(maximumBody: maximumBody, accepted: accepted, answer: answer)
    var options = sluice_mhd_options()
    options.port = port
    options.connection_memory = 256 * 1024
    // Not retained: this object holds it, and ends the thread before it lets go.
    options.context = Unmanaged.passUnretained(exchanges).toOpaque()
    options.access = Callbacks.access
    options.begin = Callbacks.begin
    options.completed = Callbacks.completed
    options.connection = Callbacks.connection
    errno = 0
    guard let daemon = sluice_mhd_start(&options) else {
      let reason = String(cString: strerror(errno))
      throw SluiceError(.io, "cannot listen on 127.0.0.1:\(port): \(reason)", hint: "take another port, or 0 for any")
    }
    handle = daemon
    self.port = sluice_mhd_port(daemon)
  }

  /// Answers what is waiting, closes every connection and ends the thread. Idempotent.
  func stop() {
    if isStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
    exchanges.waiting.stop()
    exchanges.wire.stop()
    MHD_stop_daemon(handle)
  }

  deinit { stop() }
}

/// Takes requests step by step and sends their answers. Knows nothing of the daemon, so that the server's thread never
/// holds the last reference to it.
private final class ExchangeHandler: Sendable {
  private let answer: @Sendable (HTTPRequest) -> HTTPReply
  private let maximumBody: Int
  let waiting = WaitingConnections()
  let wire = WireAnswers()
  private let accepted: @Sendable () -> Void
  private let connections = Atomic(0)

  init(
    maximumBody: Int, accepted: @escaping @Sendable () -> Void, answer: @escaping @Sendable (HTTPRequest) -> HTTPReply
  ) {
    self.maximumBody = maximumBody
    self.accepted = accepted
    self.answer = answer
  }

  /// Notes a new connection; returns its number, from 1.
  func connected() -> Int {
    accepted()
    return connections.add(1, ordering: .relaxed).newValue
  }

  /// Takes the next piece of a request, or its end.
  func handle(_ connection: OpaquePointer, _ exchange: Exchange, _ upload: UnsafeBufferPointer<UInt8>) -> MHD_Result {
    if let reply = exchange.reply { return send(reply, of: exchange, on: connection) }
    if !upload.isEmpty {
      // Beyond the limit the rest is read and dropped; the answer comes at the end.
      if exchange.received <= maximumBody { exchange.request.body.append(contentsOf: upload) }
      exchange.received += upload.count
      return sluice_mhd_yes()
    }
    let reply = exchange.received > maximumBody ? Self.tooLarge(maximumBody) : answer(exchange.request)
    exchange.reply = reply
    if reply.delay != nil || reply.gate != nil, waiting.suspend(connection, for: reply) { return sluice_mhd_yes() }
    return send(reply, of: exchange, on: connection)
  }

  private static func tooLarge(_ limit: Int) -> HTTPReply {
    HTTPReply(StatusError.invalid("Request payload size exceeds the limit: \(limit) bytes."))
  }

  private func send(_ reply: HTTPReply, of exchange: Exchange, on connection: OpaquePointer) -> MHD_Result {
    if reply.isDropped { return sluice_mhd_no() }
    if let script = reply.wire {
      // Closed when the script is done, or at once where the server is stopping.
      exchange.reply?.isDropped = true
      return wire.begin(connection, script(reply)) ? sluice_mhd_yes() : sluice_mhd_no()
    }
    let response: OpaquePointer? = reply.body.withUnsafeBytes { body in
      guard let cut = reply.cutAfter, cut < body.count else { return sluice_mhd_response(body.baseAddress, body.count) }
      return sluice_mhd_cut_response(body.baseAddress, cut, UInt64(body.count))
    }
    guard let response else { return sluice_mhd_no() }
    defer { MHD_destroy_response(response) }
    MHD_add_response_header(response, "Content-Type", reply.contentType)
    for header in reply.headers { MHD_add_response_header(response, header.name, header.value) }
    return MHD_queue_response(connection, UInt32(reply.status), response)
  }
}

/// One request and its answer. Used by the server's thread only.
private final class Exchange {
  var request: HTTPRequest
  var received = 0
  var isBegun = false
  var reply: HTTPReply?

  init(target: String) { request = HTTPRequest(method: "", target: target) }
}

/// What libmicrohttpd calls, on its thread. Static and nonisolated, so that no actor is assumed.
private enum Callbacks {
  static let begin:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
      _, uri, _ in
      Unmanaged.passRetained(Exchange(target: uri.map { String(cString: $0) } ?? "")).toOpaque()
    }

  static let completed: MHD_RequestCompletedCallback = { _, _, state, _ in
    guard let exchange = state?.pointee else { return }
    Unmanaged<Exchange>.fromOpaque(exchange).release()
    state?.pointee = nil
  }

  static let connection: MHD_NotifyConnectionCallback = { context, _, socketContext, event in
    guard let context, sluice_mhd_is_new(event) else { return }
    let handler = Unmanaged<ExchangeHandler>.fromOpaque(context).takeUnretainedValue()
    socketContext?.pointee = UnsafeMutableRawPointer(bitPattern: handler.connected())
  }

  static let access: MHD_AccessHandlerCallback = { context, connection, _, method, _, upload, uploadCount, state in
    guard let context, let connection, let uploadCount, let pointer = state?.pointee else { return sluice_mhd_no() }
    let handler = Unmanaged<ExchangeHandler>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    if !exchange.isBegun {
      // The first call brings the headers only.
      exchange.isBegun = true
      exchange.request.method = method.map { String(cString: $0) } ?? ""
      exchange.request.connection = Int(sluice_mhd_connection_number(connection))
      exchange.request.host = header("Host", of: connection)
      exchange.request.origin = header("Origin", of: connection)
      exchange.request.authorization = header("Authorization", of: connection)
      exchange.request.apiKey = header("x-goog-api-key", of: connection)
      return sluice_mhd_yes()
    }
    let count = uploadCount.pointee
    uploadCount.pointee = 0
    let bytes = upload.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }
    return handler.handle(connection, exchange, UnsafeBufferPointer(start: bytes, count: count))
  }

  private static func header(_ name: String, of connection: OpaquePointer) -> String? {
    sluice_mhd_header(connection, name).map { String(cString: $0) }
  }
}
