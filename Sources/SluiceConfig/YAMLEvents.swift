import CYAML
import SluiceCore

/// One event of libyaml's parser, with its place.
struct YAMLEvent {
  /// What a node carries beside its content.
  struct Properties {
    var anchor: String?
    var tag: String?
  }

  enum Kind {
    case streamStart
    case streamEnd
    case documentStart
    case documentEnd
    case alias(String)
    case scalar(String, isPlain: Bool, Properties)
    case sequenceStart(Properties)
    case sequenceEnd
    case mappingStart(Properties)
    case mappingEnd
  }

  var kind: Kind
  var mark: Mark
}

/// Reads a text event by event. Nothing of libyaml leaves this type.
///
/// A class for its deinit: the parser and the bytes it reads are C memory. Stays in the task that made it.
final class YAMLEvents {
  private let source: SourceText
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  /// A reader at the beginning of the text, which must be UTF-8.
  init(_ source: SourceText) {
    self.source = source
    parser = .allocate(capacity: 1)
    input = .allocate(capacity: source.bytes.count)
    _ = input.initialize(from: source.bytes)
    // Fails only for want of memory, as any allocation of Swift's would.
    precondition(yaml_parser_initialize(parser) == 1, "out of memory")
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// The next event; throws the one syntax error at which libyaml stops.
  func next() throws(SyntaxError) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    return YAMLEvent(kind: Self.kind(of: event), mark: mark(event.start_mark))
  }

  private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let properties = YAMLEvent.Properties(anchor: text(scalar.anchor), tag: text(scalar.tag))
      return .scalar(
        String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE, properties)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return .sequenceStart(YAMLEvent.Properties(anchor: text(start.anchor), tag: text(start.tag)))
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return .mappingStart(YAMLEvent.Properties(anchor: text(start.anchor), tag: text(start.tag)))
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    // What is left is the end of the stream, and the event of no type that follows it.
    default: return .streamEnd
    }
  }

  private static func text(_ pointer: UnsafeMutablePointer<UInt8>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  private func mark(_ mark: yaml_mark_t) -> Mark {
    Mark(file: source.file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  private func syntaxError() -> SyntaxError {
    func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
    let failed = parser.pointee
    if failed.error == YAML_READER_ERROR {
      return SyntaxError(
        problem: text(failed.problem) ?? "unreadable", mark: source.mark(ofByte: Int(failed.problem_offset)),
        value: Int(failed.problem_value))
    }
    return SyntaxError(
      problem: text(failed.problem) ?? "unreadable", mark: mark(failed.problem_mark), context: text(failed.context),
      contextMark: failed.context == nil ? nil : mark(failed.context_mark))
  }
}

/// What libyaml says when it stops.
struct SyntaxError: Error {
  var problem: String
  var mark: Mark
  var context: String?
  var contextMark: Mark?
  var value: Int?

  init(problem: String, mark: Mark, context: String? = nil, contextMark: Mark? = nil, value: Int? = nil) {
    self.problem = problem
    self.mark = mark
    self.context = context
    self.contextMark = contextMark
    self.value = value
  }
}
