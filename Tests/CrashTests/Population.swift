import FirestoreServer
import SluiceCore
import SluiceTesting

/// The users of a server, who come, change and go by a seed.
struct Population {
  private let server: FirestoreServer
  private var ids: [String] = []
  private var born = 0
  private var random: SeededGenerator

  init(_ server: FirestoreServer, count: Int, seed: UInt64) throws {
    self.server = server
    random = SeededGenerator(seed: seed)
    for _ in 0..<count { try add() }
  }

  /// Some new ones, some changed, some gone: a share of all each, and at least one.
  mutating func change(added: Int, changed: Int, gone: Int) throws {
    for _ in 0..<gone {
      let index = Int.random(in: ids.indices, using: &random)
      try server.store.delete("users/\(ids.remove(at: index))")
    }
    for _ in 0..<changed { try write(ids[Int.random(in: ids.indices, using: &random)]) }
    for _ in 0..<added { try add() }
  }

  private mutating func add() throws {
    born += 1
    // Not in the order of their birth: new ones come anywhere in a listing.
    let id = "\(UInt16.random(in: 1000...9999, using: &random))-\(born)"
    ids.append(id)
    try write(id)
  }

  private mutating func write(_ id: String) throws {
    let number = Int64.random(in: .min ... .max, using: &random)
    try server.store.set(
      "users/\(id)",
      [
        Field("name", .string("user \(id)")), Field("n", .int(number)), Field("password", .string("p\(number)")),
        Field("note", .string(String(repeating: "·", count: Int.random(in: 0...40, using: &random)))),
      ])
  }
}
