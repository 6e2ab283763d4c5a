import SluiceCore
import SluiceJSON
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard output, as JSON Lines: for pipes and for looking at what comes.
///
/// What was printed cannot be looked at again, so there is no identity: every run lists anew.
public final class StdoutAdapter: Adapter {
  /// The settings.
  public struct Config: Configurable {
    /// How documents are written down.
    public var encoding = JSONLinesEncoding.plain
    /// The field that holds the key, in the plain encoding.
    public var keyField = "_key"
    /// The defaults.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Prints JSON Lines to the standard output: one document, or one delete, a line.",
      [
        Setting(
          "encoding", \.encoding, "`plain` has the fields at the top level; `typed` keeps every type."),
        Setting("key_field", \.keyField, "The field that holds the key, in the plain encoding."),
      ]
    ) { config, marks, diagnostics in
      if config.keyField.isEmpty {
        diagnostics.error("empty_key_field", "key_field must name a field", at: marks.place(of: "key_field"))
      }
      if config.encoding == .typed, let mark = marks["key_field"] {
        diagnostics.warning("without_effect", "the typed encoding always has the key in \"key\"", at: mark)
      }
    }
  }

  /// `stdout`.
  public static let name = "stdout"
  /// For `sluice components`.
  public static let summary = "Prints JSON Lines to the standard output."

  /// Only ever added to.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Self.self)
    capabilities.publishMode = .append
    return capabilities
  }

  private let descriptor: Int32
  private let writer: Mutex<JSONLinesWriter>

  /// Prints to the standard output.
  public convenience init(_ config: Config, context: AdapterContext) {
    self.init(config, descriptor: STDOUT_FILENO)
  }

  /// Prints to a descriptor, which stays the caller's. The caller ignores SIGPIPE.
  package init(_ config: Config, descriptor: Int32) {
    self.descriptor = descriptor
    writer = Mutex(JSONLinesWriter(config.encoding, keyField: config.keyField, writesDeletes: true))
  }
}

extension StdoutAdapter: Writable {
  /// Prints the delivery with as few calls as the other side allows. Nothing of it is printed where a document cannot
  /// be and the job does not accept that.
  public func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    let batch = delivery.batch
    let acceptsRejections = delivery.acceptsRejections
    let descriptor = descriptor
    let rejections = try writer.withLock { writer in
      try writer.write(batch) { lines, _, rejections in
        if !acceptsRejections, let first = rejections.first { throw first.error }
        try Self.print(lines, to: descriptor)
        return rejections
      }
    }
    return delivery.confirm(rejecting: rejections)
  }

  /// None.
  public func identity(creating: Bool) async throws -> SinkIdentity? { nil }

  /// Nothing printed can be taken back, so nothing is there to lose.
  public func isEmpty() async throws -> Bool { true }

  private static func print(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var done = 0
    while done < bytes.count {
      let more = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if more >= 0 {
        done += more
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: try waitUntilWritable(descriptor)
      case EPIPE:
        throw SluiceError(
          .io, "whoever read the standard output has stopped reading", at: Place(file: "stdout"),
          hint: "the run ends here")
      case let number:
        throw SluiceError(
          .io, "cannot write to the standard output: \(String(cString: strerror(number)))", at: Place(file: "stdout"))
      }
    }
  }

  /// Somebody made the descriptor non-blocking: waits for room, and looks at the task from time to time.
  private static func waitUntilWritable(_ descriptor: Int32) throws {
    while true {
      try Task.checkCancellation()
      var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&event, 1, 200) != 0 { return }
    }
  }
}
