import SluiceCore
import SluiceJSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Cuts a stage into the files of its collections, beside their targets.
struct CollectionFiles {
  /// What a header line begins with. No line of a document does.
  static let headerMark = UInt8(ascii: "@")
  /// How many bytes are held before they are written.
  private static let held = 8 << 20

  /// A file that is not in its place yet.
  struct Part {
    /// The name it is to have.
    var name: String
    var path: String
    var digest = RunningDigest()
    var length: Int { Int(digest.byteCount) }
    fileprivate var lines: [UInt8] = []
  }

  private let target: Target
  private let collections: CollectionPath
  private let settings: FileAdapter.Config
  private let generation: UInt64

  init(_ target: Target, _ collections: CollectionPath, _ settings: FileAdapter.Config, generation: UInt64) {
    self.target = target
    self.collections = collections
    self.settings = settings
    self.generation = generation
  }

  /// Makes the files, whole and on the disk, under other names.
  func cut(_ stage: borrowing Stage) throws -> [Part] {
    try target.removeStages(except: generation)
    var encoder = try ContentEncoder(settings.resolvedFormat, isCompressing: settings.isCompressing)
    let foldsCase = try FoldedCase.isFolded(in: target)
    var parts: [Part] = []
    var places: [[UInt8]: Int] = [:]
    var current = 0
    var held = 0
    try Self.forEachLine(of: stage) { line in
      if line[line.startIndex] == Self.headerMark {
        let collection = try Self.collection(of: line)
        if let place = places[collection] {
          current = place
        } else {
          current = parts.count
          places[collection] = current
          parts.append(
            Part(
              name: collections.name(of: collection, foldsCase: foldsCase), path: target.part(generation, parts.count)))
        }
        return
      }
      guard current < parts.count else { throw SluiceError(.internal, "the stage begins without a collection") }
      parts[current].lines += line
      held += line.count
      if held >= Self.held {
        for index in parts.indices { try flush(&parts[index], &encoder) }
        held = 0
      }
    }
    for index in parts.indices { try finish(&parts[index], &encoder) }
    return parts
  }

  private func flush(_ part: inout Part, _ encoder: inout ContentEncoder) throws {
    if part.lines.isEmpty { return }
    let lines = part.lines
    part.lines = []
    let file = part.length == 0 ? try OpenFile.new(part.path) : try reopened(part)
    try lines.withUnsafeBytes { lines in
      try encoder.encode(lines, isFirst: part.length == 0) { bytes in
        try file.write(bytes, at: part.length)
        part.digest.append(bytes.bindMemory(to: UInt8.self).span)
      }
    }
  }

  private func finish(_ part: inout Part, _ encoder: inout ContentEncoder) throws {
    try flush(&part, &encoder)
    let file = try reopened(part)
    let tail = try encoder.tail(isEmpty: part.length == 0)
    try tail.withUnsafeBytes { try file.write($0, at: part.length) }
    part.digest.append(tail.span)
    try file.takeOverPermissions(of: joined(target.folder, part.name))
    try file.sync()
  }

  private func reopened(_ part: Part) throws -> OpenFile {
    guard let file = try OpenFile.existing(part.path) else {
      throw SluiceError.file("has been removed", part.path, hint: "run again: it begins a new listing")
    }
    return file
  }

  private static func collection(of line: ArraySlice<UInt8>) throws -> [UInt8] {
    guard case .string(let text) = try JSON.parse(Array(line.dropFirst().dropLast())) else {
      throw SluiceError(.internal, "the stage has a header without a collection")
    }
    return Array(text.utf8)
  }

  /// Goes through the lines of what the stage's mark covers, each with its line feed.
  private static func forEachLine(
    of stage: borrowing Stage, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    let end = Int(stage.mark.length)
    var rest: [UInt8] = []
    var offset = 0
    while offset < end {
      try Task.checkCancellation()
      let block = try stage.file.read(at: offset, count: min(OpenFile.blockSize, end - offset))
      if block.isEmpty { throw SluiceError.file("has become shorter", stage.file.path) }
      offset += block.count
      var start = 0
      while let feed = block[start...].firstIndex(of: 0x0A) {
        if rest.isEmpty {
          try body(block[start...feed])
        } else {
          rest += block[start...feed]
          try body(rest[...])
          rest = []
        }
        start = feed + 1
      }
      rest += block[start...]
    }
  }
}

/// Puts the files of collections in their places.
struct CollectionPublication {
  let target: Target
  let collections: CollectionPath

  /// Each file appears whole. The list is first one of all files, old and new, so that none of them is forgotten if this
  /// is cut short; those that are not among the new ones go at the end.
  func run(_ parts: [CollectionFiles.Part], content: StageMark, replacing old: CollectionList?) throws {
    for part in parts { try requireReplaceable(part.name) }
    let names = Set(parts.map { Array($0.name.utf8) })
    let gone = (old?.files ?? []).filter { !names.contains(Array($0.name.utf8)) }
    var list = CollectionList()
    list.files = gone + parts.map { CollectionList.File(name: $0.name, length: $0.length, digest: $0.digest.value) }
    try list.write(target)
    for part in parts where rename(part.path, joined(target.folder, part.name)) != 0 {
      throw SluiceError.file("rename the finished file to", joined(target.folder, part.name), errno: errno)
    }
    for file in gone { try remove(file.name) }
    list.files = try parts.map { part in
      let witness = try FileStatus.of(joined(target.folder, part.name), following: false)?.witness ?? ""
      return CollectionList.File(name: part.name, length: part.length, digest: part.digest.value, witness: witness)
    }
    list.content = content
    try list.write(target)
    try target.syncFolder()
  }

  private func requireReplaceable(_ name: String) throws {
    let path = joined(target.folder, name)
    guard let status = try FileStatus.of(path, following: false), status.kind != .link else { return }
    try status.requireRegular(path)
  }

  /// Removes a file of an earlier set. Nothing else is ever removed, whatever the list says.
  private func remove(_ name: String) throws {
    let path = joined(target.folder, name)
    guard !name.utf8.contains(UInt8(ascii: "/")), !name.hasPrefix("."), collections.escapedName(in: name) != nil,
      try FileStatus.of(path, following: false)?.kind == .regular
    else { return }
    if unlink(path) != 0, errno != ENOENT { throw SluiceError.file("remove", path, errno: errno) }
  }
}

/// Whether a file system takes capitals and small letters for one.
enum FoldedCase {
  /// Tries it with an empty file.
  static func isFolded(in target: Target) throws -> Bool {
    let path = target.companion("case")
    if unlink(path) != 0, errno != ENOENT { throw SluiceError.file("remove", path, errno: errno) }
    let file = try OpenFile.new(path)
    defer { _ = unlink(path) }
    let other = joined(folder(of: path), fileName(of: path).uppercased())
    guard let status = try FileStatus.of(other, following: false) else { return false }
    return status.isSameFile(as: try file.status())
  }
}
