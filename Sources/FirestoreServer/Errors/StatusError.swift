/// A status of gRPC, by its number there.
enum Status: Int, Sendable {
  case cancelled = 1
  case unknown = 2
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case `internal` = 13
  case unavailable = 14
  case dataLoss = 15
  case unauthenticated = 16

  /// The name in the body of an error.
  var name: String {
    switch self {
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }

  /// The status of HTTP that goes with it.
  var http: Int {
    switch self {
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .unauthenticated: 401
    case .permissionDenied: 403
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .resourceExhausted: 429
    case .cancelled: 499
    case .unknown, .internal, .dataLoss: 500
    case .unimplemented: 501
    case .unavailable: 503
    case .deadlineExceeded: 504
    }
  }

  /// The status that Firestore would send with a status of HTTP: for scripted answers.
  init(http: Int) {
    switch http {
    case 401: self = .unauthenticated
    case 403: self = .permissionDenied
    case 404: self = .notFound
    case 409: self = .aborted
    case 429: self = .resourceExhausted
    case 499: self = .cancelled
    case 500: self = .internal
    case 501: self = .unimplemented
    case 503: self = .unavailable
    case 504: self = .deadlineExceeded
    case 400..<500: self = .invalidArgument
    default: self = .unknown
    }
  }
}

/// A refusal, as the client is told of it.
struct StatusError: Error, Sendable, Equatable {
  var status: Status
  var message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  static func invalid(_ message: String) -> StatusError { StatusError(.invalidArgument, message) }
}
