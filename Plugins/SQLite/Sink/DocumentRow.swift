import SluiceCore
import SluiceJSON

/// How a document's fields are written into their column.
public enum DocumentEncoding: String, Sendable, CaseIterable, ConfigValue {
  /// Plain JSON.
  case plain
  /// JSON that names every value's type, as Firestore's REST interface does: nothing is lost.
  case typed
}

/// Makes the columns of one document after the other, in memory that is used again.
struct DocumentRow: ~Copyable {
  /// The columns, lent for the time of a call.
  struct Columns {
    var key: UnsafeBufferPointer<UInt8>
    var document: UnsafeBufferPointer<UInt8>
    var version: (major: Int64?, minor: Int64?)
    var createTime: UnsafeBufferPointer<UInt8>
    var updateTime: UnsafeBufferPointer<UInt8>
  }

  private let encoding: DocumentEncoding
  private var plain = PlainValueWriter(capacity: 4096)
  private var typed = TypedValueWriter(capacity: 4096)
  private var createTime: [UInt8] = []
  private var updateTime: [UInt8] = []

  init(_ encoding: DocumentEncoding) { self.encoding = encoding }

  /// Lends the columns of an upsert. What is bound without a copy must be stepped and reset within `body`.
  mutating func with<R>(_ index: Int, of batch: Batch, _ body: (Columns) throws -> R) throws -> R {
    let header = batch.header(at: index)
    if case .sequence(let number) = header.version, !header.version.fitsColumns {
      throw SluiceError(.rejected, "the version \(number) does not fit 63 bits")
    }
    Self.write(header.createTime, to: &createTime)
    Self.write(header.updateTime, to: &updateTime)
    plain.output.removeAll()
    typed.output.removeAll()
    switch encoding {
    case .plain:
      plain.writeObject(at: index, of: batch)
      return try plain.output.withUnsafeBytes { try lend(index, batch, header, $0, body) }
    case .typed:
      typed.writeObject(at: index, of: batch)
      return try typed.output.withUnsafeBytes { try lend(index, batch, header, $0, body) }
    }
  }

  private static func write(_ time: Timestamp?, to text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    if let time { RFC3339.append(time, to: &text) }
  }

  private func lend<R>(
    _ index: Int, _ batch: Batch, _ header: DocumentHeader, _ document: UnsafeRawBufferPointer,
    _ body: (Columns) throws -> R
  ) throws -> R {
    try batch.withKeyBytes(at: index) { (key) throws -> R in
      try key.withUnsafeBufferPointer { key in
        try createTime.withUnsafeBufferPointer { createTime in
          try updateTime.withUnsafeBufferPointer { updateTime in
            try document.withMemoryRebound(to: UInt8.self) { document in
              try body(
                Columns(
                  key: key, document: document, version: header.version.columns, createTime: createTime,
                  updateTime: updateTime))
            }
          }
        }
      }
    }
  }
}

extension Version {
  /// Whether the columns of a version can hold it.
  var fitsColumns: Bool { if case .sequence(let number) = self { number <= UInt64(Int64.max) } else { true } }
}

extension Statement {
  /// Binds a row's columns to parameters 1…6, without a copy.
  func lend(_ row: DocumentRow.Columns) throws {
    try lend(1, text: row.key)
    try lend(2, text: row.document)
    try bind(3, row.version.major)
    try bind(4, row.version.minor)
    if row.createTime.isEmpty { try bindNull(5) } else { try lend(5, text: row.createTime) }
    if row.updateTime.isEmpty { try bindNull(6) } else { try lend(6, text: row.updateTime) }
  }
}
