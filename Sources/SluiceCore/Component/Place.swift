/// Where something happened, as far as it is known. Layers fill in what they know on the way up.
public struct Place: Sendable, Hashable {
  /// The job's name.
  public var job: String?
  /// The component's name, as written in the configuration.
  public var component: String?
  /// The origin (scheme, host, port) that was talked to. Never with credentials or a query.
  public var origin: String?
  /// The collection, table or like path inside the source or sink.
  public var collection: String?
  /// The page of the listing, counted from 1.
  public var page: Int?
  /// The document's canonical key.
  public var key: String?
  /// The field path inside the document.
  public var field: String?
  /// The file.
  public var file: String?
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The column in the line, in characters counted from 1.
  public var column: Int?
  /// The offset into the file or page, in bytes counted from 0.
  public var byteOffset: Int?

  /// A place; leave out what is not known.
  public init(
    job: String? = nil, component: String? = nil, origin: String? = nil, collection: String? = nil, page: Int? = nil,
    key: String? = nil, field: String? = nil, file: String? = nil, line: Int? = nil, column: Int? = nil,
    byteOffset: Int? = nil
  ) {
    self.job = job
    self.component = component
    self.origin = origin
    self.collection = collection
    self.page = page
    self.key = key
    self.field = field
    self.file = file
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
  }

  /// Takes from `other` every part that is not known here.
  public mutating func fill(from other: Place) {
    job = job ?? other.job
    component = component ?? other.component
    origin = origin ?? other.origin
    collection = collection ?? other.collection
    page = page ?? other.page
    key = key ?? other.key
    field = field ?? other.field
    byteOffset = byteOffset ?? other.byteOffset
    // A line belongs to its file: never mix those of two places.
    if file == nil, line == nil {
      file = other.file
      line = other.line
      column = other.column
    }
  }
}

extension Place: CustomStringConvertible {
  /// `file:line:column` first, then the other parts by name: `job users, collection users, page 5`.
  public var description: String {
    var parts: [String] = []
    if let file {
      parts.append([file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":"))
    } else if let line {
      parts.append("line \(line)")
    }
    func add(_ label: String, _ value: (some CustomStringConvertible)?) {
      if let value { parts.append("\(label) \(value)") }
    }
    add("job", job)
    add("component", component)
    add("origin", origin)
    add("collection", collection)
    add("page", page)
    add("key", key)
    add("field", field)
    add("byte", byteOffset)
    return parts.joined(separator: ", ")
  }
}
