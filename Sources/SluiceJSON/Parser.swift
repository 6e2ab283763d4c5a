import SluiceCore

// For memcmp: the compiler turns one of a known size into a few instructions.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One pass over a page of JSON that puts nodes on a tape. The grammars (Firestore, plain, lines) are extensions.
///
/// Unsafe pointers, because this is the hot path: the page is followed by `padding` zero bytes, no token contains a
/// zero byte, and every loop stops at one, so nothing reads beyond it. The page is never written to: text that had
/// escapes goes to `extra`, which becomes the end of the arena; its offsets begin at `count`.
struct Parser {
  /// Zero bytes behind the page: as many as the longest literal that is compared, and more than one word.
  static let padding = 16

  let base: UnsafePointer<UInt8>
  let count: Int
  var i = 0
  /// Line feeds end a value: the page is JSON Lines.
  var isLines = false
  var maximumDepth = Parser.defaultDepth
  var duplicates = DuplicateNames.refuse
  var unknownValues = UnknownValues.keep

  let nodes: UnsafeMutablePointer<Node>
  let capacity: Int
  var n = 0
  var extra: [UInt8] = []
  var entries: [Batch.Entry] = []

  /// What belongs to the place of a fault: the key of the document being read, and the names on the way, innermost first.
  var key: (start: UInt32, length: UInt32)?
  var faultPath: [Int] = []

  /// How deep values may nest. Firestore allows 20.
  static let defaultDepth = 128

  init(page: UnsafeBufferPointer<UInt8>, count: Int, nodes: UnsafeMutableBufferPointer<Node>) {
    guard let base = page.baseAddress, let first = nodes.baseAddress else {
      preconditionFailure("an empty page has padding")
    }
    self.base = base
    self.count = count
    self.nodes = first
    capacity = nodes.count
  }

  /// A place where the page is not what it should be.
  struct Fault: Error {
    var offset: Int
    var message: StaticString
    var code = SluiceError.Code.malformedData
    var isTapeFull = false
  }

  /// A string without its quotes and escapes, in the page or (from `count` on) in `extra`.
  struct Text {
    var start: Int
    var length: Int
    var isPlain: Bool
  }

  func fault(_ message: StaticString) -> Fault { Fault(offset: i, message: message) }

  func fault(_ message: StaticString, at offset: Int) -> Fault { Fault(offset: offset, message: message) }

  /// Adds a node.
  @inline(__always) mutating func emit(_ node: Node) throws(Fault) {
    if n == capacity { throw Fault(offset: i, message: "", isTapeFull: true) }
    nodes[n] = node
    n &+= 1
  }

  /// Adds a node over a text.
  @inline(__always) mutating func emit(_ kind: Node.Kind, _ text: Text) throws(Fault) {
    try emit(
      Node(
        kind, start: UInt32(truncatingIfNeeded: text.start), length: UInt32(truncatingIfNeeded: text.length),
        flags: text.isPlain ? .plain : []))
  }

  /// Lends the bytes of a text.
  @inline(__always) func withBytes<R>(_ text: Text, _ body: (Span<UInt8>) -> R) -> R {
    if text.start < count || text.length == 0 {
      return body(UnsafeBufferPointer(start: base + min(text.start, count), count: text.length).span)
    }
    return body(extra.span.extracting(text.start - count..<text.start - count + text.length))
  }

  /// Puts bytes that are not in the page into the arena.
  mutating func place(_ bytes: [UInt8]) throws(Fault) -> Text {
    let start = count + extra.count
    if extra.count + bytes.count > Tape.maximumBytes { throw tooLarge }
    extra.append(contentsOf: bytes)
    return Text(start: start, length: bytes.count, isPlain: false)
  }

  var tooLarge: Fault {
    Fault(offset: i, message: "the page is larger than 2 GiB", code: .limitExceeded)
  }
}

/// What to do with a typed value of a kind this version does not know, or whose content does not fit its kind.
public enum UnknownValues: Sendable {
  /// Keep it as `Value.unknown`, with its JSON.
  case keep
  /// The page is malformed; the error names document and field.
  case refuse
}

/// What to do where a map holds a name twice.
public enum DuplicateNames: Sendable {
  /// The page is malformed.
  case refuse
  /// The last value counts.
  case last
}

extension Parser {
  /// Skips white space.
  @inline(__always) mutating func skipSpace() {
    if base[i] <= 0x20 { skipSpaceSlowly() }
  }

  @inline(never) private mutating func skipSpaceSlowly() {
    while true {
      switch base[i] {
      case 0x20, 0x09, 0x0D: i += 1
      case 0x0A: if isLines { return } else { i += 1 }
      default: return
      }
    }
  }

  /// Takes two bytes if they are next: what stands between tokens where there is no white space.
  @inline(__always) mutating func take(_ first: UInt8, _ second: UInt8) -> Bool {
    let pair = UnsafeRawPointer(base + i).loadUnaligned(as: UInt16.self).littleEndian
    if pair != UInt16(first) | UInt16(second) &<< 8 { return false }
    i &+= 2
    return true
  }

  /// Takes one byte if it is next. White space before it must have been skipped.
  @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
    if base[i] != byte { return false }
    i &+= 1
    return true
  }

  /// Takes the colon after a name, with the white space around it.
  @inline(__always) mutating func colon() throws(Fault) {
    if base[i] == 0x3A, base[i &+ 1] > 0x20 {
      i &+= 1
      return
    }
    try colonInSpace()
  }

  @inline(never) private mutating func colonInSpace() throws(Fault) {
    skipSpace()
    if !take(0x3A) { throw fault("a name must be followed by ':'") }
    skipSpace()
  }

  /// Takes a literal of up to 16 bytes.
  @inline(__always) mutating func take(_ literal: StaticString) -> Bool {
    if !isNext(literal) { return false }
    i &+= literal.utf8CodeUnitCount
    return true
  }

  @inline(__always) func isNext(_ literal: StaticString) -> Bool {
    memcmp(base + i, literal.utf8Start, literal.utf8CodeUnitCount) == 0
  }

  /// Goes through the members of an object; `i` is at its brace. `body` is called behind each name's opening quote and
  /// must take the name, the colon and the value.
  @inline(__always) mutating func members(_ body: (inout Parser) throws(Fault) -> Void) throws(Fault) {
    if !take(0x7B) { throw fault("expected an object") }
    skipSpace()
    if take(0x7D) { return }
    while true {
      if !take(0x22) { throw fault("expected a name in quotes") }
      try body(&self)
      skipSpace()
      if take(0x2C) {
        skipSpace()
      } else if take(0x7D) {
        return
      } else {
        throw fault("expected ',' or '}' in an object")
      }
    }
  }

  /// Goes through the items of an array; `i` is at its bracket. `body` is called at each item.
  @inline(__always) mutating func items(_ body: (inout Parser) throws(Fault) -> Void) throws(Fault) {
    if !take(0x5B) { throw fault("expected an array") }
    skipSpace()
    if take(0x5D) { return }
    while true {
      try body(&self)
      skipSpace()
      if take(0x2C) {
        skipSpace()
      } else if take(0x5D) {
        return
      } else {
        throw fault("expected ',' or ']' in an array")
      }
    }
  }

  /// After the last value there may be nothing but white space.
  mutating func end() throws(Fault) {
    skipSpace()
    if i < count { throw fault("there is more after the end of the value") }
  }
}
