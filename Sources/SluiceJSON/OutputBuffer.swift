import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Bytes on their way out: grows as needed, and is emptied and used again.
///
/// Owns its memory; the pointer never leaves but into closures. Used by one task at a time.
public struct OutputBuffer: ~Copyable {
  // A pointer in place of an array: a writer appends several small pieces for each value.
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes it holds.
  public private(set) var count = 0

  /// An empty buffer with room for so many bytes.
  public init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Whether it holds nothing.
  public var isEmpty: Bool { count == 0 }

  /// A copy of what it holds.
  public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

  /// Lends what it holds.
  public func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(UnsafeBufferPointer(start: base, count: count).span)
  }

  /// Lends what it holds to a C function, such as `write`.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Forgets what it holds and keeps its memory.
  public mutating func removeAll() { count = 0 }

  /// Cuts back to a length it had before.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    self.count = count
  }

  /// Appends a byte.
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends bytes.
  @inline(__always) public mutating func append(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    let target = base + count
    bytes.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { memcpy(target, start, source.count) }
    }
    count += bytes.count
  }

  /// Appends a literal text.
  @inline(__always) public mutating func append(_ literal: StaticString) {
    reserve(literal.utf8CodeUnitCount)
    memcpy(base + count, literal.utf8Start, literal.utf8CodeUnitCount)
    count += literal.utf8CodeUnitCount
  }

  /// Makes room for so many bytes more.
  @inline(__always) mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  @inline(never) private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
  }
}

/// Pieces of JSON.
extension OutputBuffer {
  /// Appends a string with its quotes; `isPlain` promises that it needs no escapes.
  @inline(__always) public mutating func appendString(_ utf8: Span<UInt8>, isPlain: Bool = false) {
    if isPlain {
      reserve(utf8.count + 2)
      base[count] = 0x22
      let target = base + count + 1
      utf8.withUnsafeBufferPointer { source in
        if let start = source.baseAddress { memcpy(target, start, source.count) }
      }
      count += utf8.count + 2
      base[count - 1] = 0x22
    } else {
      appendEscaped(utf8)
    }
  }

  /// Appends a string with quotes and escapes: `\"`, `\\`, control characters; everything else as it is.
  @inline(never) private mutating func appendEscaped(_ utf8: Span<UInt8>) {
    append(0x22)
    utf8.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      var i = 0
      while i < source.count {
        let run = Self.plainRun(start + i, source.count - i)
        append(UnsafeBufferPointer(start: start + i, count: run).span)
        i += run
        if i < source.count {
          appendEscape(start[i])
          i += 1
        }
      }
    }
    append(0x22)
  }

  /// How many bytes there are before one that needs an escape.
  private static func plainRun(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
    var i = 0
    while i + 8 <= count {
      let word = UnsafeRawPointer(start + i).loadUnaligned(as: UInt64.self).littleEndian
      let stops = Parser.stops(in: word)
      if stops != 0 { return i + stops.trailingZeroBitCount >> 3 }
      i += 8
    }
    while i < count, start[i] >= 0x20, start[i] != 0x22, start[i] != 0x5C { i += 1 }
    return i
  }

  private mutating func appendEscape(_ byte: UInt8) {
    append(0x5C)
    switch byte {
    case 0x22, 0x5C: append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      append("u00")
      for digit in [byte >> 4, byte & 15] { append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10) }
    }
  }

  /// Appends a whole number.
  public mutating func append(number value: Int64) {
    reserve(20)
    if value < 0 { append(0x2D) }
    var rest = value.magnitude
    var width = 1
    var limit: UInt64 = 10
    while rest >= limit, width < 20 {
      width += 1
      if width < 20 { limit *= 10 }
    }
    for place in stride(from: count + width - 1, through: count, by: -1) {
      base[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += width
  }

  /// Appends a finite double in the shortest spelling that reads back as the same number.
  public mutating func append(number value: Double) {
    precondition(value.isFinite)
    for byte in value.description.utf8 { append(byte) }
  }

  /// Appends a time by RFC 3339, without quotes.
  public mutating func append(time: Timestamp) {
    var text = InlineArray<40, UInt8>(repeating: 0)
    let length = RFC3339.write(time, to: &text)
    append(text.span.extracting(0..<length))
  }

  /// Appends bytes as base64, without quotes.
  public mutating func appendBase64(_ bytes: Span<UInt8>) {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    Base64.append(bytes, to: &text)
    append(text.span)
  }

  /// Appends JSON without the white space between its tokens, so that it stays on one line.
  mutating func appendRaw(_ json: Span<UInt8>) { append(RawJSON.compacted(json).span) }
}
