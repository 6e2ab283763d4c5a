import SluiceCore

extension Engine {
  /// Moves what the sinks of a job keep of it to another name; nil forgets it. Sinks that are not there, or keep
  /// nothing, are left as they are. The state store's part is the store's own.
  public func moveProgress(in plan: JobPlan, of job: String, to other: String?) async throws {
    for sink in plan.sinks where sink.adapter.capabilities.isTransactional {
      // First only looked at: a sink that is not there is not made.
      let isKept = try await with(sink, of: plan, changesNothing: true) { adapter in
        try await adapter.identity(creating: false) != nil
      }
      guard isKept else { continue }
      _ = try await with(sink, of: plan, changesNothing: false) { adapter in
        try await (adapter as? any Transactional)?.moveProgress(of: job, to: other)
        return true
      }
    }
  }

  private func with(
    _ sink: JobPlan.SinkPlan, of plan: JobPlan, changesNothing: Bool, _ work: (any Writable) async throws -> Bool
  ) async throws -> Bool {
    var opened: [any Adapter] = []
    do {
      let adapter = try await open(
        sink.adapter, role: .sink, plan, RetryTally(), as: (any Writable).self, changesNothing: changesNothing,
        into: &opened)
      let result = try await work(adapter)
      for adapter in opened { await adapter.close() }
      return result
    } catch {
      for adapter in opened { await adapter.close() }
      throw error
    }
  }
}
