import SluiceCore
import SluiceJSON

/// Files of JSON: read page by page, replaced as a whole, or added to.
public final class FileAdapter: Adapter {
  /// `file`.
  public static let name = "file"
  /// For `sluice components`.
  public static let summary = "Files of JSON, plain or gzip: read page by page, replaced as a whole, or added to."

  /// Pages by byte offset of the same files; written whole, or as a log.
  public static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Self.self)
    capabilities.positions = [.start, .token]
    capabilities.order = .pinned
    capabilities.hasVersions = config.encoding == .typed
    capabilities.publishMode = config.publish == .append ? .append : .replace
    capabilities.isVerifiable = config.publish == .replace && CollectionPath(config.path) == nil
    return capabilities
  }

  /// By their paths alone: links are not followed.
  public static func writes(_ sink: Config, into other: Config) -> Bool {
    WrittenPaths.overlap(sink: sink.path, other: other.path)
  }

  private enum Part {
    case source(FileSource)
    case sink(any WritingPart)
  }

  private let part: Part

  /// Opens the file for reading, or looks at where it is to be. Nothing is made yet.
  public init(_ config: Config, context: AdapterContext) throws {
    let path = isAbsolute(config.path) ? config.path : joined(context.baseDirectory, config.path)
    switch context.role {
    case .source: part = .source(try FileSource(config, path: path))
    case .sink: part = .sink(try Self.sink(config, path: path))
    }
  }

  private static func sink(_ config: Config, path: String) throws -> any WritingPart {
    if config.publish == .append { return try ChangeLog(config, path: path) }
    if let collections = CollectionPath(path) { return try CollectionSink(config, path: path, collections) }
    return try FileSink(config, path: path)
  }

  var source: FileSource {
    get throws {
      guard case .source(let source) = part else { throw SluiceError(.internal, "a sink was asked for pages") }
      return source
    }
  }

  var sink: any WritingPart {
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
  /// The file, or the folder and the pattern, with links followed.
  public var sourceIdentity: SourceIdentity {
    guard case .source(let source) = part else { return SourceIdentity() }
    return source.identity
  }

  /// Opens the first file as it is now, and fixes which ones they are: inode, size and time of the last change.
  public func freeze() async throws -> FrozenRequest { try source.freeze() }

  /// Reads the next lines. A file that is no longer the frozen one throws `position_lost`.
  public func page(_ request: PageRequest) async throws -> Page { try source.page(request) }
}

extension FileAdapter: Publishing {
  /// Adds the delivery's lines to the stage, or to the log.
  public func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    let outcome = try sink.write(
      delivery.batch, acceptsRejections: delivery.acceptsRejections,
      as: DeliveryNumber(generation: delivery.generation, sequence: delivery.sequence))
    return delivery.confirm(rejecting: outcome.rejections, stage: outcome.mark)
  }

  /// None where files are replaced as a whole: they are known by their content. A log has a random word beside it, and
  /// another one once the log is gone or shorter than it was.
  public func identity(creating: Bool) async throws -> SinkIdentity? { try sink.identity(creating: creating) }

  /// Whether there is no file, or nothing in it.
  public func isEmpty() async throws -> Bool { try sink.isEmpty() }

  /// Opens the stage beside the file, making the folders on the way.
  public func openStage(generation: UInt64, resuming mark: StageMark?) async throws -> StageMark {
    try sink.openStage(generation: generation, resuming: mark)
  }

  /// Makes the stage the file. With one file for each collection, each of them appears whole, one after the other; a
  /// publication that was cut short is finished by the next run.
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
    try fileSink.contents(after: place, limit: limit)
  }

  /// The documents written as lines and read again.
  public func asKept(_ batch: Batch) async throws -> Batch { try fileSink.asKept(batch) }

  private var fileSink: FileSink {
    get throws {
      guard let sink = try sink as? FileSink else { throw SluiceError(.internal, "the sink cannot be read back") }
      return sink
    }
  }
}

/// Which delivery of a job it is.
struct DeliveryNumber: Equatable {
  var generation: UInt64
  var sequence: UInt64
}

/// A way to write files. Used by one task at a time.
protocol WritingPart: Sendable {
  /// Writes a delivery. The mark is that of the stage, nil where there is none.
  func write(
    _ batch: Batch, acceptsRejections: Bool, as number: DeliveryNumber
  ) throws -> (mark: StageMark?, rejections: [Rejection])
  func identity(creating: Bool) throws -> SinkIdentity?
  func isEmpty() throws -> Bool
  func openStage(generation: UInt64, resuming mark: StageMark?) throws -> StageMark
  func publish(generation: UInt64, content: StageMark) throws -> Publication
  func discardStages() throws
  func shows(_ publication: Publication) throws -> Bool
  func close()
}
