import SluiceCore

/// A transport that judges answers and repeats what failed.
public struct HTTPClient: Sendable {
  /// What sends.
  public let transport: HTTPTransport
  /// What repeats.
  public var retrying: Retrying

  /// A client.
  public init(_ transport: HTTPTransport, retrying: Retrying = Retrying()) {
    self.transport = transport
    self.retrying = retrying
  }

  /// Sends `request` until there is an answer that `judge` takes.
  ///
  /// `judge` returns the error that an answer stands for, nil if it is a good one; by default the status decides
  /// (`HTTPResponse.statusError`). A request that is not idempotent is repeated only if it never reached the server.
  /// `authorize` puts credentials into the request before each try, and is told whether the last ones were refused: then
  /// it gets new ones, and the request is tried once more.
  nonisolated(nonsending)
    public func send(
      _ request: HTTPRequest,
      authorize: ((_ request: inout HTTPRequest, _ wereRefused: Bool) async throws -> Void)? = nil,
      judge: (HTTPResponse, HTTPRequest) -> SluiceError? = { $0.statusError(for: $1) }
    ) async throws -> HTTPResponse
  {
    var prepared = request
    if let authorize { try await authorize(&prepared, false) }
    let renew: (() async throws -> Void)? =
      if let authorize {
        {
          prepared = request
          try await authorize(&prepared, true)
        }
      } else { nil }
    return try await retrying.run(renewCredentials: renew) { _ in
      let response = try await transport.send(prepared)
      guard var error = judge(response, request) else { return response }
      // The server got it and may have done some of it. Refused credentials are the exception: nothing was done.
      if !request.isIdempotent, error.retry != .credentials { error.retry = .never }
      throw error.at(Place(origin: request.url.origin.description))
    }
  }
}

extension HTTPResponse {
  /// The error that a status outside 200…299 stands for: 429 and 503 are `throttled` (Retry-After as seconds or date),
  /// 408, 500, 502 and 504 `transient`, 401 `credentials`, all others `never`.
  public func statusError(for request: HTTPRequest) -> SluiceError? {
    if isSuccess { return nil }
    let code: SluiceError.Code =
      switch status {
      case 401: .unauthenticated
      case 403: .permissionDenied
      default: .remote
      }
    return SluiceError(
      code, "\(request.label): answered with status \(status)", at: Place(origin: request.url.origin.description),
      retry: statusRetry)
  }

  /// The retry class of the status alone.
  public var statusRetry: SluiceError.Retry {
    switch status {
    case 429, 503: .throttled(after: retryAfter)
    case 408, 500, 502, 504: .transient
    case 401: .credentials
    default: .never
    }
  }

  /// The patience that `Retry-After` asks for, as seconds or as a date; nil if there is none, or one that makes no sense.
  /// A date is measured against the answer's own `Date`, so that a wrong clock here does no harm.
  public var retryAfter: Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) {
      // More digits than an Int has are a very long wait, not nonsense.
      return .seconds(min(Int64(text) ?? .max, 1 << 32))
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    let now = headers["Date"].flatMap(HTTPDate.parse) ?? head.receivedAt.seconds
    return .seconds(max(0, date - now))
  }
}
