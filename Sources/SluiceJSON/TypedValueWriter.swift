import SluiceCore

/// Writes the values it is spoken to in the typed form: Firestore's REST `Value`, loss-free.
///
/// Numbers that neither an `int` nor a `double` holds, which Firestore lacks, are written as this package's own
/// `{"decimalValue": "…"}`.
public struct TypedValueWriter: ValueVisitor, ~Copyable {
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
    case .null: output.append("{\"nullValue\":null}")
    case .bool(let value): output.append(value ? "{\"booleanValue\":true}" : "{\"booleanValue\":false}")
    case .int(let value):
      output.append("{\"integerValue\":\"")
      output.append(number: value)
      output.append("\"}")
    case .double: break
    case .decimal(let text): quoted("{\"decimalValue\":", text, isPlain: true)
    case .timestamp(let time):
      output.append("{\"timestampValue\":\"")
      output.append(time: time)
      output.append("\"}")
    case .string(let text): quoted("{\"stringValue\":", text, isPlain: false)
    case .bytes(let bytes):
      output.append("{\"bytesValue\":\"")
      output.appendBase64(bytes)
      output.append("\"}")
    case .reference(let name): quoted("{\"referenceValue\":", name, isPlain: false)
    case .unknown(let kind, let raw):
      output.append(0x7B)
      output.appendString(kind)
      output.append(0x3A)
      output.appendRaw(raw)
      output.append(0x7D)
    }
  }

  /// Copies a scalar's text.
  @inline(__always) public mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    if spelling == .double {
      if coordinate != 0 {
        nextCoordinate()
        output.append(utf8)
        return
      }
      separate()
      output.append("{\"doubleValue\":")
      output.append(utf8)
      output.append(0x7D)
      return
    }
    separate()
    switch spelling {
    case .plainString: quoted("{\"stringValue\":", utf8, isPlain: true)
    case .string: quoted("{\"stringValue\":", utf8, isPlain: false)
    case .int: quoted("{\"integerValue\":", utf8, isPlain: true)
    case .timestamp: quoted("{\"timestampValue\":", utf8, isPlain: true)
    case .base64: quoted("{\"bytesValue\":", utf8, isPlain: true)
    case .plainReference: quoted("{\"referenceValue\":", utf8, isPlain: true)
    case .reference: quoted("{\"referenceValue\":", utf8, isPlain: false)
    case .decimal: quoted("{\"decimalValue\":", utf8, isPlain: true)
    case .double: break
    }
  }

  /// Opens a container.
  public mutating func begin(_ container: Container) {
    separate()
    switch container {
    case .map: output.append("{\"mapValue\":{\"fields\":{")
    case .array: output.append("{\"arrayValue\":{\"values\":[")
    case .vector:
      output.append(
        "{\"mapValue\":{\"fields\":{\"__type__\":{\"stringValue\":\"__vector__\"},\"value\":{\"arrayValue\":{\"values\":["
      )
    case .geoPoint:
      output.append("{\"geoPointValue\":{")
      coordinate = 1
    }
    needsComma = false
  }

  /// Closes a container.
  public mutating func end(_ container: Container) {
    switch container {
    case .map: output.append("}}}")
    case .array: output.append("]}}")
    case .vector: output.append("]}}}}}")
    case .geoPoint:
      output.append("}}")
      coordinate = 0
    }
    needsComma = true
  }

  @inline(__always) private mutating func quoted(_ opening: StaticString, _ text: Span<UInt8>, isPlain: Bool) {
    output.append(opening)
    output.appendString(text, isPlain: isPlain)
    output.append(0x7D)
  }

  private mutating func nextCoordinate() {
    output.append(coordinate == 1 ? "\"latitude\":" : ",\"longitude\":")
    coordinate += 1
  }

  private mutating func double(_ value: Double) {
    if coordinate != 0 {
      nextCoordinate()
      output.appendJSON(value)
      return
    }
    separate()
    output.append("{\"doubleValue\":")
    output.appendJSON(value)
    output.append(0x7D)
  }
}
