import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The two outputs of the process. Everything passes the redactor: what came from `${env:}` or `${file:}` leaves the
/// process only as its expression.
///
/// stdout belongs to the stdout sink and to `--output json`; all else goes to stderr. May be used from any task.
final class Console: Sendable {
  private struct State {
    var redactor = Redactor()
    var isLineOpen = false
  }

  private let state = Mutex(State())
  private let write: @Sendable (_ descriptor: Int32, _ text: String) -> Void
  /// Whether stderr is a terminal that can show colours and a moving line.
  let isTerminal: Bool

  /// The process's own outputs.
  convenience init() {
    let isTerminal = isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    self.init(isTerminal: isTerminal && getenv("NO_COLOR") == nil, write: Console.writeAll)
  }

  /// Outputs of a test's own.
  init(isTerminal: Bool, write: @escaping @Sendable (Int32, String) -> Void) {
    self.isTerminal = isTerminal
    self.write = write
  }

  /// Adds what must not be shown.
  func hide(_ redactor: Redactor) { state.withLock { $0.redactor = redactor } }

  /// Writes a result to stdout.
  func out(_ text: String) { write(STDOUT_FILENO, redacted(text)) }

  /// Writes a line to stderr, below the moving line if there is one.
  func line(_ text: String = "") {
    state.withLock { state in
      let text = state.redactor.redact(text)
      write(STDERR_FILENO, state.isLineOpen ? "\r\u{1B}[2K\(text)\n" : text + "\n")
      state.isLineOpen = false
    }
  }

  /// Replaces the moving line; only on a terminal.
  func moving(_ text: String) {
    guard isTerminal else { return }
    state.withLock { state in
      write(STDERR_FILENO, "\r\u{1B}[2K" + state.redactor.redact(text))
      state.isLineOpen = true
    }
  }

  /// Writes an error with its place, hint and causes.
  func error(_ error: SluiceError) {
    line("\(paint("error", .red)): \(error.code): \(error.message)")
    let place = error.place.description
    if !place.isEmpty { line("  at: \(place)") }
    if let hint = error.hint { line("  hint: \(hint)") }
    for cause in error.causes { line("  because: \(cause.code): \(cause.message)") }
  }

  /// Colours.
  enum Paint: Int {
    case red = 31
    case green = 32
    case yellow = 33
    case bold = 1
  }

  /// The text in a colour, on a terminal.
  func paint(_ text: String, _ paint: Paint) -> String {
    isTerminal ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A text with every secret replaced, for what leaves the process another way.
  func withoutSecrets(_ text: String) -> String { redacted(text) }

  private func redacted(_ text: String) -> String { state.withLock { $0.redactor.redact(text) } }

  private static let writeAll: @Sendable (Int32, String) -> Void = { descriptor, text in
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { systemWrite(descriptor, $0) }
      if count < 0 {
        if errno == EINTR { continue }
        // Nobody listens any more: there is nowhere to say so.
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// `write(2)`, which a method of the same name would hide.
func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(descriptor, buffer.baseAddress, buffer.count)
}
