import SluiceCore

/// What a ledger's rows say of the keys of one batch.
struct LedgerLookup: Sendable {
  /// A row with its id.
  struct Found: Sendable {
    var id: Int64
    var entry: LedgerEntry
  }

  /// The ledger's revision at which this was true.
  var revision: Int64
  /// The digest of the batch's keys, to tell the batch again.
  var keys: Fingerprint
  /// What was found of each entry of the batch, aligned with it.
  var found: [Found?]

  /// Looks every key up.
  init(_ batch: Batch, in tables: LedgerTables, revision: Int64, on connection: Connection) throws {
    self.revision = revision
    keys = Self.digest(of: batch)
    let select = try connection.statement(
      """
      SELECT id, version, version_ns, fingerprint_high, fingerprint_low, status FROM \(tables.rows) WHERE key = ?
      """)
    found = []
    found.reserveCapacity(batch.count)
    for index in batch.indices {
      let row = try batch.withKeyBytes(at: index) { (key) throws -> Found? in
        try key.withUnsafeBufferPointer { bytes in
          defer { select.reset() }
          try select.lend(1, blob: bytes)
          return try select.step() ? Found(id: select.int(0), entry: LedgerEntry(select, from: 1)) : nil
        }
      }
      found.append(row)
    }
  }

  /// Whether this still says what the ledger knows of the batch.
  func isValid(for batch: Batch, at revision: Int64) -> Bool {
    self.revision == revision && found.count == batch.count && keys == Self.digest(of: batch)
  }

  private static func digest(of batch: Batch) -> Fingerprint {
    var digest = RunningDigest()
    var length: [UInt8] = [0, 0, 0, 0]
    for index in batch.indices {
      batch.withKeyBytes(at: index) { key in
        for byte in 0..<4 { length[byte] = UInt8(truncatingIfNeeded: key.count >> (8 * byte)) }
        digest.append(length.span)
        digest.append(key)
      }
    }
    return digest.value
  }
}

/// A ledger's entry in the columns version, version_ns, fingerprint_high, fingerprint_low, status.
extension LedgerEntry {
  init(_ row: Statement, from column: Int32) {
    self.init(
      version: Version(row.optionalInt(column), row.optionalInt(column + 1)),
      fingerprint: Fingerprint(
        high: UInt64(bitPattern: row.int(column + 2)), low: UInt64(bitPattern: row.int(column + 3))),
      status: Status(rawValue: UInt8(clamping: row.int(column + 4))) ?? .pending)
  }

  func bind(to statement: Statement, from index: Int32) throws {
    let columns = version.columns
    try statement.bind(index, columns.major)
    try statement.bind(index + 1, columns.minor)
    try statement.bind(index + 2, Int64(bitPattern: fingerprint.high))
    try statement.bind(index + 3, Int64(bitPattern: fingerprint.low))
    try statement.bind(index + 4, Int64(status.rawValue))
  }
}

/// A version in two columns of whole numbers: none is (NULL, NULL), a sequence (number, NULL), a time (seconds, ns).
extension Version {
  init(_ major: Int64?, _ minor: Int64?) {
    switch (major, minor) {
    case (nil, _): self = .none
    case (let number?, nil): self = .sequence(UInt64(bitPattern: number))
    case (let seconds?, let nanoseconds?):
      self = .time(Timestamp(seconds: seconds, nanoseconds: UInt32(clamping: nanoseconds)))
    }
  }

  var columns: (major: Int64?, minor: Int64?) {
    switch self {
    case .none: (nil, nil)
    case .sequence(let number): (Int64(bitPattern: number), nil)
    case .time(let time): (time.seconds, Int64(time.nanoseconds))
    }
  }
}
