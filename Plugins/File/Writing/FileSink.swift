import SluiceCore
import SluiceJSON
import Synchronization

/// The writing side: a stage beside the target that takes its place.
final class FileSink: WritingPart {
  private struct State: ~Copyable {
    var writer: JSONLinesWriter
    var encoder: ContentEncoder
    var stage: Stage?
  }

  let target: Target
  private let isPowerSafe: Bool
  let settings: FileAdapter.Config
  private let state: Mutex<State>
  /// The published file, while it is read back.
  let shown = Mutex<OpenSource?>(nil)

  init(_ settings: FileAdapter.Config, path: String) throws {
    target = try Target(path)
    isPowerSafe = settings.durability == .power
    self.settings = settings
    let encoder = try ContentEncoder(settings.resolvedFormat, isCompressing: settings.isCompressing)
    state = Mutex(
      State(
        writer: JSONLinesWriter(settings.encoding, keyField: settings.keyField), encoder: encoder, stage: nil))
  }

  func close() {
    state.withLock { $0.stage = nil }
    shown.withLock { $0 = nil }
  }

  func isEmpty() throws -> Bool {
    guard try target.open() != nil else { return true }
    return try EmptyFile.isEmpty(target.path, settings)
  }

  func openStage(generation: UInt64, resuming mark: StageMark?) throws -> StageMark {
    try state.withLock { state in
      // Its lock would keep this very process out.
      state.stage = nil
      state.stage = try Stage.open(generation: generation, resuming: mark, target: target, isPowerSafe: isPowerSafe)
      return state.stage?.mark ?? Stage.start
    }
  }

  func identity(creating: Bool) throws -> SinkIdentity? { nil }

  func write(
    _ batch: Batch, acceptsRejections: Bool, as number: DeliveryNumber
  ) throws -> (mark: StageMark?, rejections: [Rejection]) {
    try state.withLock { state in
      let rejections = try write(batch, acceptsRejections: acceptsRejections, &state)
      return (state.stage?.mark ?? Stage.start, rejections)
    }
  }

  private func write(
    _ batch: Batch, acceptsRejections: Bool, _ state: inout State
  ) throws -> [Rejection] {
    guard let isFirst = state.stage?.isEmpty else {
      throw SluiceError(.internal, "a delivery came before the stage was opened")
    }
    return try state.writer.write(batch) { lines, documents, rejections in
      if !acceptsRejections, let first = rejections.first { throw first.error }
      try state.encoder.encode(lines, isFirst: isFirst) { try state.stage?.append($0, documents: documents) }
      if isPowerSafe { try state.stage?.file.sync() }
      return rejections
    }
  }

  func publish(generation: UInt64, content: StageMark) throws -> Publication {
    try state.withLock { state in
      // A run that resumes after the last page has not opened the stage itself.
      if state.stage == nil { state.stage = try Stage(resuming: content, target: target, generation: generation) }
      guard state.stage?.mark == content, state.stage?.generation == generation else {
        throw SluiceError.file(
          "has no stage with the content that was confirmed", target.path, hint: "run again: it begins a new listing")
      }
      let status = try state.stage?.publish(tail: try state.encoder.tail(isEmpty: content.length == 0))
      state.stage = nil
      try target.syncFolder()
      return Publication(generation: generation, content: content, witness: status?.witness ?? "")
    }
  }

  func discardStages() throws {
    try state.withLock { state in
      state.stage = nil
      try target.removeStages(except: nil)
    }
  }

  func shows(_ publication: Publication) throws -> Bool {
    guard let file = try target.open() else { return false }
    let status = try file.status()
    if status.witness == publication.witness { return true }
    let length = Int(publication.content.length)
    let tail = try state.withLock { try $0.encoder.tail(isEmpty: length == 0) }
    guard status.size == length + tail.count else { return false }
    return try file.digest(length: length)?.value == publication.content.digest
      && file.read(at: length, count: tail.count) == tail
  }
}

/// Whether a file holds no documents, whoever wrote it.
enum EmptyFile {
  static func isEmpty(_ path: String, _ settings: FileAdapter.Config) throws -> Bool {
    var content = try ContentReader(path, settings)
    var found: [UInt8] = []
    var offset = 0
    do {
      while true {
        let part = try content.load(offset, near: nil)
        if part.isEmpty { return found.isEmpty || found == Array("[]".utf8) }
        found += content.block[part].lazy.filter { $0 > 0x20 }.prefix(3)
        if found.count > 2 || !"[]".utf8.starts(with: found) { return false }
        offset += part.count
      }
    } catch let error as SluiceError where error.code == .malformedData || error.code == .limitExceeded {
      // What cannot be read is not nothing, unless there is nothing.
      return content.status.size == 0
    }
  }
}
