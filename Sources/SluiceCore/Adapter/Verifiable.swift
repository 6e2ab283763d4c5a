/// A sink whose content can be read back: what `verify`, `plan` and `state adopt` compare a source with.
///
/// An author implements `contents(after:limit:)`, and `asKept(_:)` where writing and reading back loses something.
public protocol Verifiable: Writable {
  /// The documents that the target shows now, at most `limit` of them, from after a place on; never those of a stage.
  ///
  /// Called with nil, then with the place that each page names, by one task, until one names none. Any order will do, but
  /// comparing takes the least memory where it is the order in which documents were written, or that of the keys. A
  /// target that is not there is empty. What `deletes: soft` only marked is left out. Where the target changes meanwhile,
  /// each document that stays comes once.
  func contents(after place: String?, limit: Int) async throws -> Contents

  /// The batch as the sink would give it back: with what its encoding loses lost. Entries that the sink would not take
  /// because of their content are left out of it. May be called from any task.
  func asKept(_ batch: Batch) async throws -> Batch
}

extension Verifiable {
  /// Nothing is lost.
  public func asKept(_ batch: Batch) async throws -> Batch { batch }
}

/// A part of what a sink shows.
public struct Contents: Sendable {
  /// The documents.
  public var batch: Batch
  /// Where the next part begins, in the sink's own words; nil where nothing follows.
  public var next: String?

  /// A part of what a sink shows.
  public init(_ batch: Batch, next: String?) {
    self.batch = batch
    self.next = next
  }
}
