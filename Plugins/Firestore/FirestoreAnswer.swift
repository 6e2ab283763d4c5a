import SluiceCore
import SluiceHTTP
import SluiceJSON

extension SluiceError.Code {
  /// The request, or the page token in it, is not accepted.
  static let invalidArgument = Self("firestore_invalid_argument")
  /// There is no such document.
  static let notFound = Self("firestore_not_found")
}

/// What an answer of the Firestore REST API other than a success means.
enum FirestoreAnswer {
  /// The error an answer stands for; nil for a success. The status word of the body decides, not the HTTP status: 400
  /// and 409 each stand for several.
  ///
  /// - Parameter secrets: what no excerpt may show. A part of a secret that is left when an excerpt is cut would not be
  ///   found later.
  static func error(of response: HTTPResponse, to request: HTTPRequest, hiding secrets: Redactor) -> SluiceError? {
    guard var error = response.statusError(for: request) else { return nil }
    guard let status = FirestoreStatus(body: response.body), !status.status.isEmpty else {
      error.message += excerpt(of: response, hiding: secrets).map { ", \($0)" } ?? ""
      return error
    }
    let meaning = status.error
    error.code = meaning.code == .remote ? .init("firestore_\(status.status.lowercased())") : meaning.code
    error.message = "HTTP \(response.status) \(meaning.message)"
    error.hint = hint(for: status.status)
    error.retry = meaning.retry
    if meaning.retry == .transient || meaning.retry == .throttled(after: nil), let patience = response.retryAfter {
      error.retry = .throttled(after: patience)
    }
    return error
  }

  private static func hint(for status: String) -> String? {
    switch status {
    case "UNAUTHENTICATED": "the token or API key is missing, wrong or expired"
    case "PERMISSION_DENIED": "these credentials may not read the collection: see the IAM role or the security rules"
    case "RESOURCE_EXHAUSTED": "a quota of the project is used up, or requests come too fast"
    default: nil
    }
  }

  /// Says what an answer is that should have been JSON.
  private static func excerpt(of response: HTTPResponse, hiding secrets: Redactor) -> String? {
    guard !response.body.isEmpty else { return nil }
    let type = response.headers["Content-Type"].map { $0.prefix { $0 != ";" } } ?? "no content type"
    let text = secrets.redact(String(decoding: response.body.prefix(8192), as: UTF8.self))
    let start = String(decoding: text.utf8.prefix(80), as: UTF8.self)
    // On one line, and nothing that a terminal would obey.
    let shown = start.unicodeScalars.map { $0.value < 0x20 || 0x7F...0x9F ~= $0.value ? " " : String($0) }.joined()
    return "found \(type): \"\(shown)\""
  }

  /// Refuses a success whose body is no JSON: a login page, a captive portal.
  static func refuseOtherContent(_ response: HTTPResponse, hiding secrets: Redactor) throws(SluiceError) {
    let first = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return }
    throw SluiceError(
      .malformedData, "expected JSON, \(excerpt(of: response, hiding: secrets) ?? "found an empty body")",
      hint: "is the endpoint a Firestore REST API?")
  }
}
