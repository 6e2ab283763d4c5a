import SluiceCore

/// How documents follow each other in a file.
public enum FileFormat: String, Sendable, CaseIterable, ConfigValue {
  /// One document a line.
  case jsonLines = "json_lines"
  /// One array of documents.
  case jsonArray = "json_array"

  /// What a file's name says: an array where it ends in `.json`, before `.gz` too.
  init(ofFileNamed name: String) {
    let name = name.hasSuffixIgnoringCase(".gz") ? String(name.dropLast(3)) : name
    self = name.hasSuffixIgnoringCase(".json") ? .jsonArray : .jsonLines
  }
}

/// Whether a file is compressed.
public enum Compression: String, Sendable, CaseIterable, ConfigValue {
  /// It is not.
  case none
  /// By gzip.
  case gzip
  /// By gzip where its name ends in `.gz`, or where a file that is read begins like it.
  case auto
}

extension FileAdapter.Config {
  /// The format, by the name where it is not set.
  var resolvedFormat: FileFormat { format ?? FileFormat(ofFileNamed: path) }

  /// Whether a sink compresses.
  var isCompressing: Bool {
    switch compression {
    case .none: false
    case .gzip: true
    case .auto: path.hasSuffixIgnoringCase(".gz")
    }
  }
}

extension String {
  /// Whether it ends in an ASCII text, in whatever letters.
  func hasSuffixIgnoringCase(_ suffix: String) -> Bool {
    guard utf8.count >= suffix.utf8.count else { return false }
    return utf8.suffix(suffix.utf8.count).map(Self.lowercased).elementsEqual(suffix.utf8.map(Self.lowercased))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}
