import CCurl
import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What libcurl calls back, always on the loop's thread. Static functions of a nonisolated type: a closure written in an
/// isolated context would trap when a C thread calls it.
enum TransferCallbacks {
  private static func exchange(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
    // The loop keeps the exchange alive for as long as its handle is in use.
    pointer.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
  }

  static let write: curl_write_callback = { data, size, count, user in
    guard let exchange = exchange(user), let data else { return 0 }
    return exchange.receiveBody(UnsafeRawBufferPointer(start: data, count: size * count))
  }

  static let header: curl_write_callback = { data, size, count, user in
    guard let exchange = exchange(user), let data else { return 0 }
    return exchange.receiveHeader(UnsafeRawBufferPointer(start: data, count: size * count))
  }

  static let read: curl_read_callback = { buffer, size, count, user in
    guard let exchange = exchange(user), let buffer else { return 0 }
    return exchange.sendBody(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  static let seek: curl_seek_callback = { user, offset, origin in
    guard let exchange = exchange(user), origin == SEEK_SET, 0...exchange.request.body.count ~= Int(offset) else {
      return CURL_SEEKFUNC_FAIL
    }
    exchange.uploaded = Int(offset)
    return CURL_SEEKFUNC_OK
  }

  static let beforeRequest: curl_prereq_callback = { user, _, _, _, _ in
    guard let exchange = exchange(user) else { return CURL_PREREQFUNC_ABORT }
    return exchange.beginSending() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  /// Looks at what TLS receives only: the rest of what libcurl tells may hold secrets.
  static let debug: curl_debug_callback = { _, kind, data, size, user in
    if kind == CURLINFO_SSL_DATA_IN, let data, let exchange = exchange(user),
      let issuer = CertificateIssuer.name(inHandshake: UnsafeRawBufferPointer(start: data, count: size))
    {
      exchange.issuer = issuer
    }
    return 0
  }

  /// A child process must not inherit a connection.
  static let socket: curl_sockopt_callback = { _, descriptor, _ in
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return CURL_SOCKOPT_OK
  }
}

extension Exchange {
  /// The connection stands and the request is about to go out. False stops it.
  fileprivate func beginSending() -> Bool {
    timesSent += 1
    lastActivity = loop?.now ?? .now
    // A kept connection died under the request, and libcurl would send it again on a new one. Whether the server saw
    // the first is unknown: only what may be sent twice is.
    if timesSent > 1, !request.isIdempotent {
      failure = error(
        .network, "the server closed the kept connection before it answered", retry: .never,
        hint: "the request may have been carried out; it is not repeated because it is not idempotent")
      return false
    }
    return true
  }

  fileprivate func sendBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastActivity = loop?.now ?? .now
    let count = min(buffer.count, request.body.count - uploaded)
    guard count > 0 else { return 0 }
    request.body.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[uploaded..<uploaded + count]))
    }
    uploaded += count
    return count
  }

  fileprivate func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    switch head.consume(line) {
    case .more: return line.count
    case .tooLarge:
      failure = headTooLarge
      return 0
    case .head:
      lastActivity = loop?.now ?? .now
      headReceivedAt = .now
      return beginBody() ? line.count : 0
    }
  }

  /// The head is complete. False stops the transfer.
  private func beginBody() -> Bool {
    let declared = request.method == .head ? nil : head.contentLength
    if let declared, let limit = limits.maxBodyBytes, declared > limit {
      failure = bodyTooLarge(limit)
      return false
    }
    switch delivery {
    case .whole:
      // A declared length is only a claim: believe it up to a size that does not hurt. Some room more, so that whoever
      // reads the body in place, as parsers do, can put a little behind it without moving all of it.
      let expected = min((head.isEncoded ? nil : declared) ?? loop?.usualBodySize ?? 0, 16 << 20)
      body.reserveCapacity(expected + expected / 16 + 64)
    case .stream(let continuation, let channel):
      if head.isEncoded {
        failure = error(.malformedData, "the answer is packed, which was not asked for", retry: .never)
        return false
      }
      delivery = .body(channel)
      continuation.resume(returning: finishedHead)
    case .body, nil: break
    }
    return true
  }

  var finishedHead: HTTPHead {
    HTTPHead(status: head.status, headers: head.headers, receivedAt: headReceivedAt)
  }

  var headTooLarge: SluiceError {
    error(
      .limitExceeded, "the answer's head is longer than the limit of \(limits.maxHeaderBytes) bytes", retry: .never,
      hint: "no sound server sends such a head: is the address right?")
  }

  private func bodyTooLarge(_ limit: Int) -> SluiceError {
    error(
      .limitExceeded, "the answer's body is longer than the limit of \(limit) bytes (after decoding)", retry: .never,
      hint: "ask for smaller pages, or raise max_body_bytes")
  }

  fileprivate func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
    lastActivity = loop?.now ?? .now
    if let limit = limits.maxBodyBytes, bodyBytes + piece.count > limit {
      failure = bodyTooLarge(limit)
      return piece.isEmpty ? 1 : 0
    }
    if case .body(let channel) = delivery {
      guard channel.write(piece) else {
        isPaused = true
        return Int(CURL_WRITEFUNC_PAUSE)
      }
      loop?.needsWaking(channel)
    } else {
      body.append(contentsOf: piece)
    }
    bodyBytes += piece.count
    return piece.count
  }
}
