import Foundation
import SluiceCore
import SluiceHTTP
import SluiceJSON
import Testing

/// A Firestore that tests write to over its REST interface: Google's emulator, or the embedded server.
struct RemoteFirestore: Sendable {
  /// `http://127.0.0.1:PORT`.
  var origin: String
  var project: String
  var database = "(default)"
  /// The emulator takes this one for an administrator.
  var token: String? = "owner"
  let transport: HTTPTransport

  init(origin: String, project: String) throws {
    self.origin = origin
    self.project = project
    transport = try HTTPTransport()
  }

  /// `host:port` of Google's emulator, where the tests were given one.
  static let emulator: String? = ProcessInfo.processInfo.environment["SLUICE_EMULATOR"].flatMap {
    $0.isEmpty ? nil : $0
  }

  /// The same project, another database.
  func database(_ id: String) -> RemoteFirestore {
    var other = self
    other.database = id
    return other
  }

  /// `projects/P/databases/D/documents`.
  var root: String { "projects/\(project)/databases/\(database)/documents" }

  /// An answer, whatever its status.
  struct Answer {
    var status: Int
    var body: [UInt8]

    var json: Value { get throws { try JSON.parse(body) } }
    /// `error.status` of an error, also of one in an array.
    var errorStatus: String? { FirestoreStatus(body: body)?.status }
  }

  /// Asks for something below the documents root; `path` is encoded already.
  func ask(
    _ method: HTTPRequest.Method = .get, _ path: String, query: [(String, String)] = [], body: Value? = nil
  ) async throws -> Answer {
    var url = try HTTPURL(origin).appending(segments: ["v1"] + root.split(separator: "/").map(String.init))
      .appending(rawPath: path)
    for (name, value) in query { url = url.appending(query: name, value) }
    return try await send(method, url, body.map(JSON.encode))
  }

  private func send(_ method: HTTPRequest.Method, _ url: HTTPURL, _ body: [UInt8]?) async throws -> Answer {
    var request = HTTPRequest(method, url, body: body ?? [])
    // Other types of content are "Not Found" to the emulator.
    request.headers["Content-Type"] = "application/json"
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    request.allowsEmptyBody = true
    let response = try await transport.send(request)
    return Answer(status: response.status, body: response.body)
  }

  /// The emulator's own controls, below `/emulator/v1/projects/P`.
  private func control(_ method: HTTPRequest.Method, _ path: String, _ body: Value? = nil) async throws {
    let url = try HTTPURL(origin).appending(segments: ["emulator", "v1", "projects", project]).appending(rawPath: path)
    let answer = try await send(method, url, body.map(JSON.encode))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
  }

  /// Removes every document of the database.
  func wipe() async throws { try await control(.delete, "/databases/\(database)/documents") }

  /// Puts security rules in force.
  func setRules(_ text: String) async throws {
    let file = Value.map([Field("name", .string("rules")), Field("content", .string(text))])
    try await control(.put, ":securityRules", .map([Field("rules", .map([Field("files", .array([file]))]))]))
  }
}

/// A document for a test to write.
struct Sample: Sendable {
  /// Below the documents root: `users/u1`.
  var path: String
  var fields: [Field]
}

extension RemoteFirestore {
  /// Writes documents by turns with `commit` and with `batchWrite`, a hundred at a time.
  func write(_ samples: [Sample]) async throws {
    for (turn, start) in stride(from: 0, to: samples.count, by: 100).enumerated() {
      let part = samples[start..<min(start + 100, samples.count)]
      if turn.isMultiple(of: 2) { try await commit(part) } else { try await batchWrite(part) }
    }
  }

  private func commit(_ samples: some Sequence<Sample>) async throws {
    let answer = try await send(.post, url(":commit"), body(samples))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
  }

  /// A status of 200 can hide writes that failed.
  private func batchWrite(_ samples: some Sequence<Sample>) async throws {
    let answer = try await send(.post, url(":batchWrite"), body(samples))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let failed = try answer.json["status"]?.items.filter { $0 != .map([]) } ?? []
    try #require(failed.isEmpty, "\(failed)")
  }

  private func url(_ verb: String) throws -> HTTPURL {
    try HTTPURL(origin).appending(segments: ["v1"] + root.split(separator: "/").map(String.init))
      .appending(rawPath: verb)
  }

  private func body(_ samples: some Sequence<Sample>) -> [UInt8] {
    let writes = samples.map { sample in
      Array(#"{"update":{"name":"#.utf8) + JSON.encode(.string("\(root)/\(sample.path)"))
        + Array(#","fields":"#.utf8) + JSON.encodeTyped(sample.fields) + Array("}}".utf8)
    }
    return Array(#"{"writes":["#.utf8) + writes.joined(separator: Array(",".utf8)) + Array("]}".utf8)
  }

  /// The server's own count of a collection at the root.
  func count(of collection: String) async throws -> Int {
    let query = """
      {"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"\(collection)"}]},
      "aggregations":[{"alias":"n","count":{}}]}}
      """
    let answer = try await ask(.post, ":runAggregationQuery", body: JSON.parse(query))
    let count = try answer.json.items.first?["result"]?["aggregateFields"]?["n"]?["integerValue"]?.string
    return try #require(count.flatMap { Int($0) })
  }
}

extension Value {
  subscript(name: String) -> Value? {
    if case .map(let fields) = self { fields.first { $0.name == name }?.value } else { nil }
  }
  var items: [Value] { if case .array(let items) = self { items } else { [] } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
}
