import CCurl
import SluiceCore

/// An absolute `http` or `https` URL, checked when it is made: no user or password, no control characters, no fragment.
///
/// Parsing and the resolving of references are libcurl's, so that what was checked is what is asked.
public struct HTTPURL: Sendable, Hashable {
  /// Scheme, host and port.
  public let origin: Origin
  /// The path, percent-encoded, beginning with `/`. Free of secrets: errors show it.
  public private(set) var path: String
  /// The query without `?`, percent-encoded; nil if there is none. May hold secrets: errors never show it.
  public private(set) var query: String?

  /// Parses `text`. Throws `invalid_configuration` for what is no such URL; the message never holds the text, since it
  /// may hold a secret.
  public init(_ text: String) throws(SluiceError) {
    try self.init(text, base: nil)
  }

  /// The root of an origin.
  public init(_ origin: Origin) {
    self.origin = origin
    path = "/"
    query = nil
  }

  /// The URL that `reference` (a `Location`, a link, a next URL) means when it is found at this one.
  public func resolving(_ reference: String) throws(SluiceError) -> HTTPURL {
    try HTTPURL(reference, base: self)
  }

  /// The whole text. May hold secrets: never for a log or an error.
  public var text: String {
    if let query { "\(origin)\(path)?\(query)" } else { "\(origin)\(path)" }
  }

  /// This URL with further path segments, each percent-encoded on its own. The query is kept.
  public func appending(segments: some Sequence<String>) -> HTTPURL {
    var url = self
    for segment in segments {
      if !url.path.hasSuffix("/") { url.path += "/" }
      url.path += PercentEncoding.pathSegment(segment)
    }
    return url
  }

  /// This URL with one more path segment, percent-encoded.
  public func appending(segment: String) -> HTTPURL {
    appending(segments: CollectionOfOne(segment))
  }

  /// This URL with `text` added to its path as it stands: for `:runQuery` and the like. It must be encoded already.
  public func appending(rawPath text: String) -> HTTPURL {
    var url = self
    url.path += text
    return url
  }

  /// This URL with one more pair in its query, percent-encoded.
  public func appending(query name: String, _ value: String) -> HTTPURL {
    var url = self
    let pair = "\(PercentEncoding.query(name))=\(PercentEncoding.query(value))"
    if let query = url.query, !query.isEmpty { url.query = "\(query)&\(pair)" } else { url.query = pair }
    return url
  }

  /// The names in the query, as they are written.
  var queryNames: [Substring] {
    guard let query else { return [] }
    return query.split(separator: "&").map { $0.prefix { $0 != "=" } }
  }
}

extension HTTPURL {
  private init(_ text: String, base: HTTPURL?) throws(SluiceError) {
    guard let handle = curl_url() else { throw SluiceError(.internal, "no memory for a URL") }
    defer { curl_url_cleanup(handle) }
    // A user in a URL would travel into logs and over redirects. `PATH_AS_IS` stays off: dot segments are resolved here,
    // once, and never again.
    let flags = UInt32(CURLU_DISALLOW_USER)
    if let base { _ = curl_url_set(handle, CURLUPART_URL, base.text, 0) }
    let parsed = curl_url_set(handle, CURLUPART_URL, text, flags)
    guard parsed == CURLUE_OK else { throw Self.refusal(parsed) }

    guard let schemeText = Self.part(CURLUPART_SCHEME, of: handle),
      let scheme = Origin.Scheme(rawValue: schemeText.lowercased())
    else { throw Self.error("the URL's scheme is neither http nor https") }
    guard let host = Self.part(CURLUPART_HOST, of: handle), !host.isEmpty else {
      throw Self.error("the URL has no host")
    }
    let port = Self.part(CURLUPART_PORT, of: handle).flatMap { Int($0) }
    origin = Origin(scheme: scheme, host: host, port: port)
    path = Self.part(CURLUPART_PATH, of: handle) ?? "/"
    query = Self.part(CURLUPART_QUERY, of: handle)
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  private static func refusal(_ code: CURLUcode) -> SluiceError {
    switch code {
    case CURLUE_USER_NOT_ALLOWED:
      error("the URL holds a user or a password", hint: "take it out of the URL and use the component's credentials")
    case CURLUE_UNSUPPORTED_SCHEME: error("the URL's scheme is neither http nor https")
    case CURLUE_BAD_PORT_NUMBER: error("the URL's port is no number from 1 to 65535")
    default: error("this is no URL (\(String(cString: curl_url_strerror(code))))")
    }
  }

  private static func error(_ message: String, hint: String? = nil) -> SluiceError {
    SluiceError(.invalidConfiguration, message, hint: hint ?? "a URL looks like https://host:port/path?query")
  }
}
