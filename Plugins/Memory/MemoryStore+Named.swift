import Synchronization

extension MemoryStore {
  /// The stores of this process by name.
  ///
  /// The one table that outlives its users: a configuration can name a store and nothing else, and the program that
  /// fills or reads the store must reach the same one. It holds data, not components; those are in the catalog.
  private static let table = Mutex<[[UInt8]: MemoryStore]>([:])

  /// The store of a name in this process, made empty where there is none yet. Names differ by their UTF-8 bytes.
  public static func named(_ name: String) -> MemoryStore {
    table.withLock { table in
      if let store = table[Array(name.utf8)] { return store }
      let store = MemoryStore()
      table[Array(name.utf8)] = store
      return store
    }
  }

  /// Forgets the store of a name: whoever holds it keeps it, and the next one of that name is another, empty one.
  public static func forget(named name: String) {
    _ = table.withLock { $0.removeValue(forKey: Array(name.utf8)) }
  }
}
