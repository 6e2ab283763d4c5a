/// The identity of a document: its path segments, relative to the root of its source.
///
/// One segment for a flat collection; collection and document names in turn for a group (`rooms/r1/messages/m1`).
/// Keys are equal when their UTF-8 bytes are: `é` composed and `é` decomposed are two keys.
/// They are held as their canonical text: segments joined with `/`, in which `/` and `%` of a segment are written
/// `%2F` and `%25`.
public struct Key: Sendable, Hashable {
  /// The canonical text, as UTF-8.
  public let bytes: [UInt8]

  /// A key of one segment: the id of a document of a flat collection.
  public init(_ id: String) { self.init(segments: CollectionOfOne(id)) }

  /// A key of several segments.
  public init(segments: some Sequence<String>) {
    var bytes: [UInt8] = []
    var isFirst = true
    for segment in segments {
      if !isFirst { bytes.append(Self.slash) }
      isFirst = false
      Self.append(segment.utf8, to: &bytes)
    }
    self.bytes = bytes
  }

  /// A key from its canonical text, as `bytes` holds it and `_key` shows it. Nil when the text is not canonical:
  /// a `%` that is neither `%2F` nor `%25`, or bytes that are not UTF-8.
  public init?(canonical bytes: [UInt8]) {
    guard Self.isCanonical(bytes) else { return nil }
    self.bytes = bytes
  }

  /// A key from canonical bytes that this package made itself.
  package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// The segments, without escapes.
  public var segments: [String] {
    bytes.split(separator: Self.slash, omittingEmptySubsequences: false).map {
      String(decoding: Self.unescaped($0), as: UTF8.self)
    }
  }

  /// The last segment, without escapes: the document's id.
  public var id: String {
    let start = bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
    return String(decoding: Self.unescaped(bytes[start...]), as: UTF8.self)
  }

  /// Lends the canonical text.
  @inlinable public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(bytes.span)
  }
}

extension Key: CustomStringConvertible {
  /// The canonical text.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Key: Comparable {
  /// Segment by segment, each by its UTF-8 bytes (the order of Firestore's `__name__`, but for numeric ids).
  public static func < (a: Key, b: Key) -> Bool { precedes(a.bytes.span, b.bytes.span) }

  /// The order of two canonical texts. A segment's end sorts before any of its bytes.
  @inlinable public static func precedes(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    let shared = min(a.count, b.count)
    var i = 0
    while i < shared, a[i] == b[i] { i += 1 }
    if i == shared { return a.count < b.count }
    if a[i] == 0x2F { return true }
    if b[i] == 0x2F { return false }
    return a[i] < b[i]
  }
}

extension Key {
  private static let slash = UInt8(ascii: "/")

  /// Appends a segment's bytes in canonical form. For sources that build keys from their own bytes.
  public static func append(_ segment: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    for byte in segment {
      switch byte {
      case slash: bytes.append(contentsOf: [0x25, 0x32, 0x46])
      case UInt8(ascii: "%"): bytes.append(contentsOf: [0x25, 0x32, 0x35])
      default: bytes.append(byte)
      }
    }
  }

  /// The segments without escapes, joined with `/`: for stores whose ids hold no slash.
  package static func unescapedPath(_ utf8: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(utf8)
    return unescaped(bytes[...])
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var i = bytes.startIndex
    while i < bytes.endIndex {
      if bytes[i] == UInt8(ascii: "%") {
        result.append(bytes[i + 2] == UInt8(ascii: "F") ? slash : UInt8(ascii: "%"))
        i += 3
      } else {
        result.append(bytes[i])
        i += 1
      }
    }
    return result
  }

  private static func isCanonical(_ bytes: [UInt8]) -> Bool {
    isCanonical(bytes.span) && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether every `%` of valid UTF-8 belongs to `%2F` or `%25`.
  package static func isCanonical(_ utf8: Span<UInt8>) -> Bool {
    var i = 0
    while i < utf8.count {
      if utf8[i] == UInt8(ascii: "%") {
        guard i + 2 < utf8.count, utf8[i + 1] == UInt8(ascii: "2"),
          utf8[i + 2] == UInt8(ascii: "F") || utf8[i + 2] == UInt8(ascii: "5")
        else { return false }
        i += 3
      } else {
        i += 1
      }
    }
    return true
  }
}
