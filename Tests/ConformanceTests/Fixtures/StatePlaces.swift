import SluiceCore
import SluiceTesting

@testable import SluiceSQLite

/// A database of its own.
struct SQLiteStatePlace: StatePlace {
  private let folder: TemporaryFolder
  private let config: SQLiteStateStore.Config
  /// What is done to the database.
  private let harm: @Sendable (TemporaryFolder) throws -> Void

  static let fixtures = [
    StateStoreFixture(SQLiteStateStore.self, "durability: process") {
      try SQLiteStatePlace(.process) { folder in
        let whole = try folder.read("state.db")
        try folder.write([UInt8](repeating: 0x5A, count: 100) + whole.dropFirst(100), to: "state.db")
      }
    },
    StateStoreFixture(SQLiteStateStore.self, "durability: power") {
      try SQLiteStatePlace(.power) { folder in
        let connection = try Connection(path: folder.file("state.db"), creating: false, synchronous: .full)
        try connection.execute("UPDATE jobs SET checkpoint = substr(checkpoint, 1, length(checkpoint) - 2)")
      }
    },
  ]

  private init(
    _ durability: SQLiteStateStore.Durability, harm: @escaping @Sendable (TemporaryFolder) throws -> Void
  ) throws {
    folder = try TemporaryFolder()
    var config = SQLiteStateStore.Config()
    config.path = "state.db"
    config.durability = durability
    self.config = config
    self.harm = harm
  }

  func open() async throws -> any StateStore {
    try await SQLiteStateStore(config, context: StateContext(baseDirectory: folder.path))
  }

  func damage() async throws { try harm(folder) }

  func bytes() async throws -> [UInt8] { try folder.read("state.db") }
}

/// The kit's own state store.
struct MemoryStatePlace: StatePlace {
  private let store = MemoryStateStore()

  static let fixture = StateStoreFixture(MemoryStateStore.self, canBeDamaged: false) { MemoryStatePlace() }

  func open() async throws -> any StateStore { store }
}
