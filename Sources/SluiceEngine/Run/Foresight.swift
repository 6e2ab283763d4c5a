import SluiceCore

/// What becomes of a replaced set when nothing is to be replaced: foreseen by a plan, or adopted as it is.
extension JobRun {
  /// Finds out whether a run would swap the set in, and whether its budget would let it.
  func foresee(_ stage: StageMark, in sink: any Publishing, report index: Int) async throws {
    let sinkPlan = plan.sinks[index]
    if let cursor = checkpoint.sinks[sinkPlan.name], cursor.shape == sinkPlan.shape, let before = cursor.publication,
      let reconciler = (sink as? ShadowSink)?.reconciler, try await reconciler.finish().isSame,
      try await sink.shows(before)
    {
      report.sinks[index].wasCurrent = true
      return
    }
    try budget.check(writes: stage.documents)
  }

  /// Takes the set that a sink shows for the one that this listing made, where it is just that.
  func adopt(_ stage: StageMark, in sink: any Publishing, by proof: CompleteListing, report index: Int) async throws {
    let name = plan.sinks[index].name
    let publication = Publication(generation: proof.generation, content: stage)
    if try await sink.shows(publication) {
      checkpoint.sinks[name]?.publication = publication
      report.sinks[index].wasCurrent = true
      report.sinks[index].unchanged = stage.documents
    } else {
      note("sink \(name) does not show just what a run would write: the next run replaces it, once")
    }
    try await sink.discardStage()
  }
}

extension Reconciliation {
  /// Whether both sides have the same documents with the same content.
  var isSame: Bool { waiting == 0 && different.isEmpty }
}
