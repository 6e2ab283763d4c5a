import CSQLite
import SluiceCore

/// A prepared statement: bind, step, read columns, reset. Belongs to its connection and is used under its guard.
final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection

  init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  /// Ends it. Called once, by the connection.
  func finalize() { _ = sqlite3_finalize(handle) }

  /// Steps once: whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = connection.failure(code)
      reset()
      throw error
    }
  }

  /// Steps to the end, and makes it ready for the next time.
  func run() throws {
    defer { reset() }
    while try step() {}
  }

  /// Makes it ready for the next time. What its last step said was said by `step()`.
  func reset() { _ = sqlite3_reset(handle) }

  private func check(_ code: Int32) throws { if code != SQLITE_OK { throw connection.failure(code) } }
}

/// Parameters, counted from 1.
extension Statement {
  func bind(_ values: [Binding]) throws {
    for (index, value) in values.enumerated() {
      let index = Int32(index + 1)
      switch value {
      case .null: try bindNull(index)
      case .int(let number): try bind(index, number)
      case .text(let text): try text.utf8.span.withUnsafeBufferPointer { try bindCopy(index, text: $0) }
      case .blob(let bytes): try bytes.withUnsafeBufferPointer { try bindCopy(index, blob: $0) }
      }
    }
  }

  func bindNull(_ index: Int32) throws { try check(sqlite3_bind_null(handle, index)) }

  func bind(_ index: Int32, _ number: Int64) throws { try check(sqlite3_bind_int64(handle, index, number)) }

  /// Binds a time as RFC 3339 text.
  func bind(_ index: Int32, _ time: Timestamp) throws {
    var text: [UInt8] = []
    RFC3339.append(time, to: &text)
    try text.withUnsafeBufferPointer { try bindCopy(index, text: $0) }
  }

  func bind(_ index: Int32, _ number: Int64?) throws {
    if let number { try bind(index, number) } else { try bindNull(index) }
  }

  /// Binds bytes without a copy. They must stay where they are until the statement is reset: step and reset inside the
  /// closure that lent them.
  func lend(_ index: Int32, blob bytes: UnsafeBufferPointer<UInt8>) throws {
    // A null pointer would bind NULL: bytes that are none have a place too.
    let code = withUnsafePointer(to: 0 as UInt8) { nothing in
      bytes.isEmpty
        ? sluice_bind_blob_copy(handle, index, nothing, 0)
        : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }
    try check(code)
  }

  /// Binds UTF-8 without a copy; see `lend(_:blob:)`.
  func lend(_ index: Int32, text utf8: UnsafeBufferPointer<UInt8>) throws {
    guard !utf8.isEmpty else { return try bindCopy(index, text: utf8) }
    let code = utf8.withMemoryRebound(to: CChar.self) {
      sqlite3_bind_text64(handle, index, $0.baseAddress, UInt64($0.count), nil, UInt8(SQLITE_UTF8))
    }
    try check(code)
  }

  private func bindCopy(_ index: Int32, text utf8: UnsafeBufferPointer<UInt8>) throws {
    let code = utf8.withMemoryRebound(to: CChar.self) { text in
      withUnsafePointer(to: 0 as CChar) { nothing in
        sluice_bind_text_copy(handle, index, text.baseAddress ?? nothing, UInt64(text.count))
      }
    }
    try check(code)
  }

  private func bindCopy(_ index: Int32, blob bytes: UnsafeBufferPointer<UInt8>) throws {
    let code = withUnsafePointer(to: 0 as UInt8) { nothing in
      sluice_bind_blob_copy(handle, index, bytes.baseAddress ?? nothing, UInt64(bytes.count))
    }
    try check(code)
  }
}

/// Columns of the present row, counted from 0.
extension Statement {
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

  func text(_ column: Int32) -> String { withText(column) { String(decoding: $0, as: UTF8.self) } }

  func blob(_ column: Int32) -> [UInt8] { withBlob(column) { Array($0) } }

  /// Lends a column's bytes. They end with the next step.
  func withBlob<R>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    let bytes = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeBufferPointer(start: bytes?.assumingMemoryBound(to: UInt8.self), count: count))
  }

  /// Lends a column's text as UTF-8, which may hold NUL. It ends with the next step.
  func withText<R>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    let text = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeBufferPointer(start: text, count: count))
  }
}
