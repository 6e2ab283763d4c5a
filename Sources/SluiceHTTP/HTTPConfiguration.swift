#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import SluiceCore

/// How a transport reaches servers. There is no switch to turn the verification of TLS off.
public struct HTTPConfiguration: Sendable {
  /// A client's certificate for TLS, both in PEM files.
  public struct ClientCertificate: Sendable {
    /// The file with the certificate and its chain.
    public var certificateFile: String
    /// The file with the private key.
    public var keyFile: String
    /// What the key is locked with.
    public var keyPassword: String?

    /// A certificate.
    public init(certificateFile: String, keyFile: String, keyPassword: String? = nil) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.keyPassword = keyPassword
    }
  }

  /// Which proxy is used. Loopback never goes through one.
  public enum Proxy: Sendable {
    /// None, whatever the environment says.
    case none
    /// What `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    case environment
    /// This one (`http://host:port`, may hold a user and a password), but not for the hosts of `bypass`
    /// (names, `.suffix`, addresses, `10.0.0.0/8`).
    case url(String, bypass: [String] = [])
  }

  /// The limits of a request that brings none of its own.
  public var limits = HTTPLimits()
  /// A PEM file with the certificate authorities to trust, instead of the system's.
  public var caFile: String?
  /// The certificate shown to servers that ask for one.
  public var clientCertificate: ClientCertificate?
  /// The proxy.
  public var proxy: Proxy = .none
  /// The `User-Agent`.
  public var userAgent = "sluice"
  /// Connections kept open for the next request.
  public var maxIdleConnections = 64

  /// The defaults: the system's authorities, no proxy.
  public init() {}

  /// Finds at the start what would otherwise fail at the first request.
  func checkFiles() throws(SluiceError) {
    var files: [(role: String, path: String)] = []
    if let caFile { files.append(("the file of certificate authorities", caFile)) }
    if let clientCertificate {
      files.append(("the client certificate", clientCertificate.certificateFile))
      files.append(("the client certificate's key", clientCertificate.keyFile))
    }
    for (role, path) in files where access(path, R_OK) != 0 {
      throw SluiceError(
        .invalidConfiguration, "\(role) cannot be read: \(String(cString: strerror(errno)))", at: Place(file: path),
        hint: "a PEM file that this user may read")
    }
  }
}
