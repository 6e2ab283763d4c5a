import CCurl
import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Exchange {
  /// What libcurl's result means: only a complete answer is a success.
  func outcome(_ code: CURLcode, _ handle: UnsafeMutableRawPointer) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    guard code == CURLE_OK else { return .failure(explain(code, handle)) }
    guard head.isComplete else {
      return .failure(error(.network, "the connection closed within the answer's head", retry: repeatable))
    }
    if head.status == 200, bodyBytes == 0, request.method != .head, !request.allowsEmptyBody {
      return .failure(error(.network, "answered 200 with an empty body", retry: repeatable))
    }
    var wire: curl_off_t = 0
    _ = sluice_easy_get_offset(handle, CURLINFO_SIZE_DOWNLOAD_T, &wire)
    wireBytes = Int(wire)
    return .success(())
  }

  /// A passing fault, unless repeating might do the request's work twice.
  private var repeatable: SluiceError.Retry { request.isIdempotent || !mayHaveArrived ? .transient : .never }

  private func explain(_ code: CURLcode, _ handle: UnsafeMutableRawPointer) -> SluiceError {
    let host = request.url.origin.host
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return network("the name \(host) cannot be resolved")
    case CURLE_COULDNT_RESOLVE_PROXY: return network("the proxy's name cannot be resolved")
    case CURLE_COULDNT_CONNECT: return network("no connection to \(host)\(systemReason(handle))")
    case CURLE_OPERATION_TIMEDOUT:
      // No other limit is libcurl's.
      return error(
        .timeout, "no connection within \(limits.connect?.label ?? "?"), the limit for connecting", retry: .transient)
    case CURLE_PARTIAL_FILE: return network("the body was cut off: \(received)")
    case CURLE_GOT_NOTHING: return network("the server closed the connection without an answer")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      let state = head.isComplete ? "after \(bodyBytes) bytes of the body" : "before an answer"
      return network("the connection broke \(state)\(systemReason(handle))")
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return network("the HTTP/2 stream broke: \(received)")
    case CURLE_BAD_CONTENT_ENCODING: return network("the body's compression is damaged or unknown")
    case CURLE_SSL_CONNECT_ERROR: return network("TLS could not be agreed on\(tlsReason)")
    case CURLE_PROXY: return network("the proxy refused or failed")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      return error(
        .network, "the server's certificate is not trusted\(tlsReason)\(issuerReason)", retry: .never,
        hint: "for a private authority name its file as the CA file; verification cannot be turned off")
    case CURLE_SSL_CACERT_BADFILE:
      return error(
        .invalidConfiguration, "the file of certificate authorities cannot be used\(tlsReason)", retry: .never)
    case CURLE_SSL_CERTPROBLEM:
      return error(.invalidConfiguration, "the client certificate or its key cannot be used\(tlsReason)", retry: .never)
    // One line of a head over libcurl's own 100 KiB: its word for it is that memory ran out.
    case CURLE_OUT_OF_MEMORY where !head.isComplete && timesSent > 0: return headTooLarge
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
      return error(.malformedData, "the answer is not HTTP", retry: .never, hint: "is this the right port?")
    default:
      return error(
        .network, "\(String(cString: curl_easy_strerror(code))) (libcurl \(code.rawValue))", retry: .never)
    }
  }

  private func network(_ message: String) -> SluiceError {
    error(
      .network, message, retry: repeatable,
      hint: repeatable == .never
        ? "the request may have been carried out; it is not repeated because it is not idempotent" : nil)
  }

  private var received: String {
    if let length = head.contentLength, !head.isEncoded { return "\(bodyBytes) of \(length) bytes came" }
    return "\(bodyBytes) bytes came"
  }

  private func systemReason(_ handle: UnsafeMutableRawPointer) -> String {
    var number = 0
    _ = sluice_easy_get_long(handle, CURLINFO_OS_ERRNO, &number)
    return number == 0 ? "" : ": \(String(cString: strerror(Int32(number))))"
  }

  private var tlsReason: String {
    guard let errorBuffer, errorBuffer[0] != 0 else { return "" }
    return ": \(String(cString: errorBuffer))"
  }

  private var issuerReason: String { issuer.map { "; it was issued by \($0)" } ?? "" }

  /// Frees what the transfer held. The handle is the loop's.
  func release() {
    handle = nil
    loop = nil
    curl_slist_free_all(headerList)
    headerList = nil
    errorBuffer?.deallocate()
    errorBuffer = nil
  }

  /// Tells whoever waits; at most once, as `delivery` is used up.
  func deliver(_ outcome: Result<Void, any Error>) {
    let delivery = self.delivery
    self.delivery = nil
    switch delivery {
    case .whole(let continuation):
      // Taken out before it is handed over, so that the array has one owner and is not copied.
      var bytes: [UInt8] = []
      swap(&bytes, &body)
      let response = HTTPResponse(head: finishedHead, body: bytes, trailers: head.trailers, wireBytes: wireBytes)
      continuation.resume(with: outcome.map { response })
    case .stream(let continuation, let channel):
      channel.finish(outcome)
      continuation.resume(with: outcome.map { finishedHead })
    case .body(let channel): channel.finish(outcome)
    case nil: break
    }
  }
}
