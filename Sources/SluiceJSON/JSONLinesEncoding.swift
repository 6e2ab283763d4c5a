import SluiceCore

/// The two encodings of documents as JSON Lines, as the setting `encoding` names them.
public enum JSONLinesEncoding: String, Sendable, CaseIterable, ConfigValue {
  /// Fields at the top level, the key beside them: what other programs expect.
  case plain
  /// The loss-free form, for files that are read back.
  case typed
}

/// Writes documents in either encoding.
///
/// Used by one task at a time.
public struct JSONLinesWriter: ~Copyable {
  // Both, because a switch over a noncopyable enum cannot change its payload in place. The idle one has no memory.
  private var plain: PlainJSONLinesWriter
  private var typed: TypedJSONLinesWriter
  private let encoding: JSONLinesEncoding

  /// A writer. `keyField` is for the plain encoding; `writesDeletes` makes a change log, else deletes are left out.
  public init(_ encoding: JSONLinesEncoding, keyField: String = "_key", writesDeletes: Bool = false) {
    self.encoding = encoding
    plain = PlainJSONLinesWriter(
      keyField: keyField, deletes: writesDeletes ? .write : .skip, capacity: encoding == .plain ? 1 << 16 : 0)
    typed = TypedJSONLinesWriter(deletes: writesDeletes ? .write : .skip, capacity: encoding == .typed ? 1 << 16 : 0)
  }

  /// Writes a batch over what is held, and lends the lines with the number of documents in them. A document with a
  /// field of the key field's name is left out and named in the rejections.
  public mutating func write<R>(
    _ batch: Batch,
    _ body: (_ lines: UnsafeRawBufferPointer, _ documents: Int, _ rejections: [Rejection]) throws -> R
  ) throws -> R {
    let upserts = batch.count(of: .upsert)
    switch encoding {
    case .plain:
      plain.output.removeAll()
      plain.write(batch)
      let rejections = plain.takeRejections().map { Rejection(Key(unchecked: $0.key), $0.error) }
      let missing = batch.indices.count { batch.kind(at: $0) == .upsert && batch.header(at: $0).isMissing }
      return try plain.output.withUnsafeBytes { try body($0, upserts - missing - rejections.count, rejections) }
    case .typed:
      typed.output.removeAll()
      typed.write(batch)
      return try typed.output.withUnsafeBytes { try body($0, upserts, []) }
    }
  }
}
