import SluiceCore

/// One id of a path: of a collection or of a document. Equal when the UTF-8 bytes are.
///
/// In the order of `__name__`: ids of the form `__id<number>__` first, by their number, then all others by their bytes.
struct Segment: Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  /// The number of an id of the form `__id<int64>__`.
  var number: Int64? {
    let utf8 = text.utf8
    guard utf8.count > 6, utf8.first == UInt8(ascii: "_"), text.hasPrefix("__id"), text.hasSuffix("__") else {
      return nil
    }
    let digits = String(utf8.dropFirst(4).dropLast(2)) ?? ""
    guard let number = Int64(digits), String(number) == digits else { return nil }
    return number
  }

  /// Throws INVALID_ARGUMENT unless this can be an id.
  func validate() throws(StatusError) {
    func refuse(_ why: String) -> StatusError { .invalid("Resource id \"\(text)\" is invalid because it \(why).") }
    let utf8 = text.utf8
    if utf8.isEmpty { throw refuse("is empty") }
    if utf8.count > 1500 { throw .invalid("A resource id is longer than 1500 bytes.") }
    if utf8.contains(UInt8(ascii: "/")) { throw refuse("contains \"/\"") }
    if text == "." || text == ".." { throw refuse("is \".\" or \"..\"") }
    if utf8.count >= 4, text.hasPrefix("__"), text.hasSuffix("__"), number == nil { throw refuse("is reserved") }
  }
}

extension Segment: Hashable {
  static func == (a: Segment, b: Segment) -> Bool { a.text.hasSameBytes(as: b.text) }

  func hash(into hasher: inout Hasher) {
    // `String` hashes its canonical form, and would be slower and no more exact.
    if text.utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}

extension Segment: Comparable {
  static func < (a: Segment, b: Segment) -> Bool {
    switch (a.number, b.number) {
    case (let x?, let y?): x < y
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil): a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }
  }
}
