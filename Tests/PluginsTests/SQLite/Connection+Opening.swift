import SluiceTesting

@testable import SluiceSQLite

extension TemporaryFolder {
  /// What somebody else's program would see and do.
  func connection(_ name: String, busyTimeout: Int32 = 0) throws -> Connection {
    try Connection(path: file(name), creating: true, synchronous: .normal, busyTimeout: busyTimeout)
  }
}
