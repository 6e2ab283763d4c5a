extension ValueVisitor where Self: ~Copyable {
  /// Reads the text and passes the scalar to `value(_:)`.
  @inlinable public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    switch spelling {
    case .string, .plainString: value(.string(utf8))
    case .reference, .plainReference: value(.reference(utf8))
    case .decimal: value(.decimal(utf8))
    case .int: value(.int(CanonicalText.int(utf8)))
    case .double: value(.double(CanonicalText.double(utf8)))
    case .timestamp: value(.timestamp(CanonicalText.timestamp(utf8)))
    case .base64:
      let bytes = CanonicalText.bytes(utf8)
      value(.bytes(bytes.span))
    }
  }
}

/// Reads the text that a tape holds. It was checked when it came onto the tape, so reading cannot fail.
@usableFromInline enum CanonicalText {
  @usableFromInline static func int(_ utf8: Span<UInt8>) -> Int64 { NumberText.int(utf8) ?? 0 }
  @usableFromInline static func double(_ utf8: Span<UInt8>) -> Double { NumberText.double(utf8) }
  @usableFromInline static func timestamp(_ utf8: Span<UInt8>) -> Timestamp {
    RFC3339.parse(utf8) ?? Timestamp(seconds: 0, nanoseconds: 0)
  }
  @usableFromInline static func bytes(_ utf8: Span<UInt8>) -> [UInt8] { Base64.decode(utf8) ?? [] }
}
