/// One request. A value: it can be sent any number of times.
public struct HTTPRequest: Sendable {
  /// The request's method.
  public enum Method: String, Sendable, Hashable {
    /// Reads.
    case get = "GET"
    /// Reads the head only.
    case head = "HEAD"
    /// Does what the body says.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"

    /// Whether repeating the request is harmless by its definition (RFC 9110, 9.2.2).
    public var isIdempotent: Bool { self != .post && self != .patch }
  }

  /// Which version of HTTP is spoken.
  public enum Version: Sendable, Hashable {
    /// HTTP/1.1: one connection per request in flight. A slow reader then stalls nobody else.
    case http1
    /// HTTP/2 over TLS, where the server offers it.
    case http2
  }

  /// What is done with an answer that points elsewhere (301, 302, 303, 307, 308 with a `Location`).
  public enum Redirects: Sendable, Hashable {
    /// The answer itself is handed back.
    case none
    /// Followed at most so many times. Never from https to http; to another origin without credentials and only
    /// requests without a body.
    case follow(limit: Int)
  }

  /// The method.
  public var method: Method
  /// Where to.
  public var url: HTTPURL
  /// Header fields. `Host`, `Content-Length` and `Accept-Encoding` are the transport's.
  public var headers: HTTPHeaders
  /// The body; empty means none, but for POST, PUT and PATCH, which then say `Content-Length: 0`.
  public var body: [UInt8]
  /// The limits of this request; nil means the transport's.
  public var limits: HTTPLimits?
  /// Whether sending it twice does no harm. Only then is it repeated once it may have reached the server. By default
  /// what the method says.
  public var isIdempotent: Bool
  /// Redirects; by default none is followed.
  public var redirects: Redirects = .none
  /// Whether 200 with an empty body is an answer. By default it is taken for a cut one and fails: whoever asked for a
  /// page cannot tell an empty body from an empty collection.
  public var allowsEmptyBody = false
  /// The version of HTTP.
  public var version: Version = .http1
  /// Further names of headers and query parameters that carry a secret, beside the usual ones
  /// (`CredentialNames`). They are kept from other origins and from plain http.
  public var credentialNames: [String] = []

  /// A request.
  public init(
    _ method: Method = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: [UInt8] = [], limits: HTTPLimits? = nil,
    isIdempotent: Bool? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.limits = limits
    self.isIdempotent = isIdempotent ?? method.isIdempotent
  }

  /// How an error names the request: method and path, without the query.
  public var label: String { "\(method.rawValue) \(url.path)" }
}
