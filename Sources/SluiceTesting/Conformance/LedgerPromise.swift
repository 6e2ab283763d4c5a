import SluiceCore

/// A ledger that is open, and the way by which it learns.
struct OpenLedger: Sendable {
  let ledger: any Ledger
  let identity: SinkIdentity
  let learn: @Sendable (LedgerPage) async throws -> Void
}

/// Where a ledger is kept.
protocol LedgerHost: Sendable {
  /// Lends the ledger. What it learnt stays for the next time.
  func open(_ body: @Sendable (OpenLedger) async throws -> Void) async throws
}

/// What every ledger promises, wherever it is kept: see `Ledger`.
struct LedgerPromise: Sendable {
  let name: String
  let body: @Sendable (any LedgerHost) async throws -> Void

  static let all: [LedgerPromise] = [
    LedgerPromise(name: "its ledger knows nothing at first") { host in
      try await host.open { open in
        let entries = try await open.ledger.entries(for: batch(0..<2))
        try expect(entries == [nil, nil], "it knows \(entries)")
        let (live, rows) = (try await open.ledger.liveCount(), try await unseen(open.ledger, 1))
        try expect(live == 0 && rows.isEmpty, "it counts \(live) and \(rows)")
      }
    },
    LedgerPromise(name: "its ledger keeps what it learnt, key by key, when it is opened again") { host in
      let pages = try [batch(0..<5), batch(3..<7, revision: 1)]
      try await host.open { open in
        for batch in pages { try await open.learn(.sample(batch, identity: open.identity)) }
      }
      try await host.open { open in
        let entries = try await open.ledger.entries(for: batch(0..<8))
        let wanted = try [batch(0..<3), batch(3..<7, revision: 1)].flatMap {
          LedgerPage.sample($0, identity: open.identity).updates
        }
        try expect(entries == wanted + [nil], "it knows \(entries)")
        let count = try await open.ledger.liveCount()
        try expect(count == 7, "it counts \(count) live keys of 7")
      }
    },
    LedgerPromise(name: "its ledger names the live keys that a generation has not seen, each once, in parts") { host in
      try await host.open { open in
        try await open.learn(.sample(batch(0..<9), identity: open.identity, generation: 1))
        try await open.learn(.sample(batch(3..<5), identity: open.identity, generation: 2, updating: false))
        try await open.learn(.sample(batch(5..<6, revision: 1), identity: open.identity, generation: 2))
      }
      try await host.open { open in
        let rows = try await unseen(open.ledger, 2)
        let wanted = try batch(0..<3).map(\.key) + batch(6..<9).map(\.key)
        try expect(rows.map(\.key).sorted() == wanted, "it names \(rows.map(\.key))")
        try expect(rows.allSatisfy { $0.entry.status == .live }, "it names keys that are not live")
        let none = try await unseen(open.ledger, 1).map(\.key)
        try expect(try Set(none).isSubset(of: batch(0..<9).map(\.key)), "it names keys it never learnt")
      }
    },
    LedgerPromise(name: "its ledger keeps a tombstone, neither live nor unseen") { host in
      try await host.open { open in
        try await open.learn(.sample(batch(0..<2), identity: open.identity))
        let version = Version.time(Timestamp(seconds: 1_800_000_000, nanoseconds: 5))
        let delete = try Batch.of([.delete(key: document(0).key, version: version)])
        try await open.learn(.sample(delete, identity: open.identity, generation: 2))
        let entry = try await open.ledger.entries(for: delete).first
        try expect(entry??.status == .tombstone && entry??.version == version, "it knows \(String(describing: entry))")
        let (live, rows) = (try await open.ledger.liveCount(), try await unseen(open.ledger, 2))
        try expect(live == 1 && rows.map(\.key) == [document(1).key], "it counts \(live), and names \(rows.map(\.key))")
      }
    },
  ]

  /// All unseen keys, asked for in parts.
  static func unseen(_ ledger: any Ledger, _ generation: UInt64) async throws -> [LedgerRow] {
    var rows: [LedgerRow] = []
    while true {
      let part = try await ledger.unseen(generation: generation, after: rows.last?.key, limit: 2)
      try expect(part.count <= 2, "two keys were asked for, \(part.count) came")
      if part.isEmpty { return rows }
      rows += part
      try expect(rows.count <= 100, "the keys come again and again")
    }
  }

  private static func document(_ number: Int, revision: Int = 0) -> Document {
    let time = Timestamp(seconds: 1_700_000_000 + Int64(revision), nanoseconds: 123_456_789)
    return Document(
      key: Key("k\(number)"), header: DocumentHeader(version: .time(time)),
      [Field("n", .int(Int64(number))), Field("text", .string("revision \(revision)"))])
  }

  static func batch(_ numbers: Range<Int>, revision: Int = 0) throws -> Batch {
    try .of(numbers.map { document($0, revision: revision) })
  }
}
