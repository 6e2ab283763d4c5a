import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that a source reads.
struct SourceFile: Sendable {
  /// Its path below the folder of all; nil for a path without a pattern.
  var name: String?
  var path: String
  var status: FileStatus
  /// What its documents' keys are put below, as canonical text; nil: nothing.
  var keyPath: [UInt8]?
}

/// Which files a path names: one, those of a pattern, or those of collections.
struct SourceFiles: Sendable {
  private enum Kind {
    case one
    case pattern([String])
    case collections(CollectionPath)
  }

  /// The path, for messages.
  let path: String
  private let kind: Kind
  /// The folder of all: what comes before the first pattern.
  private let root: String
  private let settings: FileAdapter.Config

  init(_ settings: FileAdapter.Config, path: String) throws {
    self.settings = settings
    self.path = path
    // A file that is called so is meant, whatever is in its name.
    if try Self.isThere(path) {
      kind = .one
      root = folder(of: path)
    } else if let collections = CollectionPath(path) {
      kind = .collections(collections)
      root = collections.folder
    } else if Glob.isPattern(path) {
      let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
      let first = parts.firstIndex(where: Glob.isPattern) ?? 0
      kind = .pattern(Array(parts[first...]))
      let fixed = parts[..<first].joined(separator: "/")
      root = isAbsolute(path) ? "/" + fixed : fixed.isEmpty ? "." : fixed
    } else {
      kind = .one
      root = folder(of: path)
    }
  }

  /// Whether there may be several.
  var areSeveral: Bool { if case .one = kind { false } else { true } }

  /// What is read, with links followed.
  func identity() throws -> SourceIdentity {
    let place = areSeveral ? root : path
    guard let real = realpath(place, nil) else { throw SluiceError.file("open", place, errno: errno) }
    defer { free(real) }
    var text = String(cString: real)
    switch kind {
    case .one: break
    case .pattern(let parts): text = joined(text, parts.joined(separator: "/"))
    case .collections(let collections): text = joined(text, collections.nameTemplate)
    }
    return SourceIdentity([.init("adapter", FileAdapter.name), .init("path", text)])
  }

  /// The files as they are now, in the order of their names' bytes. Throws where there is none.
  func list() throws -> [SourceFile] {
    var files: [SourceFile] = []
    switch kind {
    case .one:
      guard let status = try FileStatus.of(path) else { throw SluiceError.file("open", path, errno: ENOENT) }
      return [SourceFile(name: nil, path: path, status: status)]
    case .pattern(let parts): try add(parts[...], below: "", to: &files)
    case .collections(let collections):
      for name in try FolderEntries.names(of: root)
      where !name.hasPrefix(".") && collections.escapedName(in: name) != nil {
        try add(name, keyPath: try keyPath(of: name, collections), to: &files)
      }
    }
    if files.isEmpty {
      throw SluiceError.file("names no file", path, hint: "a relative path starts from the folder of the configuration")
    }
    return files.sorted { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }
  }

  private func add(_ parts: ArraySlice<String>, below folder: String, to files: inout [SourceFile]) throws {
    guard let part = parts.first else { return }
    let rest = parts.dropFirst()
    let glob = Glob(part)
    let path = joined(root, folder)
    for name in Glob.isPattern(part) ? try FolderEntries.names(of: path).filter(glob.matches) : [part] {
      let below = folder.isEmpty ? name : "\(folder)/\(name)"
      if rest.isEmpty {
        let segments = below.split(separator: "/").map(String.init)
        try add(below, keyPath: settings.keys == .byFile ? Key(segments: segments).bytes : nil, to: &files)
      } else if try FileStatus.of(joined(root, below))?.kind == .folder {
        try add(rest, below: below, to: &files)
      }
    }
  }

  /// Adds a file. Folders are left out; one that is gone meanwhile, too.
  private func add(_ name: String, keyPath: [UInt8]?, to files: inout [SourceFile]) throws {
    let path = joined(root, name)
    guard let status = try FileStatus.of(path), status.kind != .folder else { return }
    try status.requireRegular(path)
    files.append(SourceFile(name: name, path: path, status: status, keyPath: keyPath))
  }

  /// Keys written by this package hold their collection; the ids of others are put below it.
  private func keyPath(of name: String, _ collections: CollectionPath) throws -> [UInt8]? {
    if settings.keys == .byFile { return Key(name).bytes }
    guard settings.encoding == .plain, settings.keyField != "_key" else { return nil }
    guard let escaped = collections.escapedName(in: name), let collection = CollectionName.collection(of: escaped)
    else {
      throw SluiceError.file(
        "stands for a collection whose name is not in it", joined(root, name),
        hint: "files with ids in \(settings.keyField) are named by their collection")
    }
    return collection.isEmpty ? nil : collection
  }

  private static func isThere(_ path: String) throws -> Bool {
    do { return try FileStatus.of(path) != nil } catch let error as SluiceError {
      if Glob.isPattern(path) || CollectionPath(path) != nil { return false }
      throw error
    }
  }
}

/// The names in a folder.
enum FolderEntries {
  /// All names but `.` and `..`, in no order. A name that is not UTF-8 is left out: no path could say it.
  static func names(of folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw SluiceError.file("look into", folder, errno: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
