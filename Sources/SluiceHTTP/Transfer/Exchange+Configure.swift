import CCurl
import SluiceCore

extension Exchange {
  /// Sets everything that this request needs on a fresh or reset handle.
  func configure(_ handle: UnsafeMutableRawPointer, _ configuration: HTTPConfiguration) {
    let options = EasyOptions(handle: handle)
    options.set(CURLOPT_URL, request.url.text)
    options.set(CURLOPT_PATH_AS_IS, 1)
    options.set(CURLOPT_PROTOCOLS_STR, "http,https")
    options.set(CURLOPT_FOLLOWLOCATION, 0)
    options.set(CURLOPT_NOSIGNAL, 1)
    // A transfer that is stopped while its name is being resolved must not hold the loop until DNS gives up.
    options.set(CURLOPT_QUICK_EXIT, 1)
    options.set(CURLOPT_TCP_KEEPALIVE, 1)
    options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.set(CURLOPT_HTTP_VERSION, Int(request.version == .http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS))
    options.set(CURLOPT_USERAGENT, configuration.userAgent)
    options.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connect?.curlMilliseconds ?? Int(Int32.max))
    if case .whole = delivery {
      // "" means every encoding that libcurl was built with.
      options.set(CURLOPT_ACCEPT_ENCODING, "")
      options.set(CURLOPT_BUFFERSIZE, 256 << 10)
    }
    setTrust(options, configuration)
    setProxy(options, configuration.proxy)
    setMethod(options)
    setHeaders(options)
    setCallbacks(options)
  }

  private func setTrust(_ options: EasyOptions, _ configuration: HTTPConfiguration) {
    options.set(CURLOPT_SSL_VERIFYPEER, 1)
    options.set(CURLOPT_SSL_VERIFYHOST, 2)
    options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if request.url.origin.scheme == .https {
      let buffer = ErrorBuffer.allocate(capacity: Int(CURL_ERROR_SIZE))
      buffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      options.set(CURLOPT_ERRORBUFFER, buffer)
      errorBuffer = buffer
      // Shows the handshake's messages, so that a refusal can name the issuer. Nothing is printed. Not needed, and not
      // paid for, once the origin was reached.
      if loop?.wasReached(request.url.origin) != true {
        options.set(CURLOPT_VERBOSE, 1)
        options.set(debug: TransferCallbacks.debug)
        options.set(CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
      }
    }
    if let caFile = configuration.caFile { options.set(CURLOPT_CAINFO, caFile) }
    guard let certificate = configuration.clientCertificate else { return }
    options.set(CURLOPT_SSLCERT, certificate.certificateFile)
    options.set(CURLOPT_SSLKEY, certificate.keyFile)
    if let password = certificate.keyPassword { options.set(CURLOPT_KEYPASSWD, password) }
  }

  /// An empty proxy also keeps libcurl from reading the environment.
  private func setProxy(_ options: EasyOptions, _ proxy: HTTPConfiguration.Proxy) {
    if request.url.origin.isLoopback {
      options.set(CURLOPT_PROXY, "")
      return
    }
    switch proxy {
    case .none: options.set(CURLOPT_PROXY, "")
    case .environment: break
    case .url(let url, let bypass):
      options.set(CURLOPT_PROXY, url)
      options.set(CURLOPT_NOPROXY, bypass.joined(separator: ","))
    }
  }

  private func setMethod(_ options: EasyOptions) {
    switch request.method {
    case .head: options.set(CURLOPT_NOBODY, 1)
    case .get where request.body.isEmpty, .delete where request.body.isEmpty: options.set(CURLOPT_HTTPGET, 1)
    default:
      options.set(CURLOPT_POST, 1)
      options.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: request.body.count)
    }
    if request.method != .head { options.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  private func setHeaders(_ options: EasyOptions) {
    // No waiting for "100 Continue", and no type that nobody asked for.
    var lines = ["Expect:"]
    if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
    // libcurl's way to send a field without a value is a semicolon.
    lines += request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    for line in lines { headerList = curl_slist_append(headerList, line) }
    options.set(headers: headerList)
  }

  private func setCallbacks(_ options: EasyOptions) {
    // Unretained: the loop holds the exchange until the handle is reset.
    let user = Unmanaged.passUnretained(self).toOpaque()
    options.set(CURLOPT_WRITEFUNCTION, TransferCallbacks.write)
    options.set(CURLOPT_WRITEDATA, user)
    options.set(CURLOPT_HEADERFUNCTION, TransferCallbacks.header)
    options.set(CURLOPT_HEADERDATA, user)
    options.set(CURLOPT_READFUNCTION, TransferCallbacks.read)
    options.set(CURLOPT_READDATA, user)
    options.set(seek: TransferCallbacks.seek)
    options.set(CURLOPT_SEEKDATA, user)
    options.set(beforeRequest: TransferCallbacks.beforeRequest)
    options.set(CURLOPT_PREREQDATA, user)
    options.set(socket: TransferCallbacks.socket)
  }
}

/// A libcurl easy handle's options by their types. Their values cannot fail but for memory, or for a feature that
/// libcurl was built without: then the transfer itself fails.
private struct EasyOptions {
  let handle: UnsafeMutableRawPointer

  func set(_ option: CURLoption, _ value: Int) { _ = sluice_easy_set_long(handle, option, value) }
  func set(_ option: CURLoption, offset: Int) { _ = sluice_easy_set_offset(handle, option, curl_off_t(offset)) }
  func set(_ option: CURLoption, _ value: String) { _ = sluice_easy_set_string(handle, option, value) }
  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    _ = sluice_easy_set_pointer(handle, option, value)
  }
  func set(_ option: CURLoption, _ value: @escaping curl_write_callback) {
    _ = sluice_easy_set_data_callback(handle, option, value)
  }
  func set(headers: UnsafeMutablePointer<curl_slist>?) { _ = sluice_easy_set_headers(handle, headers) }
  func set(seek: @escaping curl_seek_callback) { _ = sluice_easy_set_seek_callback(handle, seek) }
  func set(beforeRequest: @escaping curl_prereq_callback) {
    _ = sluice_easy_set_before_request_callback(handle, beforeRequest)
  }
  func set(debug: @escaping curl_debug_callback) { _ = sluice_easy_set_debug_callback(handle, debug) }
  func set(socket: @escaping curl_sockopt_callback) { _ = sluice_easy_set_socket_callback(handle, socket) }
}
