import SluiceCore

extension Parser {
  /// Parses a page by a grammar. The page's memory becomes the arena of the batch.
  static func run<R>(
    _ page: consuming [UInt8], firstLine: Int? = nil, isLines: Bool? = nil, _ grammar: (inout Parser) throws(Fault) -> R
  ) throws(SluiceError) -> (result: R, batch: Batch) {
    let count = page.count
    if count > Tape.maximumBytes { throw SluiceError(.limitExceeded, "the page is larger than 2 GiB") }
    // Where the memory has to be copied to make room, make some for unescaped text too.
    if page.capacity < count + padding { page.reserveCapacity(count + count / 16 + padding) }
    for _ in 0..<padding { page.append(0) }
    // A node for eight bytes is plenty for most pages; two bytes make at most one. Nothing is changed by a parse, so
    // the rare page that needs more is parsed again.
    var capacity = count / 8 + 64
    while true {
      var state = State<R>()
      let nodes = page.withUnsafeBufferPointer { page in
        [Node](unsafeUninitializedCapacity: capacity) { buffer, used in
          state = attempt(page, count, buffer, isLines: isLines ?? (firstLine != nil), grammar)
          used = state.nodeCount
        }
      }
      if let fault = state.fault {
        if fault.isTapeFull, capacity < count / 2 + 64 {
          capacity = count / 2 + 64
          continue
        }
        throw error(fault, in: page, count, firstLine: firstLine, key: state.key, field: state.field)
      }
      guard let result = state.result else { throw SluiceError(.internal, "a parse without a result") }
      page.removeLast(padding)
      page.append(contentsOf: state.extra)
      return (result, Batch(tape: Tape(nodes: nodes, bytes: page), entries: state.entries))
    }
  }

  /// What one attempt left.
  private struct State<R> {
    var result: R?
    var fault: Fault?
    var nodeCount = 0
    var extra: [UInt8] = []
    var entries: [Batch.Entry] = []
    var key: String?
    var field: String?
  }

  private static func attempt<R>(
    _ page: UnsafeBufferPointer<UInt8>, _ count: Int, _ nodes: UnsafeMutableBufferPointer<Node>, isLines: Bool,
    _ grammar: (inout Parser) throws(Fault) -> R
  ) -> State<R> {
    var state = State<R>()
    var parser = Parser(page: page, count: count, nodes: nodes)
    parser.isLines = isLines
    do throws(Fault) {
      state.result = try grammar(&parser)
      state.entries = parser.entries
      state.extra = parser.extra
    } catch {
      state.fault = error
      state.key = parser.key.map { parser.string(Int($0.start), Int($0.length)) }
      state.field = parser.faultField
    }
    state.nodeCount = parser.n
    return state
  }

  /// The names that lead to the fault.
  private var faultField: String? {
    let names = faultPath.reversed().map { FieldName(string(Int(nodes[$0].start), Int(nodes[$0].length))) }
    return FieldPath(segments: names)?.description
  }

  func string(_ start: Int, _ length: Int) -> String {
    withBytes(Text(start: start, length: length, isPlain: false)) { String($0) }
  }

  private static func error(
    _ fault: Fault, in page: [UInt8], _ count: Int, firstLine: Int?, key: String?, field: String?
  ) -> SluiceError {
    let offset = min(fault.offset, count)
    var line = firstLine ?? 1
    var column = 1
    for byte in page[..<offset] {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    let ended = fault.offset >= count && fault.code == .malformedData ? "the JSON ends too early: " : ""
    return SluiceError(
      fault.code, ended + fault.message.description,
      at: Place(key: key, field: field, line: line, column: column, byteOffset: offset))
  }
}
