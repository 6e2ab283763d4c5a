import SluiceCore

/// The names that carry a secret wherever they appear: in a header or in a query.
public enum CredentialNames {
  /// Header names in lower case.
  public static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "x-goog-api-key", "x-api-key", "api-key", "apikey",
    "x-auth-token", "x-amz-security-token", "x-firebase-appcheck",
  ]
  /// Names of query parameters in lower case.
  public static let query: Set<String> = [
    "key", "access_token", "api_key", "apikey", "auth", "token", "id_token", "signature", "sig", "x-amz-signature",
    "x-amz-security-token", "client_secret", "password",
  ]
}

extension HTTPRequest {
  private func isCredential(header name: String) -> Bool {
    CredentialNames.headers.contains(name.lowercased()) || credentialNames.contains { HTTPHeaders.isSame($0, name) }
  }

  private func isCredential(query name: Substring) -> Bool {
    CredentialNames.query.contains(name.lowercased()) || credentialNames.contains { HTTPHeaders.isSame($0, name) }
  }

  /// Whether a header or the query carries a secret.
  var carriesCredentials: Bool {
    headers.fields.contains { isCredential(header: $0.name) } || url.queryNames.contains { isCredential(query: $0) }
  }

  /// Refuses, before anything is sent, what must not be sent: secrets in the clear, fields that would break the
  /// request apart.
  func checkSafeToSend() throws(SluiceError) {
    if url.origin.scheme == .http, !url.origin.isLoopback, carriesCredentials {
      throw SluiceError(
        .invalidConfiguration, "\(label) carries credentials and would go over plain http",
        at: Place(origin: url.origin.description), hint: "use https; plain http with credentials is for loopback only")
    }
    for field in headers.fields where !field.isWellFormed {
      throw SluiceError(
        .invalidConfiguration, "\(label): a header's name or value has characters that a header cannot have",
        at: Place(origin: url.origin.description), hint: "look for a line break at the end of a secret's file")
    }
  }

  /// The request that follows a redirect to `target`; nil where there is none to follow.
  func following(_ head: HTTPHead, count: Int) throws(SluiceError) -> HTTPRequest? {
    guard case .follow(let limit) = redirects, [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers["Location"]
    else { return nil }
    let place = Place(origin: url.origin.description)
    func refusal(_ reason: String) -> SluiceError {
      SluiceError(.remote, "\(label) was redirected \(reason)", at: place)
    }
    guard count < limit else { throw refusal("more than \(limit) times") }
    let target: HTTPURL
    do { target = try url.resolving(location) } catch { throw refusal("to something that is no http URL") }
    if url.origin.scheme == .https, target.origin.scheme == .http { throw refusal("from https to http") }

    var next = self
    next.url = target
    // 303 always means "look there"; for 301 and 302 every client turns a POST into a GET (RFC 9110, 15.4.2).
    if head.status == 303 || (head.status < 303 && method == .post) {
      next.method = method == .head ? .head : .get
      next.body = []
      next.headers["Content-Type"] = nil
    }
    if target.origin != url.origin {
      guard next.body.isEmpty else { throw refusal("to another origin with its body") }
      // A header of unknown name may be a secret: only what is known to be none goes along.
      next.headers.removeAll { !["accept", "accept-language", "user-agent"].contains($0.name.lowercased()) }
    }
    return next
  }
}

extension HTTPHeaders.Field {
  /// A token for a name (RFC 9110, 5.6.2), no control characters in the value.
  fileprivate var isWellFormed: Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array("\"(),/:;<=>?@[\\]{}".utf8).contains($0) }
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
