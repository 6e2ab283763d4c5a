/// Puts values on a tape as they come past, and checks what the compiler cannot: nesting, text, size, depth, duplicates.
///
/// The first fault is kept in `failure`, and everything after it is ignored.
package struct TapeWriter: ValueVisitor, ~Copyable {
  /// The tape so far.
  package var tape: Tape
  /// What went wrong first.
  package private(set) var failure: SluiceError?
  private var current: Frame?
  private var outer: [Frame] = []

  /// A container that is not complete yet.
  private struct Frame {
    var head: Int
    var kind: Container
    var count = 0
    var hasName = false
    var names = NameMask()
  }

  /// Goes on at the end of a tape.
  package init(tape: consuming Tape) { self.tape = tape }

  /// The tape. Nothing may be open.
  package consuming func finish() -> Tape { tape }

  /// How many containers are open.
  package var depth: Int { outer.count + (current == nil ? 0 : 1) }

  package mutating func name(_ utf8: Span<UInt8>, plain: Bool) {
    guard failure == nil, hasRoom(for: utf8.count) else { return }
    guard current?.kind == .map, current?.hasName == false else {
      return fail("a name came where none belongs: names stand in maps, one before each value")
    }
    current?.hasName = true
    current?.names.insert(utf8)
    append(.name, text: utf8)
  }

  package mutating func value(_ scalar: Scalar) {
    guard failure == nil else { return }
    if let kind = current?.kind, kind == .vector || kind == .geoPoint {
      guard case .double = scalar else { return fail("a vector or geo point holds a value that is no double") }
    }
    guard placeValue() else { return }
    switch scalar {
    case .null: tape.nodes.append(Node(.null))
    case .bool(let value): tape.nodes.append(Node(value ? .isTrue : .isFalse))
    case .int(let value): tape.nodes.append(Node(.int, bits: UInt64(bitPattern: value)))
    case .double(let value): tape.nodes.append(Node(.double, bits: value.bitPattern))
    case .timestamp(let value):
      tape.nodes.append(Node(.timestamp, bits: UInt64(bitPattern: value.seconds), end: value.nanoseconds))
    case .decimal(let text): check(NumberText.isNumber(text), .decimal, text)
    case .string(let text): append(.string, text: text)
    case .reference(let text): append(.reference, text: text)
    case .bytes(let bytes): check(true, .bytes, bytes)
    case .unknown(let kind, let raw):
      append(.unknown, text: kind)
      if failure == nil { append(.string, text: raw) }
      if failure == nil { tape.nodes[tape.nodes.count - 2].end = UInt32(tape.nodes.count) }
    }
  }

  package mutating func text(_ utf8: Span<UInt8>, as spelling: Spelling) {
    guard failure == nil else { return }
    switch spelling {
    case .string, .plainString: value(.string(utf8))
    case .reference, .plainReference: value(.reference(utf8))
    case .decimal: value(.decimal(utf8))
    case .double:
      if placeValue() { check(NumberText.isNumber(utf8), .doubleText, utf8) }
    case .int: place(.intText, utf8, isCanonical: NumberText.isCanonicalInt(utf8))
    case .timestamp: place(.timestampText, utf8, isCanonical: RFC3339.isCanonical(utf8))
    case .base64: place(.base64, utf8, isCanonical: Base64.isCanonical(utf8))
    }
  }

  package mutating func begin(_ container: Container) {
    guard failure == nil else { return }
    if let kind = current?.kind, kind == .vector || kind == .geoPoint {
      return fail("a vector or geo point holds a value that is no double")
    }
    guard placeValue() else { return }
    if depth >= Tape.maximumDepth {
      return fail("values nest deeper than \(Tape.maximumDepth) levels", code: .limitExceeded)
    }
    if let current { outer.append(current) }
    current = Frame(head: tape.nodes.count, kind: container)
    let kind: Node.Kind =
      switch container {
      case .map: .map
      case .array: .array
      case .vector: .vector
      case .geoPoint: .geoPoint
      }
    tape.nodes.append(Node(kind))
  }

  package mutating func end(_ container: Container) {
    guard failure == nil else { return }
    guard let frame = current, frame.kind == container, !frame.hasName else {
      return fail("the end of a container does not match its beginning")
    }
    if container == .geoPoint, frame.count != 2 {
      return fail("a geo point holds \(frame.count) numbers in place of latitude and longitude")
    }
    tape.nodes[frame.head].end = UInt32(tape.nodes.count)
    if frame.names.mayRepeat { tape.dropEarlierDuplicates(in: frame.head) }
    current = outer.popLast()
  }

  /// Keeps the first fault.
  package mutating func fail(_ message: String, code: SluiceError.Code = .malformedData) {
    if failure == nil { failure = SluiceError(code, message) }
  }
}

extension TapeWriter {
  /// Notes that a value comes; false where none belongs.
  private mutating func placeValue() -> Bool {
    guard current != nil else { return true }
    if current?.kind == .map, current?.hasName == false {
      fail("a value came without its name")
      return false
    }
    current?.hasName = false
    current?.count += 1
    return true
  }

  private mutating func place(_ kind: Node.Kind, _ text: Span<UInt8>, isCanonical: Bool) {
    if placeValue() { check(isCanonical, kind, text) }
  }

  private mutating func check(_ isValid: Bool, _ kind: Node.Kind, _ text: Span<UInt8>) {
    guard isValid else {
      return fail("\"\(String(text).prefix(60))\" is not the text of a \(kind.noun)")
    }
    if hasRoom(for: text.count) { tape.append(kind, text) }
  }

  private mutating func append(_ kind: Node.Kind, text: Span<UInt8>) {
    guard hasRoom(for: text.count) else { return }
    let scan = TextScan(text)
    guard scan.isASCII || TextScan.isUTF8(text) else { return fail("text is not valid UTF-8") }
    tape.append(kind, text, flags: scan.isPlain ? .plain : [])
  }

  private mutating func hasRoom(for count: Int) -> Bool {
    if tape.bytes.count + count <= Tape.maximumBytes { return true }
    fail("a batch is larger than 2 GiB: make smaller pages", code: .limitExceeded)
    return false
  }
}

extension Node.Kind {
  fileprivate var noun: String {
    switch self {
    case .intText: "whole number in its shortest spelling"
    case .timestampText: "time in RFC 3339's UTC form with 0, 3, 6 or 9 digits"
    case .base64: "padded base64 value"
    default: "number"
    }
  }
}
