/// How long and how much a request may take. nil means no limit. Each limit that is passed has its own message.
public struct HTTPLimits: Sendable, Hashable {
  /// Until the connection stands: name, TCP, proxy and TLS together.
  public var connect: Duration? = .seconds(10)
  /// From the last byte of the request to the end of the answer's head.
  public var firstByte: Duration? = .seconds(60)
  /// Between two pieces of the body. Does not run while the reader of a stream holds it back.
  public var idle: Duration? = .seconds(60)
  /// The whole exchange, from the call to the last byte.
  public var total: Duration? = .seconds(300)
  /// Bytes of the body after decoding; what a small answer unpacks to counts too.
  public var maxBodyBytes: Int? = 256 << 20
  /// Bytes of the head: status line and fields.
  public var maxHeaderBytes = 64 << 10

  /// The limits for whole answers: connect 10 s, first byte 60 s, idle 60 s, total 300 s, body 256 MiB, head 64 KiB.
  public init() {}

  /// The limits for an answer that never ends: no total, no size. `idle` must be longer than the server's heartbeat.
  public static func endless(idle: Duration?) -> HTTPLimits {
    var limits = HTTPLimits()
    limits.idle = idle
    limits.total = nil
    limits.maxBodyBytes = nil
    return limits
  }
}
