import Foundation
import SluiceCore

/// The store itself: what a driver of a database would be.
struct KeyValuesFolder {
  let url: URL
  let suffix: String

  var place: Place { Place(file: url.path) }
  func place(of key: Key) -> Place { Place(key: key.description, file: file(of: key).path) }

  var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

  /// The keys of all documents, in their order.
  func keys() throws -> [Key] {
    try naming(place) { try FileManager.default.contentsOfDirectory(atPath: url.path) }.compactMap { name in
      guard name.hasSuffix(".\(suffix)") else { return nil }
      return name.dropLast(suffix.count + 1).removingPercentEncoding.flatMap { Key(canonical: Array($0.utf8)) }
    }.sorted()
  }

  func read(_ key: Key) throws -> String? {
    let file = file(of: key)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let data = try naming(place(of: key)) { try Data(contentsOf: file) }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw SluiceError(.malformedData, "the file is not UTF-8", at: place(of: key))
    }
    return text
  }

  /// Written beside the file and renamed, so that nobody reads a half of it.
  func write(_ text: String, to key: Key) throws {
    let file = file(of: key)
    if file.lastPathComponent.utf8.count > 250 {
      throw SluiceError(.rejected, "the key is too long for the name of a file", at: place(of: key))
    }
    try makeFolder()
    try naming(place(of: key)) { try Data(text.utf8).write(to: file, options: .atomic) }
  }

  func remove(_ key: Key) throws {
    let file = file(of: key)
    if !FileManager.default.fileExists(atPath: file.path) { return }
    try naming(place(of: key)) { try FileManager.default.removeItem(at: file) }
  }

  /// A random word that lies in the folder, and is lost with it.
  func identity(creating: Bool) throws -> String? {
    let file = url.appending(path: ".identity")
    if FileManager.default.fileExists(atPath: file.path) {
      return try naming(place) { try String(contentsOf: file, encoding: .utf8) }
    }
    guard creating else { return nil }
    try makeFolder()
    let word = UUID().uuidString
    try naming(place) { try Data(word.utf8).write(to: file, options: .atomic) }
    return word
  }

  private func makeFolder() throws {
    try naming(place) { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  }

  /// Small letters and digits stand for themselves; the rest is percent-encoded, so that no key leaves the folder, and
  /// no two keys are one file where capital letters do not count.
  private func file(of key: Key) -> URL {
    let name = key.bytes.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return url.appending(path: "\(name.joined()).\(suffix)")
  }

  /// Foundation's errors, in the one kind that Sluice knows.
  private func naming<T>(_ place: Place, _ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw SluiceError(.io, error.localizedDescription, at: place) }
  }
}
