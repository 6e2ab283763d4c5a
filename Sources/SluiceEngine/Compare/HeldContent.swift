import SluiceCore

/// All that a sink holds, by fingerprints: 24 bytes a document, and what a table needs around them.
struct HeldContent: Sendable {
  private var content: [UInt64: Fingerprint] = [:]
  private let sink: any Verifiable
  private let timestampDigits: Int

  /// Reads the sink whole.
  init(of sink: any Verifiable, timestampDigits: Int) async throws {
    self.sink = sink
    self.timestampDigits = timestampDigits
    var place: String?
    repeat {
      try Task.checkCancellation()
      let part = try await sink.contents(after: place, limit: 1_000)
      for index in part.batch.indices where part.batch.isDocument(at: index) {
        content[part.batch.keyHash(at: index)] = part.batch.fingerprint(at: index, timestampDigits: timestampDigits)
      }
      place = part.next
    } while place != nil
  }

  /// The places of those documents of a batch that the sink holds with the same content.
  func matches(in batch: Batch) async throws -> Set<Int> {
    let kept = try await sink.asKept(batch)
    var places: [UInt64: Int] = [:]
    for index in batch.indices where batch.isDocument(at: index) { places[batch.keyHash(at: index)] = index }
    var matches: Set<Int> = []
    for index in kept.indices where kept.isDocument(at: index) {
      let hash = kept.keyHash(at: index)
      guard let place = places[hash],
        content[hash] == kept.fingerprint(at: index, timestampDigits: timestampDigits)
      else { continue }
      matches.insert(place)
    }
    return matches
  }
}
