import SluiceCore

/// A job's state while it is planned or verified: what was saved is read, and only what is spent is saved.
struct ShadowState: JobState {
  let base: any JobState
  let store: any StateStore
  /// Keys that the listing has brought.
  let listed: KeySet
  let sinks: [ShadowSink]

  func checkpoint() async throws -> Checkpoint? { try await base.checkpoint() }

  func save(_ commit: StateCommit) async throws {
    try await store.charge(commit.charges)
    if let page = commit.page { listed.insert(page.keys.map(\.high)) }
    for page in commit.ledgers { await shadow(of: page.sink)?.ledger.learn(page) }
  }

  /// Only listings that were begun before have any.
  func requests(generation: UInt64) async throws -> [Fingerprint] { [] }

  func countUnseen(_ keys: [Fingerprint], generation: UInt64) async throws -> Int { listed.countOthers(keys) }

  func ledger(sink: String, identity: SinkIdentity) async throws -> any Ledger {
    guard let shadow = shadow(of: sink) else { throw SluiceError(.internal, "there is no shadow of sink \(sink)") }
    return shadow.ledger
  }

  func record(_ run: RunRecord) async throws {}

  /// The job's state goes on to be held.
  func close() async {}

  private func shadow(of sink: String) -> ShadowSink? { sinks.first { $0.sinkName == sink } }
}
