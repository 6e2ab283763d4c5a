import SluiceCore

/// The exit code of a command's work. An error is told, and its category is the code.
func exitCode(
  telling tell: (SluiceError) -> Void, _ work: () async throws -> Int32
) async -> Int32 {
  do {
    return try await work()
  } catch {
    let error = error as? SluiceError ?? SluiceError(.internal, "\(error)")
    tell(error)
    return error.exitCode
  }
}

extension SluiceError {
  /// What the process ends with.
  var exitCode: Int32 { Int32(code.category.rawValue) }
}
