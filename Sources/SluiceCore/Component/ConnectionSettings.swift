/// The `http` settings of a job: limits and trust of every HTTP connection it makes.
public struct HTTPSettings: Configurable, Equatable {
  /// Limit for making a connection, TLS included.
  public var connectTimeout = Duration.seconds(10)
  /// Limit from sending a request to the first byte of its answer.
  public var firstByteTimeout = Duration.seconds(60)
  /// Limit for silence within an answer.
  public var idleTimeout = Duration.seconds(30)
  /// Limit for a whole request.
  public var totalTimeout = Duration.seconds(300)
  /// The largest answer taken, after decompression.
  public var maxBodyBytes = ByteCount(256 << 20)
  /// The proxy, as a URL.
  public var proxy: Secret?
  /// Hosts that are reached without the proxy.
  public var noProxy: [String] = []
  /// A file of certificates to trust instead of the system's, in PEM.
  public var caFile: String?
  /// The client's certificate, in PEM.
  public var clientCertificate: String?
  /// The client's private key, in PEM.
  public var clientKey: String?

  /// The defaults.
  public init() {}

  /// The settings.
  public static let spec = ConfigSpec<HTTPSettings>(
    "Limits and trust of the HTTP connections of a job.",
    [
      Setting("connect_timeout", \.connectTimeout, "Limit for making a connection, TLS included."),
      Setting("first_byte_timeout", \.firstByteTimeout, "Limit from the request to the first byte of the answer."),
      Setting("idle_timeout", \.idleTimeout, "Limit for silence within an answer."),
      Setting("total_timeout", \.totalTimeout, "Limit for a whole request."),
      Setting("max_body_bytes", \.maxBodyBytes, "The largest answer taken, after decompression."),
      Setting("proxy", \.proxy, "The proxy, as a URL.", examples: ["http://proxy.example:3128"]),
      Setting("no_proxy", \.noProxy, "Hosts that are reached without the proxy."),
      Setting("ca_file", \.caFile, "A file of certificates to trust instead of the system's (PEM)."),
      Setting("client_certificate", \.clientCertificate, "The client's certificate (PEM file)."),
      Setting("client_key", \.clientKey, "The client's private key (PEM file)."),
    ])
}

/// The `retry` settings of a job.
public struct RetrySettings: Configurable, Equatable {
  /// Tries of one step, the first included.
  public var attempts = 5
  /// The first back-off.
  public var initialDelay = Duration.milliseconds(100)
  /// The longest wait, also where the other side asks for more.
  public var maxDelay = Duration.seconds(60)
  /// Each back-off is this much longer than the one before.
  public var factor = 2.0

  /// The defaults.
  public init() {}

  /// The settings.
  public static let spec = ConfigSpec<RetrySettings>(
    "How failed steps are tried again.",
    [
      Setting("attempts", \.attempts, "Tries of one step, the first included.", range: 1...100),
      Setting("initial_delay", \.initialDelay, "The first back-off, before jitter."),
      Setting("max_delay", \.maxDelay, "The longest wait, also where the other side asks for more."),
      Setting("factor", \.factor, "Each back-off is this much longer than the one before.", range: 1...10),
    ])
}
