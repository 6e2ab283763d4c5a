import SluiceBuiltin
import SluiceCore
import Synchronization

@testable import SluiceCLI

/// The command line inside this process, with what it writes.
struct InProcess: Sendable {
  var exitCode: Int32
  var output: String
  var errors: String

  /// Runs a command line that reads no signals: all but `run` and `demo`.
  static func sluice(_ arguments: String...) async -> InProcess { await run(arguments) }

  /// The same, with a list of arguments.
  static func run(_ arguments: [String]) async -> InProcess {
    let record = Record()
    let console = Console(isTerminal: false) { descriptor, text in record.write(descriptor, text) }
    let code = await Sluice.run(arguments, catalog: .builtin, console: console)
    let texts = record.texts
    return InProcess(exitCode: code, output: texts.output, errors: texts.errors)
  }

  private final class Record: Sendable {
    private let state = Mutex((output: "", errors: ""))
    var texts: (output: String, errors: String) { state.withLock { $0 } }
    func write(_ descriptor: Int32, _ text: String) {
      state.withLock { if descriptor == 1 { $0.output += text } else { $0.errors += text } }
    }
  }
}
