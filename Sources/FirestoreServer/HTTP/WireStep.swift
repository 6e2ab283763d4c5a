import SluiceCore

/// A step of an answer that is sent byte by byte, around libmicrohttpd: for what no HTTP library would send.
enum WireStep: Sendable {
  /// These bytes and nothing else.
  case send([UInt8])
  /// Nothing for a time. Ends early where the client leaves.
  case pause(Duration)
  /// Nothing more until the client leaves.
  case stall
  /// The connection breaks instead of being closed: what the client has not read yet is lost.
  case reset

  /// The bytes one by one, with a pause after each.
  static func drip(_ bytes: some Sequence<UInt8>, every pause: Duration) -> [WireStep] {
    bytes.flatMap { [.send([$0]), .pause(pause)] }
  }
}

extension HTTPReply {
  /// Status line and fields as they go over the wire, up to the empty line. `length` is what is promised of the body.
  func wireHead(length: Int, moreFields: [String] = []) -> [UInt8] {
    var text = "HTTP/1.1 \(status) Scripted\r\nContent-Type: \(contentType)\r\n"
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    for field in moreFields { text += field + "\r\n" }
    return Array((text + "Content-Length: \(length)\r\n\r\n").utf8)
  }

  /// The whole answer as it should be.
  var wireBytes: [UInt8] { wireHead(length: body.count) + body }
}
