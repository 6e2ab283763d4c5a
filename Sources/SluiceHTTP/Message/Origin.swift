/// Scheme, host and port: the unit that credentials belong to (RFC 6454), and all that an error shows of a URL.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
  /// The two schemes that are spoken.
  public enum Scheme: String, Sendable, Hashable {
    /// Without TLS. Credentials go over it on loopback only.
    case http
    /// With TLS.
    case https

    /// The port that is meant when a URL names none.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// The scheme.
  public let scheme: Scheme
  /// The host in lower case; an IPv6 address without its brackets.
  public let host: String
  /// The port, 1…65535.
  public let port: Int

  /// An origin; `port` nil means the scheme's own. Brackets around an IPv6 address are taken off.
  public init(scheme: Scheme, host: String, port: Int? = nil) {
    self.scheme = scheme
    var name = host.lowercased()
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    self.host = name
    self.port = port ?? scheme.defaultPort
  }

  /// Whether this is this very machine: `localhost` (libcurl never asks DNS for it), 127.0.0.0/8 or `::1`.
  public var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    // Four numbers and nothing else: `127.example.com` is somebody's host.
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.dropFirst().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { 48...57 ~= $0 } && UInt8($0) != nil }
  }

  /// `scheme://host:port`, the port left out where it is the scheme's own.
  public var description: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port == scheme.defaultPort ? "\(scheme.rawValue)://\(name)" : "\(scheme.rawValue)://\(name):\(port)"
  }
}
