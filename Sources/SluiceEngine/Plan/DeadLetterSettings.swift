import SluiceCore

/// The `dead_letters` of a job: where documents that could not be taken are noted, and how much of them.
public struct DeadLetterSettings: Configurable {
  /// The file; nil: `.sluice/JOB.rejects.jsonl`.
  public var path: String?
  /// Whether the documents themselves are kept.
  public var keepsDocuments = false

  /// The defaults.
  public init() {}

  /// The settings.
  public static let spec = ConfigSpec<DeadLetterSettings>(
    "The file of documents that could not be taken, for on_reject: dead_letter. One line of JSON each: key, error and "
      + "place. Only its owner can read it. It speaks of one listing: the next one begins it anew.",
    [
      Setting(
        "path", \.path,
        "Path of the file, from the folder of the configuration. Default: `.sluice/JOB.rejects.jsonl`.",
        examples: ["out/users.rejects.jsonl"]),
      Setting(
        "documents", \.keepsDocuments,
        "Whether the lines hold the documents too, as they are after the transforms, where a sink could not take them."),
    ])
}

/// A document, or a part of a page, that was left out because of its content.
public struct DeadLetter: Sendable {
  /// The job.
  public var job: String
  /// The generation of its listing.
  public var generation: UInt64
  /// When it was left out.
  public var time: Timestamp
  /// The key; nil where it is not known.
  public var key: Key?
  /// Why, with the place.
  public var error: SluiceError
  /// The document after the transforms, where the job keeps documents and a sink could not take it.
  public var document: Document?
}

/// Where dead letters of one run of a job go. Used by one task at a time.
public protocol DeadLetterBox: Sendable {
  /// Where they go, for people.
  var path: String { get }

  /// Begins. Letters of an earlier run of the same listing stay where `isResumed`; those of another listing go, but not
  /// before the first letter of this one, or its end. Called again where a listing begins anew.
  func begin(isResumed: Bool) async throws

  /// Keeps a letter. It survives the end of the process when this returns.
  func add(_ letter: DeadLetter) async throws

  /// The listing has come to its end.
  func finish() async throws
}
