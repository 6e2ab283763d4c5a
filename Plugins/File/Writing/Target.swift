import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a published file is to be, and where its stages lie.
struct Target: Sendable {
  /// The file itself: a link is followed once, here, and stays.
  let path: String
  let folder: String
  /// What the name of every stage of this file begins with; a generation follows.
  private let stagePrefix: String

  /// The longest name of a file that file systems take, in bytes.
  private static let longestName = 255
  /// The longest path a link may hold, in bytes.
  private static let longestPath = 4096

  init(_ path: String) throws {
    self.path = try Self.resolved(path)
    folder = SluiceFile.folder(of: self.path)
    let name = fileName(of: self.path)
    if name.isEmpty || name == "." || name == ".." { throw SluiceError.file("names no file", path) }
    if name.utf8.count > Self.longestName { throw SluiceError.file("look at", path, errno: ENAMETOOLONG) }
    stagePrefix = Self.stagePrefix(of: name)
    try FileStatus.of(self.path)?.requireRegular(path)
  }

  /// The path of a stage.
  func stage(_ generation: UInt64) -> String { joined(folder, stagePrefix + String(generation)) }

  /// The path of a file that a stage is cut into.
  func part(_ generation: UInt64, _ index: Int) -> String { "\(stage(generation)).\(index)" }

  /// The path of a hidden file beside this one that is no stage.
  func companion(_ word: String) -> String { joined(folder, stagePrefix + word) }

  /// Opens what is published; nil where there is nothing.
  func open() throws -> OpenFile? {
    guard let status = try FileStatus.of(path, following: false) else { return nil }
    try status.requireRegular(path)
    return try OpenFile.reading(path)
  }

  /// Makes the folder, and those above it.
  func makeFolder() throws {
    guard try FileStatus.of(folder) == nil else { return }
    var missing = [folder]
    while let last = missing.last, case let above = SluiceFile.folder(of: last), above != last,
      try FileStatus.of(above) == nil
    { missing.append(above) }
    for folder in missing.reversed() where mkdir(folder, 0o777) != 0 && errno != EEXIST {
      throw SluiceError.file("make the folder", folder, errno: errno)
    }
  }

  /// Makes a new or renamed entry of the folder survive a power failure.
  func syncFolder() throws {
    let folder = try OpenFile.folder(folder)
    // Some network file systems cannot sync a folder, and say so in this way.
    if fsync(folder.descriptor) != 0, errno != EINVAL, errno != ENOTSUP {
      throw SluiceError.file("sync", folder.path, errno: errno)
    }
  }

  /// Removes the stages of this file, but for one. A stage that another process is writing is an error.
  func removeStages(except generation: UInt64?) throws {
    guard try FileStatus.of(folder) != nil else { return }
    let names = try FolderEntries.names(of: folder)
    for name in names {
      if let found = self.generation(ofStage: name), found != generation { try removeStage(joined(folder, name)) }
    }
    // Parts are made anew whenever a stage is published.
    for name in names where isPart(name) {
      if unlink(joined(folder, name)) != 0, errno != ENOENT {
        throw SluiceError.file("remove", joined(folder, name), errno: errno)
      }
    }
  }

  private func isPart(_ name: String) -> Bool {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), generation(ofStage: String(name[..<dot])) != nil
    else { return false }
    return Int(name[name.utf8.index(after: dot)...]) != nil
  }

  /// The generation of a stage of this file; nil for any other name. By bytes: to `String`, names of composed and of
  /// decomposed letters are one.
  private func generation(ofStage name: String) -> UInt64? {
    guard name.utf8.starts(with: stagePrefix.utf8) else { return nil }
    let digits = String(decoding: name.utf8.dropFirst(stagePrefix.utf8.count), as: UTF8.self)
    guard let generation = UInt64(digits), String(generation) == digits else { return nil }
    return generation
  }

  private func removeStage(_ path: String) throws {
    if try FileStatus.of(path, following: false)?.kind == .regular, let stage = try OpenFile.existing(path) {
      guard stage.lock() else { throw isTaken }
    }
    if unlink(path) != 0, errno != ENOENT { throw SluiceError.file("remove", path, errno: errno) }
  }

  /// Two jobs write one file.
  var isTaken: SluiceError {
    SluiceError(
      .alreadyRunning, "another job is writing \(path)", at: Place(file: path),
      hint: "give each job a file of its own")
  }

  /// Follows links, also to a file that is not there yet.
  private static func resolved(_ path: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      guard try FileStatus.of(path, following: false)?.kind == .link else { return path }
      var buffer = [CChar](repeating: 0, count: longestPath)
      let length = readlink(path, &buffer, longestPath)
      if length < 0 { throw SluiceError.file("read the link", path, errno: errno) }
      let next = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      path = isAbsolute(next) ? next : joined(SluiceFile.folder(of: path), next)
    }
    throw SluiceError.file("look at", path, errno: ELOOP)
  }

  /// `.NAME.sluice-`. A long name is cut and its digest takes the place of the rest, so that the generation fits.
  private static func stagePrefix(of name: String) -> String {
    let room = longestName - ".".utf8.count - ".sluice-".utf8.count - String(UInt64.max).utf8.count
    if name.utf8.count <= room { return ".\(name).sluice-" }
    let digest = "~\(Fingerprint(of: Array(name.utf8).span))"
    var head = Substring(name)
    while head.utf8.count + digest.utf8.count > room { head.removeLast() }
    return ".\(head)\(digest).sluice-"
  }
}
