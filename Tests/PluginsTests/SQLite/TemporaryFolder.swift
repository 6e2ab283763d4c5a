import Foundation
import SluiceCore
import Testing

@testable import SluiceSQLite

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sluice-sqlite-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func rights(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return try #require(attributes[.posixPermissions] as? Int)
  }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: file(name))) }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

  /// What somebody else's program would see and do.
  func connection(_ name: String, busyTimeout: Int32 = 0) throws -> Connection {
    try Connection(path: file(name), creating: true, synchronous: .normal, busyTimeout: busyTimeout)
  }
}
