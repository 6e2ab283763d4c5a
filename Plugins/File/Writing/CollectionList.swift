import SluiceCore
import SluiceJSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of a published set of collections, as they are listed in a hidden file beside them.
struct CollectionList {
  struct File {
    var name: String
    var length: Int
    var digest: Fingerprint
    var witness = ""
  }

  /// The content that the files show together; nil while they are being put in place.
  var content: StageMark?
  var files: [File] = []

  /// The list in a file; nil where there is none, or where it is not whole.
  static func read(_ path: String) throws -> CollectionList? {
    guard try FileStatus.of(path, following: false)?.kind == .regular else { return nil }
    let file = try OpenFile.reading(path)
    let bytes = try file.read(at: 0, count: try file.status().size)
    do { return CollectionList(try JSON.parse(bytes)) } catch { return nil }
  }

  /// Replaces the list.
  func write(_ target: Target) throws {
    let path = target.companion("set")
    let draft = target.companion("set-new")
    if unlink(draft) != 0, errno != ENOENT { throw SluiceError.file("remove", draft, errno: errno) }
    let file = try OpenFile.new(draft)
    try JSON.encode(value).withUnsafeBytes { try file.write($0, at: 0) }
    try file.sync()
    if rename(draft, path) != 0 { throw SluiceError.file("rename the finished file to", path, errno: errno) }
  }

  private var value: Value {
    var fields = [Field("sluice_collections", .int(1))]
    if let content {
      fields += [
        Field("length", .string(String(content.length))), Field("digest", .string(content.digest.description)),
        Field("documents", .int(Int64(content.documents))),
      ]
    }
    let files = self.files.map { file in
      Value.map([
        Field("name", .string(file.name)), Field("length", .int(Int64(file.length))),
        Field("digest", .string(file.digest.description)), Field("witness", .string(file.witness)),
      ])
    }
    return .map(fields + [Field("files", .array(files))])
  }

  init() {}

  private init?(_ value: Value) {
    guard case .map(let fields) = value, fields["sluice_collections"] == .int(1),
      case .array(let items) = fields["files"]
    else { return nil }
    for item in items {
      guard case .map(let file) = item, let name = file.text("name"), case .int(let length) = file["length"],
        let digest = file.fingerprint("digest"), let witness = file.text("witness")
      else { return nil }
      files.append(File(name: name, length: Int(length), digest: digest, witness: witness))
    }
    if let length = fields.text("length").flatMap({ UInt64($0) }), let digest = fields.fingerprint("digest"),
      case .int(let documents) = fields["documents"]
    {
      content = StageMark(length: length, digest: digest, documents: Int(documents))
    }
  }
}

extension [Field] {
  fileprivate subscript(name: String) -> Value? { first { $0.name == name }?.value }

  fileprivate func text(_ name: String) -> String? {
    if case .string(let text) = self[name] { text } else { nil }
  }

  fileprivate func fingerprint(_ name: String) -> Fingerprint? {
    guard let text = text(name), let bits = UInt128(text, radix: 16) else { return nil }
    return Fingerprint(high: UInt64(bits >> 64), low: UInt64(truncatingIfNeeded: bits))
  }
}
