import SluiceCore

/// Makes the node tree of a text: anchors, merge keys, duplicate keys and interpolation are done here.
struct NodeReader {
  /// The deepest nesting, aliases included.
  static let maximumDepth = 64
  /// The most nodes that aliases may stand for, all together.
  static let maximumAliasNodes = 100_000
  /// The largest file.
  static let maximumSize = 4_194_304

  /// A node with what an alias of it costs.
  struct Built {
    var node: ConfigNode
    /// How many nodes it is made of.
    var count: Int
    /// How deep it is, 1 for a scalar.
    var depth: Int
    /// The anchor's name, where it was written as an alias.
    var alias: String?
  }

  /// Reading ended early; the reason is among the diagnostics.
  struct Stop: Error {}

  let source: SourceText
  let interpolation: Interpolation
  /// Everything found.
  var diagnostics = Diagnostics()
  /// The interpolated values.
  var redactor = Redactor()
  private let events: YAMLEvents
  private var anchors: [String: Built] = [:]
  private var openAnchors: Set<String> = []
  private var aliasNodes = 0

  init(_ source: SourceText, _ interpolation: Interpolation) {
    self.source = source
    self.interpolation = interpolation
    events = YAMLEvents(source)
  }

  /// The one document of the text; nil, with an error, where it cannot be read to its end.
  mutating func read() -> ConfigNode? {
    do {
      try checkEncoding()
      return try document()
    } catch {
      return nil
    }
  }

  private mutating func checkEncoding() throws(Stop) {
    if source.bytes.count > Self.maximumSize {
      throw stop("too_large", "the file is larger than \(Self.maximumSize) bytes", at: nil)
    }
    if source.bytes.starts(with: [0xFF, 0xFE]) || source.bytes.starts(with: [0xFE, 0xFF]) {
      throw stop("encoding", "the file is UTF-16", at: nil, hint: "save it as UTF-8")
    }
    if let offset = source.firstInvalidByte() {
      throw stop("encoding", "this byte is not UTF-8", at: source.mark(ofByte: offset), hint: "save the file as UTF-8")
    }
  }

  private mutating func document() throws(Stop) -> ConfigNode {
    let beginning = Mark(file: source.file, line: 1, column: 1)
    _ = try next()
    guard case .documentStart = try next().kind else { return ConfigNode(.scalar(.init("")), at: beginning) }
    let root = try node(try next(), depth: 1).node
    _ = try next()
    let after = try next()
    if case .documentStart = after.kind {
      diagnostics.error(
        "many_documents", "a second document begins on line \(after.mark.line)", at: after.mark,
        hint: "a file holds one document: remove the \"---\"")
    }
    return root
  }

  mutating func next() throws(Stop) -> YAMLEvent {
    do {
      return try events.next()
    } catch {
      diagnostics.add(error.diagnostic(in: source))
      throw Stop()
    }
  }

  /// Reports why reading ends here.
  mutating func stop(_ code: String, _ message: String, at mark: Mark?, hint: String? = nil) -> Stop {
    diagnostics.error(code, message, at: mark, hint: hint)
    return Stop()
  }

  /// The node that begins with an event.
  mutating func node(_ event: YAMLEvent, depth: Int) throws(Stop) -> Built {
    if depth > Self.maximumDepth { throw tooDeep(at: event.mark) }
    switch event.kind {
    case .alias(let name):
      return try alias(name, at: event.mark, depth: depth)
    case .scalar(let text, let isPlain, let properties):
      let node = scalar(text, isPlain: isPlain && !isText(properties.tag), at: event.mark)
      checkTag(properties.tag, allowed: ["str"], at: event.mark)
      return keep(Built(node: node, count: 1, depth: 1), as: properties.anchor)
    case .sequenceStart(let properties):
      checkTag(properties.tag, allowed: ["seq"], at: event.mark)
      return try anchored(properties.anchor) { (reader) throws(Stop) in
        try reader.sequence(at: event.mark, depth: depth)
      }
    case .mappingStart(let properties):
      checkTag(properties.tag, allowed: ["map"], at: event.mark)
      return try anchored(properties.anchor) { (reader) throws(Stop) in
        try reader.mapping(at: event.mark, depth: depth)
      }
    default:
      throw stop("syntax", "expected a value", at: event.mark)
    }
  }

