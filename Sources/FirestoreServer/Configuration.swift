/// How a server answers. The defaults are those of Firestore itself.
public struct Configuration: Sendable {
  /// The port on 127.0.0.1; 0 takes any free one.
  public var port: UInt16 = 0
  /// What every path begins with, such as `/proxy`; empty for none.
  public var pathPrefix = ""
  /// Documents a page where the request names no size (Google's emulator: 30).
  public var defaultPageSize = 20
  /// Documents a page at most (Google's emulator: 150).
  public var maximumPageSize = 300
  /// How long earlier states stay readable through `readTime`.
  public var retention: Duration = .seconds(3600)
  /// The time the server goes by.
  public var clock = ServerClock.system
  /// Who may ask.
  public var authorization = Authorization.open
  /// Errors of methods that stream come inside an array, as production sends them (Google's emulator: bare).
  public var wrapsStreamErrors = true
  /// The largest body of a request, in bytes.
  public var maximumRequestSize = 10 * 1024 * 1024
  /// How many requests the log keeps; counters go on beyond it.
  public var loggedRequests = 100_000

  /// The defaults.
  public init() {}
}

/// Who may ask a server.
public enum Authorization: Sendable, Equatable {
  /// Everybody.
  case open
  /// Whoever has one of these bearer tokens or API keys.
  case required(tokens: Set<String>, apiKeys: Set<String> = [])
}

extension Authorization {
  /// Throws what Firestore answers where the credentials are missing (PERMISSION_DENIED), wrong or expired
  /// (UNAUTHENTICATED), or no API key (INVALID_ARGUMENT).
  func check(_ request: HTTPRequest, _ query: [(name: String, value: String)]) throws(StatusError) {
    guard case .required(let tokens, let keys) = self else { return }
    func parameter(_ name: String) -> String? { query.last { $0.name == name }?.value }
    if let header = request.authorization {
      let parts = header.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer", tokens.contains(String(parts[1])) else {
        throw Self.unauthenticated
      }
    } else if let token = parameter("access_token") {
      guard tokens.contains(token) else { throw Self.unauthenticated }
    } else if let key = request.apiKey ?? parameter("key") {
      guard keys.contains(key) else { throw .invalid("API key not valid. Please pass a valid API key.") }
    } else {
      throw StatusError(.permissionDenied, "Missing or insufficient permissions.")
    }
  }

  private static let unauthenticated = StatusError(
    .unauthenticated, "Request had invalid authentication credentials. Expected OAuth 2 access token.")
}
