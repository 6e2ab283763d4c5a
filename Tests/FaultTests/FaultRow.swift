import SluiceCore
import Testing

/// What a mode of the fault table must come to.
struct FaultRow: Sendable, CustomTestStringConvertible {
  /// The page that the fault befalls, from 1: the one of token `t5`, where the listing begins with `t0`.
  static let page = 6

  var mode: String
  var exit: Int32 = 0
  var code: SluiceError.Code?
  /// What the error's message must say.
  var cause = ""
  /// The page the error names, from 1.
  var place: Int?
  /// Requests for the page of the fault.
  var attempts = 1
  /// Pages asked for.
  var pages = BenchData.pages
  /// Whether each repetition waits the three seconds that the server asks for.
  var isPatient = false
  /// Whether the page of the fault comes without its documents.
  var losesPage = false
  /// At least so long.
  var seconds = 0.0

  var testDescription: String { mode }

  /// How often each page is asked for.
  var requests: [Int] { (1...pages).map { $0 == Self.page ? attempts : 1 } }

  static let table: [FaultRow] = [
    .init(mode: "ok"),
    .init(mode: "slow", seconds: 0.15 * Double(BenchData.pages)),
    .init(mode: "loop", exit: 3, code: .loopDetected, cause: "goes in circles", place: page, pages: page),
    .init(mode: "loop2", exit: 3, code: .loopDetected, cause: "goes in circles", place: page + 1, pages: page + 1),
    .init(mode: "r429", attempts: 3, isPatient: true, seconds: 6),
    .init(mode: "r503", attempts: 3, isPatient: true, seconds: 6),
    .init(
      mode: "r429forever", exit: 1, cause: "429", place: page, attempts: 5, pages: page, isPatient: true, seconds: 12),
    .init(mode: "cut", attempts: 2),
    .init(mode: "cutforever", exit: 1, code: .network, cause: "cut off", place: page, attempts: 5, pages: page),
    .init(mode: "bad", exit: 1, code: .malformedData, cause: "ends too early", place: page, attempts: 5, pages: page),
    .init(mode: "bad1", attempts: 2),
    .init(mode: "empty", losesPage: true),
  ]
}
