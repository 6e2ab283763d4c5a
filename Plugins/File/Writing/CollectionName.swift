import SluiceCore

/// A path with `{collection}` in the name of the file: one file for each collection.
struct CollectionPath: Sendable {
  static let placeholder = "{collection}"

  /// The folder of the files.
  let folder: String
  /// The name with the placeholder.
  let nameTemplate: String
  private let prefix: String
  private let suffix: String

  /// Nil where the path has no placeholder.
  init?(_ path: String) {
    let name = fileName(of: path)
    let parts = Self.split(name)
    guard parts.count == 2 else { return nil }
    folder = SluiceFile.folder(of: path)
    nameTemplate = name
    prefix = parts[0]
    suffix = parts[1]
  }

  /// Whether a path has the placeholder where it may not stand: in the name of a folder, or twice.
  static func isMisplaced(in path: String) -> Bool {
    let count = split(path).count - 1
    return count > 1 || count == 1 && split(fileName(of: path)).count != 2
  }

  /// The name with a text in the placeholder's place.
  func replacingPlaceholder(by text: String) -> String { prefix + text + suffix }

  /// Whether every collection's name fits.
  var hasRoom: Bool { room >= CollectionName.leastRoom }

  private var room: Int { 255 - prefix.utf8.count - suffix.utf8.count }

  /// The name of a collection's file.
  func name(of collection: some Collection<UInt8>, foldsCase: Bool) -> String {
    replacingPlaceholder(by: CollectionName.name(of: Array(collection), foldsCase: foldsCase, room: room))
  }

  /// What a file's name has in the placeholder's place; nil for other files.
  func escapedName(in name: String) -> String? {
    let bytes = Array(name.utf8)
    guard bytes.count > prefix.utf8.count + suffix.utf8.count, bytes.starts(with: prefix.utf8),
      bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    else { return nil }
    return String(decoding: bytes[prefix.utf8.count..<bytes.count - suffix.utf8.count], as: UTF8.self)
  }

  /// The text before, between and after the placeholders.
  private static func split(_ text: String) -> [String] {
    var parts: [[UInt8]] = [[]]
    let bytes = Array(text.utf8)
    let word = Array(placeholder.utf8)
    var i = 0
    while i < bytes.count {
      if bytes[i...].starts(with: word) {
        parts.append([])
        i += word.count
      } else {
        parts[parts.count - 1].append(bytes[i])
        i += 1
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// How a collection is named as a file, so that it can be read back on every file system.
///
/// Bytes that some system has another use for, `%` and `~` are percent-encoded; so is the first letter of a name that
/// Windows keeps for a device, a dot or space at either end, and, where the file system takes `Doc1` and `doc1` for
/// one, every capital letter and every letter beyond ASCII. The empty collection is `_`. A name that is too long is cut,
/// and its digest put behind a `~`: then the collection is found in the keys inside the file only.
enum CollectionName {
  /// Room for a digest and a few letters.
  static let leastRoom = 48

  private static let devices = Set(
    ["con", "prn", "aux", "nul", "conin$", "conout$"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

  /// The name of a collection, given as the canonical text of its path.
  static func name(of collection: [UInt8], foldsCase: Bool, room: Int) -> String {
    if collection.isEmpty { return "_" }
    var escaped: [[UInt8]] = []
    let isDevice = isDevice(collection)
    for (index, byte) in collection.enumerated() {
      let isEnd = index == 0 || index == collection.count - 1
      let mustEscape =
        isReserved(byte) || isEnd && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: " "))
        || foldsCase && ((0x41...0x5A).contains(byte) || byte >= 0x80) || isDevice && index == 0
        || collection == [UInt8(ascii: "_")]
      escaped.append(mustEscape ? percent(byte) : [byte])
    }
    let length = escaped.reduce(0) { $0 + $1.count }
    if length <= room { return String(decoding: escaped.joined(), as: UTF8.self) }
    let digest = "~\(Fingerprint(of: collection.span))"
    var kept = 0
    var used = digest.utf8.count
    while used + escaped[kept].count <= room {
      used += escaped[kept].count
      kept += 1
    }
    // Not within a letter.
    while kept > 0, kept < collection.count, collection[kept] & 0xC0 == 0x80 { kept -= 1 }
    return String(decoding: escaped[..<kept].joined(), as: UTF8.self) + digest
  }

  /// The collection of a name; nil where the name does not say it.
  static func collection(of name: String) -> [UInt8]? {
    if name == "_" { return [] }
    var bytes: [UInt8] = []
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "~") { return nil }
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    // Files of others: what is no path of collections is the name of one.
    return Key(canonical: bytes) != nil ? bytes : Key(String(decoding: bytes, as: UTF8.self)).bytes
  }

  private static func isReserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, 0x7F, UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: ":"), UInt8(ascii: "*"),
      UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"),
      UInt8(ascii: "%"), UInt8(ascii: "~"), UInt8(ascii: "["), UInt8(ascii: "{"):
      true
    default: false
    }
  }

  /// Whether Windows keeps the name: `CON`, `con.txt`, `COM1`.
  private static func isDevice(_ collection: [UInt8]) -> Bool {
    let stem = collection.prefix { $0 != UInt8(ascii: ".") }
    return devices.contains(String(decoding: stem, as: UTF8.self).lowercased())
  }

  private static func percent(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
