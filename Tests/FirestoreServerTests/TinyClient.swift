import FirestoreServer
import Foundation
import SluiceCore
import SluiceJSON
import Testing

/// An HTTP client of the tests' own: one socket per request, and it shows what really arrived.
struct TinyClient {
  let port: UInt16
  var headers: [(String, String)] = []
  /// The `Host` header; nil for none.
  var host: String? = "localhost"

  init(_ server: FirestoreServer) { port = server.port }
  init(port: UInt16) { self.port = port }

  /// Below the documents root of the demo project, where the path does not begin with a slash.
  static func target(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    return "/v1/projects/demo/databases/(default)/documents" + (path.hasPrefix(":") || path.isEmpty ? path : "/" + path)
  }

  @discardableResult
  func send(_ verb: String, _ path: String, _ body: String? = nil) throws -> TinyReply {
    let descriptor = try connected()
    defer { close(descriptor) }
    var text = "\(verb) \(Self.target(path)) HTTP/1.1\r\nConnection: close\r\n"
    if let host { text += "Host: \(host)\r\n" }
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    try write(Array((text + "\r\n" + (body ?? "")).utf8), to: descriptor)
    return TinyReply(raw: try readAll(descriptor))
  }

  private func connected() throws -> Int32 {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      throw TinyError.cannotConnect(port: port)
    }
    // A server that never answers fails the test, and does not stop it. Long, because other tests may hold both cores.
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return descriptor
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, 0) }
      try #require(count > 0, "the server closed the connection while the request was sent")
      sent += count
    }
  }

  private func readAll(_ descriptor: Int32) throws -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN { throw TinyError.noAnswer(port: port) }
      if count <= 0 { return result }
      result += buffer[..<count]
      // Not every server closes the connection when asked to.
      if let end = Self.end(of: result), result.count >= end { return result }
    }
  }

  /// Where an answer ends by its own word.
  private static func end(of raw: [UInt8]) -> Int? {
    guard let blank = raw.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    return TinyReply(raw: Array(raw[..<blank.upperBound])).headers["content-length"].flatMap { Int($0) }.map {
      blank.upperBound + $0
    }
  }
}

/// What keeps a request from its answer.
enum TinyError: Error {
  case cannotConnect(port: UInt16)
  case noAnswer(port: UInt16)
}

/// What arrived.
struct TinyReply {
  var status = 0
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  init(raw: [UInt8]) {
    guard let end = raw.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
    let lines = String(decoding: raw[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    body = Array(raw[end.upperBound...])
  }

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: Value { (try? JSON.parse(body)) ?? .null }
  /// Whether as many bytes came as were promised.
  var isComplete: Bool { headers["content-length"].flatMap { Int($0) } == body.count }
  /// `error.status` of an error, also of one in an array.
  var errorStatus: String? { (json[0] ?? json)["error"]?["status"]?.string }
  /// The ids of the documents of a list or query, in order.
  var ids: [String] {
    let documents = json["documents"]?.items ?? json.items.compactMap { $0["document"] ?? $0["found"] }
    return documents.compactMap { $0["name"]?.string?.split(separator: "/").last.map(String.init) }
  }
  var nextPageToken: String? { json["nextPageToken"]?.string }
}

extension Value {
  subscript(name: String) -> Value? {
    if case .map(let fields) = self { fields.first { $0.name == name }?.value } else { nil }
  }
  subscript(index: Int) -> Value? { items.indices.contains(index) ? items[index] : nil }
  var items: [Value] { if case .array(let items) = self { items } else { [] } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension String {
  /// The text with everything escaped that may not stand in a query's value.
  var queryEscaped: String {
    addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
  }
}

extension FirestoreServer {
  /// A server with so many documents `d0001`… in `users`, each with its number as `n`.
  static func started(documents: Int = 0, _ configure: (inout Configuration) -> Void = { _ in }) throws
    -> FirestoreServer
  {
    var configuration = Configuration()
    configure(&configuration)
    let server = try FirestoreServer(configuration: configuration)
    let lines = (0..<documents).map { number in
      let id = String(format: "d%04d", number + 1)
      return #"{"key":"users/\#(id)","fields":{"n":{"integerValue":"\#(number + 1)"}}}"#
    }
    if documents > 0 { try server.store.seed(lines.joined(separator: "\n")) }
    return server
  }
}
