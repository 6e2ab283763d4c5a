import SluiceCore

/// An error as Google's services answer it: `{"error": {"code": 404, "message": "…", "status": "NOT_FOUND"}}`.
public struct FirestoreStatus: Sendable, Hashable {
  /// The HTTP status, or inside `batchWrite` the gRPC code.
  public var code: Int
  /// The name of the gRPC code, such as `NOT_FOUND`. Decides, because one HTTP status stands for several.
  public var status: String
  /// What happened.
  public var message: String

  /// An error.
  public init(code: Int, status: String, message: String) {
    self.code = code
    self.status = status
    self.message = message
  }

  /// Reads the body of an answer: an error, or an array whose first element is one. Nil for anything else.
  public init?(body: [UInt8]) {
    let parsed = try? Parser.run(body) { parser throws(Parser.Fault) -> FirestoreStatus? in
      parser.skipSpace()
      if parser.take(0x5B) { parser.skipSpace() }
      var status: FirestoreStatus?
      try parser.members { parser throws(Parser.Fault) in
        if parser.take("error\"") {
          try parser.colon()
          status = try parser.status()
        } else {
          _ = try parser.string()
          try parser.colon()
          try parser.skip(depth: 0)
        }
      }
      return status
    }
    guard let status = parsed?.result else { return nil }
    self = status
  }

  /// The error to throw. Retries follow the name of the code (`google/rpc/code.proto`, and the retry table of
  /// `firestore_grpc_service_config.json`).
  public var error: SluiceError {
    let (code, retry): (SluiceError.Code, SluiceError.Retry) =
      switch status {
      case "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED": (.remote, .transient)
      case "RESOURCE_EXHAUSTED": (.remote, .throttled(after: nil))
      case "UNAUTHENTICATED": (.unauthenticated, .credentials)
      case "PERMISSION_DENIED": (.permissionDenied, .never)
      default: (.remote, .never)
      }
    return SluiceError(code, [status, line].filter { !$0.isEmpty }.joined(separator: ": "), retry: retry)
  }

  /// The message in one line: servers send line breaks, and an error is shown and logged as one sentence.
  private var line: String {
    let parts = message.unicodeScalars.split { $0.properties.generalCategory == .control }
    return parts.map { String($0) }.joined(separator: " ")
  }
}
