import SluiceCore

/// Reads typed JSON Lines, this package's own loss-free form: one line per document or delete,
/// `{"key": …, "fields": {Firestore's REST values}, "createTime": …, "updateTime": …}`.
///
/// `key` is the canonical text. The version is the `updateTime`, unless `"version": {"sequence": "7"}` or
/// `{"time": …}` says otherwise. `"missing": true` marks a name without a document, `"deleted": true` a delete.
public struct TypedDecoder: Sendable {
  /// What to do with values of unknown kinds.
  public var unknownValues = UnknownValues.keep

  /// A decoder.
  public init() {}

  /// Reads whole lines; blank lines are left out, lines may end with CR LF. The memory of the lines becomes the
  /// batch's.
  ///
  /// Throws `malformed_data` with line (counted on from `firstLine`), column, and byte offset into `lines`.
  public func lines(_ lines: consuming [UInt8], firstLine: Int = 1) throws(SluiceError) -> Batch {
    try Parser.run(lines, firstLine: firstLine) { parser throws(Parser.Fault) in
      parser.unknownValues = unknownValues
      try parser.lines { parser throws(Parser.Fault) in try parser.typedLine() }
    }.batch
  }
}

extension Parser {
  private struct Line {
    var key: (start: UInt32, length: UInt32)?
    var header = DocumentHeader()
    var hasVersion = false
    var isDeleted = false
    var hasFields = false
  }

  /// Takes the object of a line.
  mutating func typedLine() throws(Fault) {
    let start = i
    let map = n
    var line = Line()
    try members { parser throws(Fault) in try parser.typedMember(&line) }
    guard let key = line.key else { throw fault("an object without \"key\"", at: start) }
    if n == map { try emit(Node(.map, end: UInt32(truncatingIfNeeded: n + 1))) }
    if !line.hasVersion, let time = line.header.updateTime { line.header.version = .time(time) }
    entries.append(
      Batch.Entry(
        line.isDeleted ? .delete : .upsert, header: line.header, keyStart: key.start, keyLength: key.length,
        root: UInt32(map)))
  }

  private mutating func typedMember(_ line: inout Line) throws(Fault) {
    let start = i
    if take("key\"") {
      try colon()
      if line.key != nil { throw fault("\"key\" stands twice", at: start) }
      line.key = try plainKey(.canonical)
      key = line.key
    } else if take("fields\"") {
      try colon()
      if line.hasFields { throw fault("\"fields\" stands twice", at: start) }
      line.hasFields = true
      try typedFields(depth: 0)
    } else if take("createTime\"") {
      try colon()
      line.header.createTime = try time()
    } else if take("updateTime\"") {
      try colon()
      line.header.updateTime = try time()
    } else if take("version\"") {
      try colon()
      line.header.version = try version()
      line.hasVersion = true
    } else if take("missing\"") {
      try colon()
      line.header.isMissing = try flag()
    } else if take("deleted\"") {
      try colon()
      line.isDeleted = try flag()
    } else {
      throw fault("a typed line holds key, fields, createTime, updateTime, version, missing and deleted, nothing else")
    }
  }

  private mutating func flag() throws(Fault) -> Bool {
    if take("true") { return true }
    if take("false") { return false }
    throw fault("expected true or false")
  }

  private mutating func version() throws(Fault) -> Version {
    let start = i
    var version: Version?
    try members { parser throws(Fault) in
      if parser.take("time\"") {
        try parser.colon()
        version = try parser.time().map { .time($0) }
      } else if parser.take("sequence\"") {
        try parser.colon()
        version = try parser.optionalString().flatMap { UInt64($0) }.map { .sequence($0) }
      } else {
        throw parser.fault("a version is a time or a sequence")
      }
    }
    guard let version else { throw fault("a version is a time or a sequence", at: start) }
    return version
  }
}
