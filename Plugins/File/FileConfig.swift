import SluiceCore
import SluiceJSON

extension FileAdapter {
  /// The settings.
  public struct Config: Configurable {
    /// Path of the file, or of several.
    public var path = ""
    /// How documents follow each other; nil: by the name of the file.
    public var format: FileFormat?
    /// Whether the file is compressed.
    public var compression = Compression.auto
    /// How documents are written down.
    public var encoding = JSONLinesEncoding.plain
    /// The field that holds the key, in the plain encoding.
    public var keyField = "_key"
    /// Whose keys the documents have.
    public var keys = Keys.own
    /// How the sink shows its work.
    public var publish = Publish.replace
    /// What the file survives.
    public var durability = Durability.process
    /// The longest line, or item of an array, that is read.
    public var maxLine = ByteCount(64_000_000)
    /// The most that one compressed file may unfold to.
    public var maxDecompressed = ByteCount(100_000_000_000)
    /// The defaults.
    public init() {}

    /// How the sink shows its work.
    public enum Publish: String, Sendable, CaseIterable, ConfigValue {
      /// The whole set is written beside the file and takes its place at once.
      case replace
      /// A log of changes, one line each, that is only ever added to.
      case append
    }

    /// What a stage survives. A published file survives both.
    public enum Durability: String, Sendable, CaseIterable, ConfigValue {
      /// The end of the process, however it comes.
      case process
      /// The end of the machine too: every page is forced onto the disk.
      case power
    }

    /// Whose keys documents have, where several files are read.
    public enum Keys: String, Sendable, CaseIterable, ConfigValue {
      /// Those in the documents. They must be unique over all files.
      case own
      /// Those in the documents, below the path of their file from the first folder that is a pattern.
      case byFile = "by_file"
    }

    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Files of JSON, plain or gzip: one document a line, or one array of documents.", settings,
      check: FileConfigCheck.check)

    private static let settings: [Setting<Config>] = [
      Setting(
        "path", \.path,
        "Path of the file. A relative one starts from the folder of the configuration. A source takes patterns "
          + "(`*`, `?`, `[a-z]`): all files that match, in the order of their names. `{collection}` in the file's name "
          + "makes one file for each collection of the keys (`rooms/r1/messages/m1` is of `rooms/r1/messages`).",
        required: true, examples: ["out/users.jsonl", "data/*.jsonl.gz", "out/{collection}.jsonl"]),
      Setting(
        "format", \.format,
        "`json_lines`: one document a line; `json_array`: one array of documents. Default: `json_array` for names that "
          + "end in `.json` or `.json.gz`, else `json_lines`."),
      Setting(
        "compression", \.compression,
        "`auto`: gzip for names that end in `.gz`, and for files that are read and begin like gzip."),
      Setting(
        "encoding", \.encoding,
        "`plain` has the fields at the top level; `typed` keeps every type and is read back without loss."),
      Setting(
        "key_field", \.keyField,
        "The field that holds the key, in the plain encoding. `_key` holds paths (`rooms/r1`); any other field is "
          + "read as a plain id."),
      Setting(
        "keys", \.keys,
        "`own`: keys are unique over all files. `by_file`: each key is put below the path of its file, counted from "
          + "the first folder that is a pattern.", role: .source),
      Setting(
        "publish", \.publish,
        "`replace` swaps the whole file in once the set is complete; `append` adds each change as a line, deletes with "
          + "`_deleted`, and only what is new since the last run.", role: .sink),
      Setting(
        "durability", \.durability,
        "What an unfinished file survives: the end of the `process`, or a `power` failure too, at the cost of a "
          + "sync for each page.", role: .sink),
      Setting(
        "max_line", \.maxLine, "The longest line, or item of an array, that is read.",
        range: ByteCount(1)...ByteCount(1_000_000_000), renamedFrom: ["max_line_bytes"], role: .source),
      Setting(
        "max_decompressed", \.maxDecompressed, "The most that one compressed file may unfold to.",
        range: ByteCount(1)..., role: .source),
    ]
  }
}

/// What settings say together.
enum FileConfigCheck {
  @Sendable static func check(
    _ config: FileAdapter.Config, _ marks: ConfigMarks, _ diagnostics: inout Diagnostics
  ) {
    let path = marks.place(of: "path")
    if config.path.utf8.contains(0) {
      diagnostics.error("invalid_path", "path must not contain a zero byte", at: path)
    }
    if CollectionPath.isMisplaced(in: config.path) {
      diagnostics.error(
        "invalid_path", "\(CollectionPath.placeholder) may stand once, in the name of the file", at: path,
        hint: "for example out/{collection}.jsonl")
    }
    if config.keyField.isEmpty {
      diagnostics.error("empty_key_field", "key_field must name a field", at: marks.place(of: "key_field"))
    }
    if config.encoding == .typed, let mark = marks["key_field"] {
      diagnostics.warning("without_effect", "the typed encoding always has the key in \"key\"", at: mark)
    }
    guard config.publish == .append else { return }
    if config.resolvedFormat == .jsonArray {
      diagnostics.error(
        "not_possible", "an array cannot be added to", at: marks.place(of: "publish"),
        hint: "set format: json_lines, or publish: replace")
    }
    if CollectionPath(config.path) != nil {
      diagnostics.error(
        "not_possible", "publish: append writes one file, without \(CollectionPath.placeholder)",
        at: marks.place(of: "publish"))
    }
  }
}
