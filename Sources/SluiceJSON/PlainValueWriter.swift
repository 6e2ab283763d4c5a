import SluiceCore

// For memcmp.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes plain JSON of the values it is spoken to.
///
/// What JSON lacks is written so: `int` and `decimal` as numbers, doubles in the spelling of their source or else the
/// shortest; NaN and the infinities as the strings `"NaN"`, `"Infinity"`, `"-Infinity"`; times by RFC 3339; bytes as
/// base64; references as the path behind `/documents/`, where they have one; geo points as
/// `{"latitude": …, "longitude": …}`; vectors as arrays; values of unknown kinds as their JSON.
public struct PlainValueWriter: ValueVisitor, ~Copyable {
  /// What was written.
  public var output: OutputBuffer
  /// The next name or item needs a comma in front.
  var needsComma = false
  /// Which number of a geo point comes next: 1 the latitude, 2 the longitude, 0 none.
  private var coordinate = 0

  /// A writer with an empty buffer.
  public init(capacity: Int = 4096) { output = OutputBuffer(capacity: capacity) }

  @inline(__always) private mutating func separate() {
    if needsComma { output.append(0x2C) }
    needsComma = true
  }

  /// Writes a name and its colon.
  @inline(__always) public mutating func name(_ utf8: Span<UInt8>, plain: Bool) {
    separate()
    output.appendString(utf8, isPlain: plain)
    output.append(0x3A)
    needsComma = false
  }

  /// Writes a scalar.
  public mutating func value(_ scalar: Scalar) {
    if case .double(let number) = scalar { return double(number) }
    separate()
    switch scalar {
    case .null: output.append("null")
    case .bool(let value): output.append(value ? "true" : "false")
    case .int(let value): output.append(number: value)
    case .double: break
    case .decimal(let text): output.append(text)
    case .timestamp(let time):
      output.append(0x22)
      output.append(time: time)
      output.append(0x22)
    case .string(let text): output.appendString(text)
    case .bytes(let bytes):
      output.append(0x22)
      output.appendBase64(bytes)
      output.append(0x22)
    case .reference(let name): reference(name, isPlain: false)
    case .unknown(_, let raw): output.appendRaw(raw)
    }
  }

  /// Copies a scalar's text.
  @inline(__always) public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    switch spelling {
    case .plainString, .timestamp, .base64:
      separate()
      output.appendString(utf8, isPlain: true)
    case .string:
      separate()
      output.appendString(utf8)
    case .int, .decimal:
      separate()
      output.append(utf8)
    case .double:
      if coordinate == 0 { separate() } else { nextCoordinate() }
      output.append(utf8)
    case .reference, .plainReference:
      separate()
      reference(utf8, isPlain: spelling == .plainReference)
    }
  }

  /// Opens a container.
  public mutating func begin(_ container: Container) {
    separate()
    switch container {
    case .map: output.append(0x7B)
    case .array, .vector: output.append(0x5B)
    case .geoPoint:
      output.append(0x7B)
      coordinate = 1
    }
    needsComma = false
  }

  /// Closes a container.
  public mutating func end(_ container: Container) {
    switch container {
    case .map: output.append(0x7D)
    case .array, .vector: output.append(0x5D)
    case .geoPoint:
      output.append(0x7D)
      coordinate = 0
    }
    needsComma = true
  }

  private mutating func nextCoordinate() {
    output.append(coordinate == 1 ? "\"latitude\":" : ",\"longitude\":")
    coordinate += 1
  }

  private mutating func double(_ value: Double) {
    if coordinate == 0 { separate() } else { nextCoordinate() }
    output.appendJSON(value)
  }

  private mutating func reference(_ name: Span<UInt8>, isPlain: Bool) {
    let start = Self.pathStart(of: name)
    output.appendString(name.extracting(start..<name.count), isPlain: isPlain)
  }

  /// Where the path begins in `projects/P/databases/D/documents/PATH`; 0 in other texts.
  private static func pathStart(of name: Span<UInt8>) -> Int {
    let separator: StaticString = "/documents/"
    let length = separator.utf8CodeUnitCount
    return name.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress, bytes.count > length else { return 0 }
      for start in 0..<bytes.count - length where base[start] == 0x2F {
        if memcmp(base + start, separator.utf8Start, length) == 0 { return start + length }
      }
      return 0
    }
  }
}

extension OutputBuffer {
  /// Appends a double; NaN and the infinities as proto3's strings.
  mutating func appendJSON(_ value: Double) {
    if value.isFinite {
      append(number: value)
    } else if value.isNaN {
      append("\"NaN\"")
    } else {
      append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"")
    }
  }
}