  private mutating func tooDeep(at mark: Mark) -> Stop {
    stop("too_deep", "nested deeper than \(Self.maximumDepth) levels", at: mark)
  }

  private mutating func sequence(at mark: Mark, depth: Int) throws(Stop) -> Built {
    var items: [ConfigNode] = []
    var count = 1
    var height = 0
    while true {
      let event = try next()
      if case .sequenceEnd = event.kind { break }
      let item = try node(event, depth: depth + 1)
      items.append(item.node)
      count += item.count
      height = max(height, item.depth)
    }
    return Built(node: ConfigNode(.sequence(items), at: mark), count: count, depth: height + 1)
  }
}

// MARK: Scalars, tags and anchors

extension NodeReader {
  private mutating func scalar(_ text: String, isPlain: Bool, at mark: Mark) -> ConfigNode {
    let result = interpolation.resolve(text, at: mark, redactor: &redactor, into: &diagnostics)
    // Whatever the setting is, and also where it is none: a password in a URL is never shown.
    redactor.add(passwordOfURL: result.text)
    let scalar = ConfigNode.Scalar(
      result.text, isPlain: isPlain, expression: result.isInterpolated ? text : nil, isUnresolved: result.isUnresolved)
    return ConfigNode(.scalar(scalar), at: mark)
  }

  private func isText(_ tag: String?) -> Bool { tag == "!" || tag == "tag:yaml.org,2002:str" }

  /// `!!str` makes text of a plain scalar, as quotes do; `!!seq` and `!!map` say what is seen anyway. No other tag has a
  /// meaning here, because the setting's type decides, and so none is accepted.
  private mutating func checkTag(_ tag: String?, allowed: [String], at mark: Mark) {
    guard let tag, tag != "!" else { return }
    let core = "tag:yaml.org,2002:"
    if tag.hasPrefix(core), allowed.contains(String(tag.dropFirst(core.count))) { return }
    let shown = tag.hasPrefix(core) ? "!!" + tag.dropFirst(core.count) : tag
    diagnostics.error("tag", "tag \(shown) is not supported", at: mark, hint: "remove it: the setting's type decides")
  }

  private mutating func anchored(
    _ name: String?, _ build: (inout NodeReader) throws(Stop) -> Built
  ) throws(Stop) -> Built {
    guard let name else { return try build(&self) }
    openAnchors.insert(name)
    anchors[name] = nil
    let built = try build(&self)
    openAnchors.remove(name)
    return keep(built, as: name)
  }

  private mutating func keep(_ built: Built, as anchor: String?) -> Built {
    if let anchor { anchors[anchor] = built }
    return built
  }

  private mutating func alias(_ name: String, at mark: Mark, depth: Int) throws(Stop) -> Built {
    if openAnchors.contains(name) { throw stop("alias", "*\(name) contains itself", at: mark) }
    guard var built = anchors[name] else {
      diagnostics.error(
        "alias", "unknown anchor *\(name)", at: mark, suggestion: NearestName.find(name, among: anchors.keys.sorted()),
        hint: "an anchor is written &\(name), before its first use; text that begins with * needs quotes")
      let unresolved = ConfigNode.Scalar("*\(name)", isPlain: false, isUnresolved: true)
      return Built(node: ConfigNode(.scalar(unresolved), at: mark), count: 1, depth: 1)
    }
    aliasNodes += built.count
    if aliasNodes > Self.maximumAliasNodes {
      throw stop(
        "too_many_aliases", "too many alias nodes", at: mark,
        hint: "aliases may stand for \(Self.maximumAliasNodes) nodes in all")
    }
    if depth + built.depth - 1 > Self.maximumDepth { throw tooDeep(at: mark) }
    built.alias = name
    return built
  }
}
