import SluiceCore

/// Status and headers of an answer.
public struct HTTPHead: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// When the head had arrived, by this machine's clock.
  public var receivedAt: Timestamp

  /// A head.
  public init(status: Int, headers: HTTPHeaders = [:], receivedAt: Timestamp = Timestamp(seconds: 0, nanoseconds: 0)) {
    self.status = status
    self.headers = headers
    self.receivedAt = receivedAt
  }

  /// Whether the status is 200…299.
  public var isSuccess: Bool { 200...299 ~= status }
}

/// A whole answer: it arrived complete, or it would have been an error.
public struct HTTPResponse: Sendable {
  /// Status and headers.
  public var head: HTTPHead
  /// The body, decoded from gzip, br or zstd.
  public var body: [UInt8]
  /// Fields sent after the body.
  public var trailers: HTTPHeaders
  /// Bytes of the body as they were on the wire, before decoding.
  public var wireBytes: Int

  /// An answer.
  public init(head: HTTPHead, body: [UInt8] = [], trailers: HTTPHeaders = [:], wireBytes: Int = 0) {
    self.head = head
    self.body = body
    self.trailers = trailers
    self.wireBytes = wireBytes
  }

  /// The status code.
  public var status: Int { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }
  /// Whether the status is 200…299.
  public var isSuccess: Bool { head.isSuccess }
}
