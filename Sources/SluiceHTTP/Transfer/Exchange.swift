import CCurl
import SluiceCore
import Synchronization

/// Where the answer of an exchange goes.
enum Delivery {
  /// Collected; one wake-up when it is complete.
  case whole(CheckedContinuation<HTTPResponse, any Error>)
  /// The head as soon as it is there, then the body through the channel.
  case stream(CheckedContinuation<HTTPHead, any Error>, BodyChannel)
  /// The head has been delivered.
  case body(BodyChannel)
}

/// One request on its way and the answer it gets.
///
/// `@unchecked Sendable`: everything but the constants and `isCancelled` is touched by the loop's thread only.
final class Exchange: @unchecked Sendable {
  let request: HTTPRequest
  let limits: HTTPLimits
  /// Set by the cancelling task before it tells the loop.
  let isCancelled = Atomic<Bool>(false)

  var delivery: Delivery?
  /// The loop while the exchange is with it: libcurl's callbacks find their way by it.
  var loop: TransferLoop?
  /// The libcurl handle while the transfer runs.
  var handle: UnsafeMutableRawPointer?
  /// The header list that libcurl reads during the transfer.
  var headerList: UnsafeMutablePointer<curl_slist>?

  typealias ErrorBuffer = UnsafeMutablePointer<CChar>
  /// Where libcurl writes why TLS failed. Only with https: its other texts may name more than an error should.
  var errorBuffer: ErrorBuffer?

  /// Who signed the server's certificate, where the connection was made for this exchange.
  var issuer: String?

  var head: HeadParser
  var headReceivedAt = Timestamp(seconds: 0, nanoseconds: 0)
  var body: [UInt8] = []
  var bodyBytes = 0
  var wireBytes = 0
  var uploaded = 0
  /// How often the request began to go out; more than once means libcurl repeats it on a new connection.
  var timesSent = 0
  var isPaused = false
  /// Why a callback stopped the transfer.
  var failure: SluiceError?

  let startedAt: Monotonic
  /// The last byte sent or received.
  var lastActivity: Monotonic

  init(_ request: HTTPRequest, limits: HTTPLimits) {
    self.request = request
    self.limits = limits
    head = HeadParser(maxBytes: limits.maxHeaderBytes)
    startedAt = .now
    lastActivity = startedAt
  }

  /// Whether the server may have seen the request.
  var mayHaveArrived: Bool { timesSent > 0 }

  /// An error of this exchange.
  func error(
    _ code: SluiceError.Code, _ message: String, retry: SluiceError.Retry, hint: String? = nil
  ) -> SluiceError {
    SluiceError(
      code, "\(request.label): \(message)", at: Place(origin: request.url.origin.description), retry: retry, hint: hint)
  }

  // MARK: Limits

  private enum Limit {
    case total(Duration)
    case firstByte(Duration)
    case idle(Duration)

    var message: String {
      switch self {
      case .total(let length): "not finished within \(length.label), the limit for the whole request"
      case .firstByte(let length): "no answer within \(length.label), the limit for the first byte"
      case .idle(let length): "no byte arrived for \(length.label), the limit for idling"
      }
    }
  }

  /// The limit that ends first as things stand. Connecting is under libcurl's own limit.
  private var nextLimit: (end: Monotonic, limit: Limit)? {
    var next: (end: Monotonic, limit: Limit)?
    func consider(_ end: Monotonic, _ limit: Limit) {
      if next.map({ end < $0.end }) ?? true { next = (end, limit) }
    }
    if let total = limits.total { consider(startedAt + total, .total(total)) }
    if head.isComplete {
      if !isPaused, let idle = limits.idle { consider(lastActivity + idle, .idle(idle)) }
    } else if timesSent > 0, let firstByte = limits.firstByte {
      consider(lastActivity + firstByte, .firstByte(firstByte))
    }
    return next
  }

  /// When to look again.
  var nextDeadline: Monotonic? { nextLimit?.end }

  /// The error of a limit that has been passed.
  func timeout(at now: Monotonic) -> SluiceError? {
    guard let (end, limit) = nextLimit, end <= now else { return nil }
    return error(.timeout, limit.message, retry: .transient)
  }
}
