import SluiceCore

/// What becomes of documents that cannot be taken because of their content.
extension JobRun {
  /// Reports documents that a transform or a sink could not take; throws the first where the job is to stop at one.
  /// `batch` holds them as the sink got them.
  func report(_ rejections: [Rejection], page: Int?, by sink: String? = nil, of batch: Batch = Batch()) async throws {
    for rejection in rejections {
      var place = place(page: page)
      if let sink { place.component = sink }
      place.key = rejection.key.description
      let error = rejection.error.at(place)
      try stopIfWanted(at: error)
      environment.observe(.rejected(job: plan.name, Rejection(rejection.key, error)))
      try await keep(error, key: rejection.key, document: document(of: rejection.key, in: batch))
    }
  }

  /// Leaves out parts of a page that could not be read.
  func leaveOut(unreadable errors: [SluiceError], page: Int) async throws {
    for error in errors {
      let error = error.at(place(page: page))
      try stopIfWanted(at: error)
      environment.observe(.unreadable(job: plan.name, error))
      try await keep(error, key: nil, document: nil)
    }
    checkpoint.listing.noteUnreadable(errors.count)
  }

  private func stopIfWanted(at error: SluiceError) throws {
    guard plan.onReject == .stop else { return }
    var error = error
    let advice = "nothing was published; on_reject: skip or dead_letter leaves such documents out"
    error.hint = error.hint.map { "\($0); \(advice)" } ?? advice
    throw error
  }

  private func keep(_ error: SluiceError, key: Key?, document: Document?) async throws {
    try await deadLetters?.add(
      DeadLetter(
        job: plan.name, generation: checkpoint.listing.generation, time: environment.now(), key: key, error: error,
        document: document))
  }

  private func document(of key: Key, in batch: Batch) -> Document? {
    guard deadLetters != nil, plan.deadLetters.keepsDocuments else { return nil }
    let index = batch.indices.first { batch.kind(at: $0) == .upsert && batch.key(at: $0) == key }
    guard let index, case .upsert(let document) = batch[index] else { return nil }
    return document
  }
}
