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

/// The writing side with one file for each collection.
///
/// The stage is a single file: lines, and before each run of them a header `@"COLLECTION"`. So it is cut back and known
/// again as any other stage. Only when it is published it is cut into files; it stays until all of them, and the list
/// of them, are in place, so that a publication that was cut short can be done again.
final class CollectionSink: WritingPart {
  private struct State: ~Copyable {
    var writer: JSONLinesWriter
    var stage: Stage?
  }

  private let target: Target
  private let collections: CollectionPath
  private let settings: FileAdapter.Config
  private let isPowerSafe: Bool
  private let state: Mutex<State>

  init(_ settings: FileAdapter.Config, path: String, _ collections: CollectionPath) throws {
    target = try Target(path)
    self.collections = collections
    self.settings = settings
    isPowerSafe = settings.durability == .power
    guard collections.hasRoom else { throw SluiceError.file("look at", path, errno: ENAMETOOLONG) }
    state = Mutex(State(writer: JSONLinesWriter(settings.encoding, keyField: settings.keyField), stage: nil))
  }

  func close() { state.withLock { $0.stage = nil } }

  func identity(creating: Bool) throws -> SinkIdentity? { nil }

  func isEmpty() throws -> Bool {
    guard try FileStatus.of(target.folder) != nil else { return true }
    return try FolderEntries.names(of: target.folder).allSatisfy { name in
      let path = joined(target.folder, name)
      guard !name.hasPrefix("."), collections.escapedName(in: name) != nil,
        try FileStatus.of(path, following: false)?.kind == .regular
      else { return true }
      return try EmptyFile.isEmpty(path, settings)
    }
  }

  func openStage(generation: UInt64, resuming mark: StageMark?) throws -> StageMark {
    try state.withLock { state in
      state.stage = nil
      state.stage = try Stage.open(generation: generation, resuming: mark, target: target, isPowerSafe: isPowerSafe)
      return state.stage?.mark ?? Stage.start
    }
  }

  func write(
    _ batch: Batch, acceptsRejections: Bool, as number: DeliveryNumber
  ) throws -> (mark: StageMark?, rejections: [Rejection]) {
    try state.withLock { state in
      guard state.stage != nil else { throw SluiceError(.internal, "a delivery came before the stage was opened") }
      var text: [UInt8] = []
      var documents = 0
      var rejections: [Rejection] = []
      for run in batch.runsOfCollections {
        try state.writer.write(batch.slice(run.range)) { lines, count, rejected in
          if !acceptsRejections, let first = rejected.first { throw first.error }
          rejections += rejected
          documents += count
          if lines.isEmpty { return }
          text += [CollectionFiles.headerMark]
          text += JSON.encode(.string(String(decoding: run.collection, as: UTF8.self)))
          text.append(0x0A)
          text += lines
        }
      }
      try text.withUnsafeBytes { try state.stage?.append($0, documents: documents) }
      if isPowerSafe { try state.stage?.file.sync() }
      return (state.stage?.mark, rejections)
    }
  }

  func publish(generation: UInt64, content: StageMark) throws -> Publication {
    try state.withLock { state in
      if state.stage == nil { state.stage = try Stage(resuming: content, target: target, generation: generation) }
      guard let mark = state.stage?.mark, mark == content, state.stage?.generation == generation else {
        throw SluiceError.file(
          "has no stage with the content that was confirmed", target.path, hint: "run again: it begins a new listing")
      }
      let old = try CollectionList.read(target.companion("set"))
      let files = CollectionFiles(target, collections, settings, generation: generation)
      let parts =
        switch state.stage {
        case .some(let stage): try files.cut(stage)
        case .none: [CollectionFiles.Part]()
        }
      try CollectionPublication(target: target, collections: collections).run(parts, content: content, replacing: old)
      state.stage = nil
      try target.removeStages(except: nil)
      return Publication(generation: generation, content: content)
    }
  }

  func discardStages() throws {
    try state.withLock { state in
      state.stage = nil
      try target.removeStages(except: nil)
    }
  }

  func shows(_ publication: Publication) throws -> Bool {
    guard let list = try CollectionList.read(target.companion("set")), list.content == publication.content else {
      return false
    }
    return try list.files.allSatisfy { file in
      let path = joined(target.folder, file.name)
      guard let status = try FileStatus.of(path, following: false), status.kind == .regular else { return false }
      if status.witness == file.witness { return true }
      guard status.size == file.length else { return false }
      return try OpenFile.reading(path).digest(length: file.length)?.value == file.digest
    }
  }
}

extension Batch {
  /// Entries of one collection that follow each other, with the canonical text of its path.
  fileprivate var runsOfCollections: [(collection: [UInt8], range: Range<Int>)] {
    var runs: [(collection: [UInt8], range: Range<Int>)] = []
    for index in indices where kind(at: index) == .upsert {
      let isSame = withKeyBytes(at: index) { key in
        guard let last = runs.last?.collection else { return false }
        let length = Self.collectionLength(of: key)
        return length == last.count && key.extracting(0..<length).isEqual(to: last)
      }
      if isSame {
        runs[runs.count - 1].range = runs[runs.count - 1].range.lowerBound..<index + 1
      } else {
        let collection = withKeyBytes(at: index) { key in (0..<Self.collectionLength(of: key)).map { key[$0] } }
        runs.append((collection, index..<index + 1))
      }
    }
    return runs
  }

  private static func collectionLength(of key: Span<UInt8>) -> Int {
    var index = key.count - 1
    while index > 0 {
      if key[index] == UInt8(ascii: "/") { return index }
      index -= 1
    }
    return 0
  }
}

extension Span<UInt8> {
  fileprivate func isEqual(to bytes: [UInt8]) -> Bool {
    guard count == bytes.count else { return false }
    for index in bytes.indices where self[index] != bytes[index] { return false }
    return true
  }
}
