import SluiceCore

/// A path below the documents root: collection and document ids in turn.
struct ResourcePath: Sendable, Hashable {
  var segments: [Segment]

  /// The documents root itself.
  static let root = ResourcePath(segments: [])

  var isDocument: Bool { !segments.isEmpty && segments.count % 2 == 0 }
  var isCollection: Bool { segments.count % 2 == 1 }
  /// The path without its last id. Of the root: the root.
  var parent: ResourcePath { ResourcePath(segments: segments.dropLast()) }
  /// The last id. The path must not be the root.
  var last: Segment { segments[segments.count - 1] }
  /// The ids joined with slashes.
  var text: String { segments.map(\.text).joined(separator: "/") }

  func appending(_ segment: Segment) -> ResourcePath { ResourcePath(segments: segments + [segment]) }

  /// Whether this lies at or below `other`.
  func starts(with other: ResourcePath) -> Bool { segments.starts(with: other.segments) }

  /// Throws INVALID_ARGUMENT unless every id can be one, and the path is not too deep.
  func validate() throws(StatusError) {
    for segment in segments { try segment.validate() }
    if segments.count > 200 { throw .invalid("A document name has more than 100 levels of collections.") }
  }

  /// A path written with slashes, as tests and seeds write it. Ids are taken as they are.
  static func parse(_ text: String) throws(StatusError) -> ResourcePath {
    let path = ResourcePath(
      segments: text.split(separator: "/", omittingEmptySubsequences: false).map { Segment(String($0)) })
    try path.validate()
    return path
  }
}

extension ResourcePath: Comparable {
  /// Id by id; a path before those below it.
  static func < (a: ResourcePath, b: ResourcePath) -> Bool { a.segments.lexicographicallyPrecedes(b.segments) }
}

/// A database of a project.
struct DatabaseName: Sendable, Hashable {
  var project: String
  var id: String

  /// `projects/{project}/databases/{id}`.
  var text: String { "projects/\(project)/databases/\(id)" }
  /// The name of a document or collection in full.
  func name(of path: ResourcePath) -> String {
    path == .root ? "\(text)/documents" : "\(text)/documents/\(path.text)"
  }
}

/// A document or collection with its database, as it stands in the body of a request.
struct ResourceName: Sendable, Hashable {
  var database: DatabaseName
  var path: ResourcePath

  /// Reads `projects/{P}/databases/{D}/documents/…`. Throws INVALID_ARGUMENT unless it names a document.
  static func document(_ text: String, what: String = "Document") throws(StatusError) -> ResourceName {
    let name = try parse(text, what: what)
    guard name.path.isDocument else {
      throw .invalid("\(what) name \"\(text)\" lacks \"/\" at index \(text.utf8.count).")
    }
    return name
  }

  private static func parse(_ text: String, what: String) throws(StatusError) -> ResourceName {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 5, parts[0] == "projects" else {
      throw .invalid("\(what) name \"\(text)\" lacks \"projects\" at index 0.")
    }
    guard parts[2] == "databases", parts[4] == "documents", !parts[1].isEmpty, !parts[3].isEmpty else {
      throw .invalid("\(what) name \"\(text)\" is not projects/{project}/databases/{database}/documents/….")
    }
    let path = ResourcePath(segments: parts.dropFirst(5).map(Segment.init))
    try path.validate()
    return ResourceName(database: DatabaseName(project: parts[1], id: parts[3]), path: path)
  }
}
