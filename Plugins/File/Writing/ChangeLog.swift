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

/// The writing side of `publish: append`: a log of changes, one line each, that is only ever added to.
///
/// Beside it lies a small file that says which delivery was written last, and from where to where. By it a delivery
/// that was cut short, or that comes again after a crash, is taken back before it is written anew, so that each stands
/// in the log once. What others have added meanwhile is never cut off.
final class ChangeLog: WritingPart {
  private struct State: ~Copyable {
    var writer: JSONLinesWriter
    var encoder: ContentEncoder
    var open: OpenLog?
  }

  private let target: Target
  private let settings: FileAdapter.Config
  private let isPowerSafe: Bool
  private let state: Mutex<State>

  init(_ settings: FileAdapter.Config, path: String) throws {
    target = try Target(path)
    self.settings = settings
    isPowerSafe = settings.durability == .power
    let encoder = try ContentEncoder(.jsonLines, isCompressing: settings.isCompressing)
    state = Mutex(
      State(
        writer: JSONLinesWriter(settings.encoding, keyField: settings.keyField, writesDeletes: true), encoder: encoder,
        open: nil))
  }

  func close() { state.withLock { $0.open = nil } }

  func isEmpty() throws -> Bool {
    guard try target.open() != nil else { return true }
    return try EmptyFile.isEmpty(target.path, settings)
  }

  /// The word in the note beside the log; nil where there is none, or where the log is not what the note says.
  func identity(creating: Bool) throws -> SinkIdentity? {
    try state.withLock { state in
      if state.open == nil {
        guard try creating || FileStatus.of(target.path) != nil else { return nil }
        state.open = try OpenLog.open(target, syncs: isPowerSafe)
      }
      if creating { try state.open?.beginListing() }
      return state.open?.identity.map { SinkIdentity($0) }
    }
  }

  func write(
    _ batch: Batch, acceptsRejections: Bool, as number: DeliveryNumber
  ) throws -> (mark: StageMark?, rejections: [Rejection]) {
    try state.withLock { state in
      if state.open == nil { state.open = try OpenLog.open(target, syncs: isPowerSafe) }
      let rejections = try state.writer.write(batch) { lines, _, rejections in
        if !acceptsRejections, let first = rejections.first { throw first.error }
        if lines.isEmpty {
          try state.open?.takeBack(number)
        } else {
          try state.encoder.encode(lines, isFirst: false) {
            try state.open?.append($0, number, needsLineEnd: !settings.isCompressing)
          }
        }
        return rejections
      }
      return (nil, rejections)
    }
  }

  func openStage(generation: UInt64, resuming mark: StageMark?) throws -> StageMark { throw Self.isNoStage }
  func publish(generation: UInt64, content: StageMark) throws -> Publication { throw Self.isNoStage }
  func shows(_ publication: Publication) throws -> Bool { false }
  func discardStages() throws {}

  private static var isNoStage: SluiceError { SluiceError(.internal, "a log of changes has no stage") }
}

/// An open log with its note.
private struct OpenLog: ~Copyable {
  private let file: OpenFile
  private let noteFile: OpenFile
  private let syncs: Bool
  private var note: LogNote?

  /// Opens both, making them, and takes back a delivery that was cut short.
  static func open(_ target: Target, syncs: Bool) throws -> OpenLog {
    try target.makeFolder()
    let file = try OpenFile.logging(target.path, permissions: 0o666)
    guard file.lock() else { throw target.isTaken }
    let status = try file.status()
    try status.requireRegular(target.path)
    let noteFile = try OpenFile.logging(target.companion("log"), permissions: 0o600)
    try noteFile.status().requireRegular(noteFile.path)
    var note = LogNote(try noteFile.read(at: 0, count: LogNote.length))
    if let known = note, status.size < known.after ?? known.before { note = nil }
    var log = OpenLog(file: file, noteFile: noteFile, syncs: syncs, note: note)
    if let known = note, known.after == nil {
      try log.file.truncate(to: known.before)
      try log.set(known.at(DeliveryNumber(generation: 0, sequence: 0), before: known.before, after: known.before))
    }
    return log
  }

  private init(file: consuming OpenFile, noteFile: consuming OpenFile, syncs: Bool, note: LogNote?) {
    self.file = file
    self.noteFile = noteFile
    self.syncs = syncs
    self.note = note
  }

  var identity: String? { note?.identity }

  /// No delivery of an earlier listing comes again.
  mutating func beginListing() throws {
    let size = try file.status().size
    let identity = note?.identity ?? LogNote.newIdentity()
    try set(
      LogNote(
        identity: identity, number: DeliveryNumber(generation: 0, sequence: 0), before: size, after: size))
  }

  /// Takes a delivery back that was written already.
  mutating func takeBack(_ number: DeliveryNumber) throws {
    guard let note, note.number == number, try file.status().size == note.after else { return }
    try set(note.at(number, before: note.before, after: nil))
    try file.truncate(to: note.before)
    try set(note.at(number, before: note.before, after: note.before))
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer, _ number: DeliveryNumber, needsLineEnd: Bool) throws {
    try takeBack(number)
    let start = try file.status().size
    let note = note ?? LogNote(identity: LogNote.newIdentity(), number: number, before: start, after: nil)
    try set(note.at(number, before: start, after: nil))
    var end = start
    if needsLineEnd, start > 0, try file.read(at: start - 1, count: 1) != [0x0A] {
      try [0x0A].withUnsafeBytes { try file.write($0, at: end) }
      end += 1
    }
    do {
      try file.write(bytes, at: end)
      if syncs { try file.sync() }
    } catch {
      // So that nobody reads half a line; where this fails too, the next run does it.
      try file.truncate(to: start)
      throw error
    }
    try set(note.at(number, before: start, after: end + bytes.count))
  }

  private mutating func set(_ note: LogNote) throws {
    try note.bytes.withUnsafeBytes { try noteFile.write($0, at: 0) }
    if syncs { try noteFile.sync() }
    self.note = note
  }
}

/// What is known of a log: a word for it, and its last delivery. A text of always the same length, so that one write
/// replaces it.
private struct LogNote {
  static let length = 160
  private static let title = "sluice-log 1"

  var identity: String
  var number: DeliveryNumber
  /// The log's size before the delivery.
  var before: Int
  /// Its size after it; nil while it is being written.
  var after: Int?

  static func newIdentity() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  func at(_ number: DeliveryNumber, before: Int, after: Int?) -> LogNote {
    LogNote(identity: identity, number: number, before: before, after: after)
  }

  init(identity: String, number: DeliveryNumber, before: Int, after: Int?) {
    self.identity = identity
    self.number = number
    self.before = before
    self.after = after
  }

  /// Reads a note; nil where it is none, or not whole.
  init?(_ bytes: [UInt8]) {
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    guard bytes.count == Self.length, words.count == 7, words[..<2].joined(separator: " ") == Self.title,
      let generation = UInt64(words[3]), let sequence = UInt64(words[4]), let before = Int(words[5])
    else { return nil }
    self.init(
      identity: words[2], number: DeliveryNumber(generation: generation, sequence: sequence), before: before,
      after: Int(words[6]))
  }

  var bytes: [UInt8] {
    let text =
      "\(Self.title) \(identity) \(number.generation) \(number.sequence) \(before) \(after.map(String.init) ?? "-")"
    return Array(text.utf8) + [UInt8](repeating: 0x20, count: max(0, Self.length - 1 - text.utf8.count)) + [0x0A]
  }
}
