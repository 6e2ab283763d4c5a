import SluiceCore
import SluiceJSON
import Synchronization

/// The writing side: a stage beside the target that takes its place.
final class FileSink: Sendable {
  private struct State: ~Copyable {
    var writer: JSONLinesWriter
    var stage: Stage?
  }

  let settings: FileAdapter.Config
  let target: Target
  private let isPowerSafe: Bool
  private let state: Mutex<State>

  init(_ settings: FileAdapter.Config, path: String) throws {
    self.settings = settings
    target = try Target(path)
    isPowerSafe = settings.durability == .power
    state = Mutex(
      State(writer: JSONLinesWriter(settings.encoding, keyField: settings.keyField), stage: nil))
  }

  func close() { state.withLock { $0.stage = nil } }

  func isEmpty() throws -> Bool {
    guard let file = try target.open() else { return true }
    var offset = 0
    while true {
      let block = try file.read(at: offset, count: OpenFile.blockSize)
      if block.isEmpty { return true }
      if block.contains(where: { $0 > 0x20 }) { return false }
      offset += block.count
    }
  }

  func openStage(generation: UInt64, resuming mark: StageMark?) throws -> StageMark {
    try state.withLock { state in
      // Its lock would keep this very process out.
      state.stage = nil
      try target.makeFolder()
      try target.removeStages(except: mark == nil ? nil : generation)
      var stage: Stage?
      if let mark, mark.length > 0 { stage = try Stage(resuming: mark, target: target, generation: generation) }
      if stage == nil {
        try target.removeStages(except: nil)
        stage = try Stage(new: generation, target: target)
        if isPowerSafe { try target.syncFolder() }
      }
      state.stage = stage
      return state.stage?.mark ?? Stage.start
    }
  }

  func write(_ batch: Batch, acceptsRejections: Bool) throws -> (mark: StageMark, rejections: [Rejection]) {
    try state.withLock { state in
      let rejections = try write(batch, acceptsRejections: acceptsRejections, &state.writer, &state.stage)
      return (state.stage?.mark ?? Stage.start, rejections)
    }
  }

  private func write(
    _ batch: Batch, acceptsRejections: Bool, _ writer: inout JSONLinesWriter, _ stage: inout Stage?
  ) throws -> [Rejection] {
    guard stage != nil else { throw SluiceError(.internal, "a delivery came before the stage was opened") }
    return try writer.write(batch) { lines, documents, rejections in
      if !acceptsRejections, let first = rejections.first { throw first.error }
      try stage?.append(lines, documents: documents)
      if isPowerSafe { try stage?.file.sync() }
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
      let status = try state.stage?.publish()
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
    guard UInt64(status.size) == publication.content.length else { return false }
    return try file.digest(length: status.size)?.value == publication.content.digest
  }
}
