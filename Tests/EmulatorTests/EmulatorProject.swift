import Testing

extension Trait where Self == ConditionTrait {
  /// For tests that talk to Google's emulator.
  static var needsEmulator: Self {
    .enabled(if: RemoteFirestore.emulator != nil, "needs Google's Firestore emulator (SLUICE_EMULATOR)")
  }
}

/// Runs a test in a project of its own of Google's emulator, whose databases are wiped at the end, however it comes.
func withEmulatorProject(
  databases: [String] = [], _ body: (RemoteFirestore) async throws -> Void
) async throws {
  let host = try #require(RemoteFirestore.emulator)
  let project = "sluice-test-\(UInt64.random(in: 0...UInt64.max))"
  let emulator = try RemoteFirestore(origin: "http://\(host)", project: project)
  let result: Result<Void, any Error>
  do { result = .success(try await body(emulator)) } catch { result = .failure(error) }
  defer { emulator.transport.close() }
  do {
    for database in ["(default)"] + databases { try await emulator.database(database).wipe() }
  } catch {
    try result.get()
    throw error
  }
  try result.get()
}
