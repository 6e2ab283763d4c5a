import SluiceConfig
import SluiceCore

/// The demo's folder: made where it is missing, small files only.
struct DemoFolder: Sendable {
  let root: String

  init(_ root: String) { self.root = root }

  func path(of name: String) -> String { "\(root)/\(name)" }

  /// Writes a small file where there is none. Refuses a folder where it is another: it is not the demo's.
  func claim(_ name: String, _ text: String) throws(SluiceError) {
    guard TextFile.exists(path(of: name)) else { return try write(text, to: name) }
    guard try ConfigInputs.process.file(path(of: name), 1 << 20) == Array(text.utf8) else {
      throw SluiceError(
        .usage, "this is not the demo's own folder: its \(name) is another", at: Place(file: path(of: name)),
        hint: "choose another with --directory, or remove it")
    }
  }

  /// Writes a small file, in place of the one before.
  func write(_ text: String, to name: String) throws(SluiceError) {
    try TextFile.makeFolder(root)
    try TextFile.replace(path(of: name), text)
  }

  /// Removes a file, where it is there.
  func remove(_ name: String) throws(SluiceError) { try TextFile.remove(path(of: name)) }

  /// The lines of a small file.
  func lines(of name: String) throws(SluiceError) -> [String] {
    let bytes = try ConfigInputs.process.file(path(of: name), 1 << 20)
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
