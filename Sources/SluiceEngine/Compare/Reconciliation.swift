import SluiceCore

/// What a source lists beside what a sink holds, met key by key as both come in, each in an order of its own.
///
/// Only what has not met its counterpart yet is kept. Where both come in about the same order, that is next to nothing,
/// whatever their number.
struct Reconciliation: Sendable {
  /// Listed, and not seen in the sink yet.
  private var listed: [Key: Fingerprint] = [:]
  /// In the sink, and not listed yet.
  private var held: [Key: Fingerprint] = [:]
  /// Keys that both have, with other content.
  private(set) var different: [Key] = []
  /// Documents that both have alike.
  private(set) var equal = 0
  /// Documents that the sink holds, as far as they were read.
  private(set) var heldCount = 0

  /// Takes a document that the source lists, as the sink would keep it.
  mutating func list(_ key: Key, _ content: Fingerprint) {
    if let other = held.removeValue(forKey: key) { meet(key, content == other) } else { listed[key] = content }
  }

  /// Takes a document that the sink holds.
  mutating func hold(_ key: Key, _ content: Fingerprint) {
    heldCount += 1
    if let other = listed.removeValue(forKey: key) { meet(key, content == other) } else { held[key] = content }
  }

  /// Keys that are not in the sink, in their order. Means something once everything was taken in.
  var missing: [Key] { listed.keys.sorted() }

  /// Keys that only the sink has, in their order. Means something once everything was taken in.
  var extra: [Key] { held.keys.sorted() }

  /// How many documents wait for their counterpart.
  var waiting: Int { listed.count + held.count }

  private mutating func meet(_ key: Key, _ isEqual: Bool) {
    if isEqual { equal += 1 } else { different.append(key) }
  }
}

/// Reads a sink beside a listing, about as fast as the listing comes, and reconciles the two.
actor Reconciler {
  /// How many documents are read from the sink at a time.
  private static let part = 1_000

  private let sink: any Verifiable
  private let timestampDigits: Int
  private var reconciliation = Reconciliation()
  private var place: String?
  private var isAtEnd = false
  private var listedCount = 0
  /// Reads, for tests of what waits at most.
  private(set) var mostWaiting = 0

  init(_ sink: any Verifiable, timestampDigits: Int) {
    self.sink = sink
    self.timestampDigits = timestampDigits
  }

  /// Takes a page of the listing, but for keys that came before. Answers the keys that the sink would not take.
  func list(_ batch: Batch, after earlier: KeySet) async throws -> [Key] {
    let kept = try await sink.asKept(batch)
    for index in kept.indices where kept.isDocument(at: index) && !earlier.contains(kept.keyHash(at: index)) {
      reconciliation.list(kept.key(at: index), kept.fingerprint(at: index, timestampDigits: timestampDigits))
      listedCount += 1
    }
    mostWaiting = max(mostWaiting, reconciliation.waiting)
    while !isAtEnd, reconciliation.heldCount < listedCount { try await readOn() }
    let wanted = batch.indices.filter { batch.isDocument(at: $0) }
    guard kept.count < wanted.count else { return [] }
    let taken = Set(kept.indices.map(kept.key(at:)))
    return wanted.map(batch.key(at:)).filter { !taken.contains($0) }
  }

  /// Reads what is left of the sink, and answers what came of it. May be called again.
  func finish() async throws -> Reconciliation {
    while !isAtEnd { try await readOn() }
    return reconciliation
  }

  private func readOn() async throws {
    let contents = try await sink.contents(after: place, limit: Self.part)
    let batch = contents.batch
    for index in batch.indices where batch.isDocument(at: index) {
      reconciliation.hold(batch.key(at: index), batch.fingerprint(at: index, timestampDigits: timestampDigits))
    }
    guard contents.next == nil || contents.next != place else {
      throw SluiceError(.internal, "the sink names the same place again: \(place ?? "")")
    }
    place = contents.next
    isAtEnd = place == nil
    mostWaiting = max(mostWaiting, reconciliation.waiting)
  }
}

extension Batch {
  /// Whether the entry is a document that is there.
  func isDocument(at index: Int) -> Bool { kind(at: index) == .upsert && !header(at: index).isMissing }

  /// Eight bytes that stand for the entry's key.
  func keyHash(at index: Int) -> UInt64 { withKeyBytes(at: index) { Fingerprint(of: $0).high } }
}
