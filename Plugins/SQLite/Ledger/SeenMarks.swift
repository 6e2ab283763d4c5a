import SluiceCore

/// The bitmap of the keys that one generation has seen, in chunks keyed by row id.
struct SeenMarks {
  /// Bytes of a chunk. Two fit a database page.
  private static let chunkBytes = 2048
  private static let chunkBits = Int64(chunkBytes * 8)

  private struct Chunk {
    var bits: [UInt8]
    var isChanged = false
  }

  private let tables: LedgerTables
  private let generation: UInt64
  private var chunks: [Int64: Chunk] = [:]

  init(_ tables: LedgerTables, generation: UInt64) {
    self.tables = tables
    self.generation = generation
  }

  /// Marks a row as seen.
  mutating func insert(_ id: Int64, on connection: Connection) throws {
    let number = id / Self.chunkBits
    if chunks[number] == nil { chunks[number] = try load(number, on: connection) }
    let place = Int(id % Self.chunkBits)
    guard let byte = chunks[number]?.bits[place / 8], byte & 1 << (place % 8) == 0 else { return }
    chunks[number]?.bits[place / 8] |= 1 << (place % 8)
    chunks[number]?.isChanged = true
  }

  private func load(_ number: Int64, on connection: Connection) throws -> Chunk {
    let bits = try connection.first(
      "SELECT bits FROM \(tables.seen) WHERE chunk = ? AND generation = ?", .int(number),
      .int(Int64(bitPattern: generation))
    ) { $0.blob(0) }
    guard let bits else { return Chunk(bits: [UInt8](repeating: 0, count: Self.chunkBytes)) }
    guard bits.count == Self.chunkBytes else {
      throw SluiceError(.invalidState, "the marks of a ledger are damaged", at: Place(file: connection.path))
    }
    return Chunk(bits: bits)
  }

  /// Writes the chunks that changed.
  func save(on connection: Connection) throws {
    for (number, chunk) in chunks where chunk.isChanged {
      try connection.run(
        "INSERT OR REPLACE INTO \(tables.seen) (chunk, generation, bits) VALUES (?, ?, ?)", .int(number),
        .int(Int64(bitPattern: generation)), .blob(chunk.bits))
    }
  }

  /// Reads every chunk, for looking at many rows.
  mutating func loadAll(on connection: Connection) throws {
    let all = try connection.all(
      "SELECT chunk, bits FROM \(tables.seen) WHERE generation = ?", .int(Int64(bitPattern: generation))
    ) { ($0.int(0), Chunk(bits: $0.blob(1))) }
    chunks = [Int64: Chunk](all, uniquingKeysWith: { _, last in last })
  }

  /// Whether a row is marked, among the chunks that were read.
  func contains(_ id: Int64) -> Bool {
    guard let chunk = chunks[id / Self.chunkBits] else { return false }
    let place = Int(id % Self.chunkBits)
    return place / 8 < chunk.bits.count && chunk.bits[place / 8] & 1 << (place % 8) != 0
  }
}
