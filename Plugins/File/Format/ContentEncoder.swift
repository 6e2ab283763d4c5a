import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes the bytes of a file out of lines: as they are or as items of an array, compressed or not.
///
/// What a file holds is what `encode` gave, piece after piece, and one `tail` at its end. It may be cut back to the end
/// of any piece.
struct ContentEncoder: ~Copyable {
  private let format: FileFormat
  private var gzip: GzipWriter?
  private var items: [UInt8] = []

  init(_ format: FileFormat, isCompressing: Bool) throws {
    self.format = format
    gzip = isCompressing ? try GzipWriter() : nil
  }

  /// Lends the bytes of whole lines; `isFirst` says that nothing is in the file yet.
  mutating func encode<R>(
    _ lines: UnsafeRawBufferPointer, isFirst: Bool, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    guard lines.count > 0 else { return try body(lines) }
    guard format == .jsonArray else { return try compress(lines, body) }
    items.removeAll(keepingCapacity: true)
    items.append(contentsOf: isFirst ? [0x5B, 0x0A] : [0x2C, 0x0A])
    Self.append(lines, to: &items)
    let bytes = items
    return try bytes.withUnsafeBytes { try compress($0, body) }
  }

  /// What ends a file. Always the same for the same settings.
  mutating func tail(isEmpty: Bool) throws -> [UInt8] {
    switch (format, gzip == nil) {
    case (.jsonLines, true): return []
    case (.jsonLines, false):
      // An empty file is no gzip.
      return isEmpty ? try compressed([]) : []
    case (.jsonArray, _):
      let text: [UInt8] = isEmpty ? [0x5B, 0x5D, 0x0A] : [0x0A, 0x5D, 0x0A]
      return gzip == nil ? text : try compressed(text)
    }
  }

  private mutating func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { bytes in try compress(bytes) { Array($0) } }
  }

  private mutating func compress<R>(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    if let result = try gzip?.member(bytes, body) { return result }
    return try body(bytes)
  }

  /// Puts a comma before each line end but the last, which is left out. A line feed is always a line's end: JSON has
  /// none within a string.
  private static func append(_ lines: UnsafeRawBufferPointer, to items: inout [UInt8]) {
    items.reserveCapacity(items.count + lines.count + lines.count / 64)
    var start = 0
    while start < lines.count {
      let rest = UnsafeRawBufferPointer(rebasing: lines[start...])
      let feed = rest.baseAddress.flatMap { base in memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base } }
      let length = feed ?? rest.count
      if start > 0 { items.append(contentsOf: [0x2C, 0x0A]) }
      items.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<length]))
      start += length + 1
    }
  }
}
