import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file on its way: beside its target, hidden, readable by its owner only. Locked as long as it is open.
struct Stage: ~Copyable {
  let file: OpenFile
  let generation: UInt64
  private let target: Target
  private var digest = RunningDigest()
  private var documents = 0
  /// How much of it is on its way onto the disk.
  private var written = 0

  /// Nothing staged yet.
  static let start = StageMark(length: 0, digest: RunningDigest().value, documents: 0)

  /// Goes on with the stage of a mark, or begins one. Stages of other generations are removed.
  static func open(
    generation: UInt64, resuming mark: StageMark?, target: Target, isPowerSafe: Bool
  ) throws -> Stage {
    try target.makeFolder()
    try target.removeStages(except: mark == nil ? nil : generation)
    if let mark, mark.length > 0,
      let stage = try Stage(resuming: mark, target: target, generation: generation)
    {
      return stage
    }
    try target.removeStages(except: nil)
    let stage = try Stage(new: generation, target: target)
    if isPowerSafe { try target.syncFolder() }
    return stage
  }

  /// Begins a stage. There must be none of this generation.
  init(new generation: UInt64, target: Target) throws {
    let file = try OpenFile.new(target.stage(generation))
    guard file.lock() else { throw target.isTaken }
    self.file = file
    self.generation = generation
    self.target = target
  }

  /// Goes on with a stage, cut back to a mark; nil where it is not the one the mark was taken of.
  init?(resuming mark: StageMark, target: Target, generation: UInt64) throws {
    let path = target.stage(generation)
    guard try FileStatus.of(path, following: false)?.kind == .regular, let file = try OpenFile.existing(path) else {
      return nil
    }
    guard file.lock() else { throw target.isTaken }
    let status = try file.status()
    // Somebody else's file, or one with a second name, is none of ours.
    guard status.kind == .regular, status.owner == geteuid(), status.links == 1, UInt64(status.size) >= mark.length,
      let digest = try file.digest(length: Int(mark.length)), digest.value == mark.digest
    else { return nil }
    if UInt64(status.size) > mark.length { try file.truncate(to: Int(mark.length)) }
    self.file = file
    self.generation = generation
    self.target = target
    self.digest = digest
    documents = mark.documents
  }

  /// How far it has grown.
  var mark: StageMark { StageMark(length: digest.byteCount, digest: digest.value, documents: documents) }

  /// Whether nothing is in it yet.
  var isEmpty: Bool { digest.byteCount == 0 }

  /// Adds whole lines, as they are to stand in the file. After an error the stage is as it was: what arrived of them is written over.
  mutating func append(_ lines: UnsafeRawBufferPointer, documents: Int) throws {
    try file.write(lines, at: Int(digest.byteCount))
    digest.append(lines.bindMemory(to: UInt8.self).span)
    self.documents += documents
    // So that publishing does not have to wait for all of it at once.
    let length = Int(digest.byteCount)
    if length - written >= OpenFile.writeBehind {
      file.beginWriting(from: written, to: length)
      written = length
    }
  }

  /// Makes the stage the file, with an end that the mark does not count. Answers the status of what is published; the
  /// folder is not synced yet.
  func publish(tail: [UInt8]) throws -> FileStatus {
    let status = try file.status()
    guard let named = try FileStatus.of(file.path, following: false), named.isSameFile(as: status) else {
      throw SluiceError.file("has been removed or replaced", file.path, hint: "run again: it begins a new listing")
    }
    // What a failed write may have left.
    if UInt64(status.size) != digest.byteCount { try file.truncate(to: Int(digest.byteCount)) }
    try tail.withUnsafeBytes { try file.write($0, at: Int(digest.byteCount)) }
    try file.takeOverPermissions(of: target.path)
    try file.sync()
    if rename(file.path, target.path) != 0 {
      throw SluiceError.file("rename the finished file to", target.path, errno: errno)
    }
    return try file.status()
  }
}
