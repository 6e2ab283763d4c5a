import SluiceCore

/// Keeps a run from wiping a mirror by accident: deletes by absence stay under a cap, and an empty source is not
/// believed.
struct DeleteGuard {
  var limit: CountOrPercentage
  var allowsEmpty: Bool

  /// Deletes that pass whatever share is allowed, unless they are all there is: a share of a small number is next to
  /// nothing. A cap that is a number holds as it stands.
  static let free = 3

  /// Throws `too_many_deletes` where `deletes` of `held` documents are more than the cap allows.
  func check(deletes: Int, of held: Int, sink: String) throws {
    if deletes == 0 { return }
    if case .percentage = limit, deletes <= Self.free, deletes < held { return }
    let most = limit.limit(of: held)
    if deletes <= most { return }
    throw SluiceError(
      .tooManyDeletes,
      "\(deletes) of \(held) documents of sink \(sink) are gone from the source, more than max_delete allows (\(most))",
      hint: "nothing was deleted or replaced; if it is right, allow it once with --max-delete \(deletes)")
  }

  /// Throws `empty_source` where a listing brought nothing and a sink holds something.
  func check(documents: Int, sinkIsEmpty: Bool, sink: String) throws {
    guard documents == 0, !allowsEmpty, !sinkIsEmpty else { return }
    throw SluiceError(
      .emptySource, "the source has no documents, but sink \(sink) has",
      hint: "nothing was deleted or replaced; if it is right, set limits: { allow_empty: true }")
  }
}
