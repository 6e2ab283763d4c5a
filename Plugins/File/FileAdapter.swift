import SluiceCore
import SluiceJSON

/// A file of JSON Lines: read page by page, or replaced as a whole.
public final class FileAdapter: Adapter {
  /// The settings.
  public struct Config: Configurable {
    /// Path of the file.
    public var path = ""
    /// How documents are written down.
    public var encoding = JSONLinesEncoding.plain
    /// The field that holds the key, in the plain encoding.
    public var keyField = "_key"
    /// How the sink shows its work.
    public var publish = Publish.replace
    /// What the file survives.
    public var durability = Durability.process
    /// The longest line that is read.
    public var maxLineBytes = ByteCount(64_000_000)
    /// The defaults.
    public init() {}

    /// How the sink shows its work.
    public enum Publish: String, Sendable, CaseIterable, ConfigValue {
      /// The whole set is written beside the file and takes its place at once.
      case replace
    }

    /// What a stage survives. A published file survives both.
    public enum Durability: String, Sendable, CaseIterable, ConfigValue {
      /// The end of the process, however it comes.
      case process
      /// The end of the machine too: every page is forced onto the disk.
      case power
    }

    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "A file of JSON Lines: one document a line.",
      [
        Setting(
          "path", \.path, "Path of the file. A relative one starts from the folder of the configuration.",
          required: true, examples: ["out/users.jsonl"]),
        Setting(
          "encoding", \.encoding,
          "`plain` has the fields at the top level; `typed` keeps every type and is read back without loss."),
        Setting(
          "key_field", \.keyField,
          "The field that holds the key, in the plain encoding. `_key` holds paths (`rooms/r1`); any other field is "
            + "read as a plain id."),
        Setting("publish", \.publish, "`replace` swaps the whole file in once the set is complete.", role: .sink),
        Setting(
          "durability", \.durability,
          "What an unfinished file survives: the end of the `process`, or a `power` failure too, at the cost of a "
            + "sync for each page.", role: .sink),
        Setting(
          "max_line_bytes", \.maxLineBytes, "The longest line that is read.",
          range: ByteCount(1)...ByteCount(1_000_000_000), role: .source),
      ]
    ) { config, marks, diagnostics in
      if config.path.utf8.contains(0) {
        diagnostics.error("invalid_path", "path must not contain a zero byte", at: marks.place(of: "path"))
      }
      if config.keyField.isEmpty {
        diagnostics.error("empty_key_field", "key_field must name a field", at: marks.place(of: "key_field"))
      }
      if config.encoding == .typed, let mark = marks["key_field"] {
        diagnostics.warning("without_effect", "the typed encoding always has the key in \"key\"", at: mark)
      }
    }
  }

  /// `file`.
  public static let name = "file"
  /// For `sluice components`.
  public static let summary = "A file of JSON Lines: read page by page, or replaced as a whole."

  /// Pages by byte offset of one and the same file; written whole.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Self.self)
    capabilities.positions = [.start, .token]
    capabilities.order = .pinned
    capabilities.hasVersions = config.encoding == .typed
    capabilities.publishMode = .replace
    return capabilities
  }

  private enum Part {
    case source(FileSource)
    case sink(FileSink)
  }

  private let part: Part

  /// Opens the file for reading, or looks at where it is to be. Nothing is made yet.
  public init(_ config: Config, context: AdapterContext) throws {
    let path = isAbsolute(config.path) ? config.path : joined(context.baseDirectory, config.path)
    switch context.role {
    case .source: part = .source(try FileSource(config, path: path))
    case .sink: part = .sink(try FileSink(config, path: path))
    }
  }

  var source: FileSource {
    get throws {
      guard case .source(let source) = part else { throw SluiceError(.internal, "a sink was asked for pages") }
      return source
    }
  }

  var sink: FileSink {
    get throws {
      guard case .sink(let sink) = part else { throw SluiceError(.internal, "a source was asked to write") }
      return sink
    }
  }

  /// Closes the files. An unfinished stage stays for the next run.
  public func close() async {
    switch part {
    case .source(let source): source.close()
    case .sink(let sink): sink.close()
    }
  }
}

extension FileAdapter: Pageable {
  /// The file, with links followed.
  public var sourceIdentity: SourceIdentity {
    guard case .source(let source) = part else { return SourceIdentity() }
    return source.identity
  }

  /// Opens the file as it is now, and fixes which one it is: inode, size and time of the last change.
  public func freeze() async throws -> FrozenRequest { try source.freeze() }

  /// Reads the next lines. A file that is no longer the frozen one throws `position_lost`.
  public func page(_ request: PageRequest) async throws -> Page { try source.page(request) }
}

extension FileAdapter: Publishing {
  /// Adds the delivery's lines to the stage.
  public func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    let outcome = try sink.write(delivery.batch, acceptsRejections: delivery.acceptsRejections)
    return delivery.confirm(rejecting: outcome.rejections, stage: outcome.mark)
  }

  /// None: a file that is replaced as a whole is known by its content.
  public func identity(creating: Bool) async throws -> SinkIdentity? { nil }

  /// Whether there is no file, or nothing in it.
  public func isEmpty() async throws -> Bool { try sink.isEmpty() }

  /// Opens the stage beside the file, making the folders on the way.
  public func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark {
    try sink.openStage(generation: generation, resuming: mark)
  }

  /// Makes the stage the file.
  public func publish(_ listing: CompleteListing, content: StageMark) async throws -> Publication {
    try sink.publish(generation: listing.generation, content: content)
  }

  /// Removes every stage of this file.
  public func discardStage() async throws { try sink.discardStages() }

  /// Whether the file is the one that was published: by inode, size and times, else by reading it.
  public func shows(_ publication: Publication) async throws -> Bool { try sink.shows(publication) }
}

extension FileAdapter: Verifiable {
  /// The documents of the published file, line by line.
  public func contents(after place: String?, limit: Int) async throws -> Contents {
    try sink.contents(after: place, limit: limit)
  }

  /// The documents written as lines and read again.
  public func asKept(_ batch: Batch) async throws -> Batch { try sink.asKept(batch) }
}
