import SluiceCore

extension HTTPConfiguration {
  /// A transport's configuration from a job's `http` settings. Relative paths start from `baseDirectory`.
  public init(_ settings: HTTPSettings, baseDirectory: String) {
    self.init()
    func path(_ path: String) -> String { path.hasPrefix("/") ? path : "\(baseDirectory)/\(path)" }
    limits.connect = settings.connectTimeout
    limits.firstByte = settings.firstByteTimeout
    limits.idle = settings.idleTimeout
    limits.total = settings.totalTimeout
    limits.maxBodyBytes = settings.maxBodyBytes.bytes
    caFile = settings.caFile.map(path)
    if let certificate = settings.clientCertificate {
      clientCertificate = ClientCertificate(
        certificateFile: path(certificate), keyFile: path(settings.clientKey ?? certificate))
    }
    if let url = settings.proxy { proxy = .url(url.reveal(), bypass: settings.noProxy) }
  }
}

extension RetryPolicy {
  /// A policy from a job's `retry` settings.
  public init(_ settings: RetrySettings) {
    self.init()
    maxAttempts = settings.attempts
    initialDelay = settings.initialDelay
    multiplier = settings.factor
    maxDelay = settings.maxDelay
    maxWait = settings.maxDelay
  }
}
