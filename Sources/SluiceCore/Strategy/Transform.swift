/// Maps each document to one of the same key, or leaves it out.
///
/// The engine makes one instance per lane and calls it from one task at a time, synchronously, with a whole batch.
public protocol Transform: Component {
  /// A transform with these settings. Throws where they cannot work (a script that does not compile).
  init(_ config: Config) throws

  /// Edits the batch in place.
  ///
  /// A document that cannot be transformed because of its content is added to `rejections` with key and field, and left
  /// out; what then happens is the job's `on_reject`. Deletes pass through untouched. Throws only where no document
  /// could be transformed.
  func apply(to batch: inout Batch, rejections: inout [Rejection]) throws
}
