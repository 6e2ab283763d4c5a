import SluiceCore

/// The query of a request, checked against what its method knows.
struct Parameters: Sendable {
  private var items: [(name: String, value: String)]

  /// Those that every method of Google's REST interfaces takes.
  static let standard = [
    "key", "access_token", "oauth_token", "alt", "$alt", "prettyPrint", "$prettyPrint", "quotaUser", "$.xgafv",
    "uploadType", "upload_protocol", "callback",
  ]

  init(_ items: [(name: String, value: String)], allowing names: [String]) throws(StatusError) {
    for item in items where !names.contains(item.name) && !Self.standard.contains(item.name) {
      throw .invalid(
        "Invalid JSON payload received. Unknown name \"\(item.name)\": Cannot bind query parameter. Field "
          + "'\(item.name)' could not be found in request message.")
    }
    self.items = items
  }

  /// The last of this name.
  func string(_ name: String) -> String? { items.last { $0.name == name }?.value }

  func strings(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  func int(_ name: String) throws(StatusError) -> Int64? {
    guard let text = string(name) else { return nil }
    guard let number = Int64(text), Int32(exactly: number) != nil else { throw mismatch(name, text) }
    return number
  }

  func bool(_ name: String) throws(StatusError) -> Bool? {
    switch string(name) {
    case nil: return nil
    case "true", "1": return true
    case "false", "0": return false
    case let text?: throw mismatch(name, text)
    }
  }

  func timestamp(_ name: String) throws(StatusError) -> Timestamp? {
    guard let text = string(name) else { return nil }
    guard let timestamp = Timestamp(text) else { throw mismatch(name, text) }
    return timestamp
  }

  /// The time of the snapshot that is asked for, in microseconds.
  func readTime() throws(StatusError) -> Int64? { try ReadTime.microseconds(try timestamp("readTime")) }

  /// The precondition of a write.
  func precondition() throws(StatusError) -> Write.Precondition {
    try WriteReader.precondition(
      exists: try bool("currentDocument.exists"), updateTime: try timestamp("currentDocument.updateTime"))
  }

  /// The mask of what to show; nil for everything.
  func mask() throws(StatusError) -> [FieldPath]? {
    let texts = strings("mask.fieldPaths")
    return texts.isEmpty ? nil : try [FieldPath](firestore: texts)
  }

  func refuseTransaction() throws(StatusError) {
    if string("transaction") != nil { throw StatusError(.unimplemented, "Transactions are not supported here.") }
  }

  private func mismatch(_ name: String, _ text: String) -> StatusError {
    .invalid("Invalid value at '\(name)': \"\(text)\"")
  }
}

/// The time of a snapshot as requests name it.
enum ReadTime {
  /// Throws where it is finer than a microsecond.
  static func microseconds(_ timestamp: Timestamp?) throws(StatusError) -> Int64? {
    guard let timestamp else { return nil }
    guard timestamp.nanoseconds % 1000 == 0 else {
      throw .invalid("timestamp cannot have more than microseconds precision")
    }
    return Microseconds.of(timestamp)
  }
}
