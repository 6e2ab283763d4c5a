extension Array where Element == UInt8 {
  /// Appends lent bytes.
  @inlinable package mutating func append(_ bytes: Span<UInt8>) {
    // One copy of memory; the pointer does not leave the call.
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Lends the elements. A property would do where the array is a variable; this serves temporaries.
  @inlinable package func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(span)
  }
}

extension Span where Element == UInt8 {
  /// The same bytes.
  package func isEqual(to other: [UInt8]) -> Bool {
    if count != other.count { return false }
    for i in indices where self[i] != other[i] { return false }
    return true
  }
}

extension String {
  /// A string of lent bytes, which must be valid UTF-8 (others are replaced).
  package init(_ utf8: Span<UInt8>) {
    self = utf8.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

/// What a piece of text is made of, found in one pass.
package struct TextScan {
  /// No quote, backslash or control character: it needs no escaping inside a JSON string.
  package var isPlain = true
  /// Nothing above 0x7F.
  package var isASCII = true

  /// Scans text.
  package init(_ utf8: Span<UInt8>) {
    var high: UInt8 = 0
    for i in utf8.indices {
      let byte = utf8[i]
      high |= byte
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { isPlain = false }
    }
    isASCII = high < 0x80
  }

  /// Whether the text is valid UTF-8.
  package static func isUTF8(_ utf8: Span<UInt8>) -> Bool { (try? UTF8Span(validating: utf8)) != nil }
}
