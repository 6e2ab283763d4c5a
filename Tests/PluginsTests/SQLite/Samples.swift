import SluiceCore
import Testing

@testable import SluiceSQLite

/// Documents, pages and checkpoints for tests.
enum Samples {
  static func batch(_ keys: [String], _ text: String = "text", version: Version = .none) throws -> Batch {
    var builder = BatchBuilder()
    for key in keys {
      builder.add(
        key: Key(key), header: DocumentHeader(version: version),
        [Field("name", .string(key)), Field("text", .string(text))])
    }
    return try builder.finish()
  }

  static func keys(_ range: Range<Int>) -> [String] { range.map { String(($0 + 1_000_000)) } }

  static func deletes(_ keys: [String], version: Version = .none) throws -> Batch {
    var builder = BatchBuilder()
    for key in keys { builder.delete(key: Key(key), version: version) }
    return try builder.finish()
  }

  /// A page of which every document was written.
  static func page(
    _ batch: Batch, identity: SinkIdentity, generation: UInt64 = 1, status: LedgerEntry.Status = .live,
    updating: Bool = true
  ) -> LedgerPage {
    let updates = batch.indices.map { index in
      updating
        ? LedgerEntry(
          version: batch.header(at: index).version, fingerprint: batch.fingerprint(at: index), status: status)
        : nil
    }
    return LedgerPage(
      sink: "sink", identity: identity, batch: batch, updates: updates,
      seen: Array(repeating: status != .tombstone, count: batch.count), generation: generation)
  }

  static func checkpoint(_ revision: UInt64, generation: UInt64 = 1, job: String = "job") -> Checkpoint {
    Checkpoint(
      job: job, revision: revision, source: FrozenRequest([.init("collection", "users")]),
      paging: RunningDigest().value, phase: .snapshot(watchFrom: nil),
      listing: Listing(generation: generation, frozen: FrozenRequest(), order: .byKey), sinks: ["sink": .init()])
  }

  /// The proof that only a listing gives.
  static func proof(_ generation: UInt64) throws -> CompleteListing {
    let listing = Listing(
      generation: generation, frozen: FrozenRequest(), order: .byKey,
      partitions: [.init(range: .all, progress: .ended(.noToken), pages: 1)], taint: nil)
    return try listing.finish().get()
  }
}

func fingerprints(_ range: Range<UInt64>) -> [Fingerprint] { range.map { Fingerprint(high: $0, low: ~$0) } }

/// The error of a step that must fail.
func failure(_ body: () async throws -> Void, at location: SourceLocation = #_sourceLocation) async throws
  -> SluiceError
{
  do {
    try await body()
  } catch {
    return try #require(error as? SluiceError, sourceLocation: location)
  }
  Issue.record("it did not fail", sourceLocation: location)
  throw SluiceError(.internal, "it did not fail")
}
