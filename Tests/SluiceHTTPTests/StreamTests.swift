import SluiceCore
import SluiceTesting
import Synchronization
import Testing

@testable import SluiceHTTP

@Suite("Streams", .timeLimit(.minutes(5)))
struct StreamTests {
  @Test("the head comes before the body, and pieces as they are sent")
  func pieces() async throws {
    let gates = [Gate(), Gate()]
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nX-Kind: feed\r\n\r\n")
      try connection.wait(for: gates[0])
      try connection.send("one")
      try connection.wait(for: gates[1])
      try connection.send("two")
    }
    let stream = try await HTTPTransport().stream(HTTPRequest(.get, HTTPURL(server.url), limits: .endless(idle: nil)))
    #expect(stream.head.status == 200)
    #expect(stream.head.headers["x-kind"] == "feed")
    gates[0].open()
    #expect(try await stream.body.next() == Array("one".utf8))
    gates[1].open()
    #expect(try await stream.body.next() == Array("two".utf8))
    #expect(try await stream.body.next() == nil)
    #expect(try await stream.body.next() == nil)
  }

  @Test("a reader that stops holds the sender back, and loses nothing")
  func backPressure() async throws {
    let total = 64 << 20
    let block = (0..<(1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let sentWhenBlocked = Mutex(0)
    let isBlocked = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      for sent in stride(from: 0, to: total, by: block.count) {
        if !isBlocked.isOpen, try connection.isBlocked(for: .milliseconds(250)) {
          sentWhenBlocked.withLock { $0 = sent }
          isBlocked.open()
        }
        try connection.send(block)
      }
    }
    // An idle limit shorter than the pause: it must not run while the reader holds the body back.
    let limits = HTTPLimits.endless(idle: .milliseconds(200))
    let stream = try await HTTPTransport().stream(HTTPRequest(.get, HTTPURL(server.url), limits: limits))
    await isBlocked.waitUntilOpen()
    let held = sentWhenBlocked.withLock { $0 }
    #expect(held > 0)
    // What the kernel's socket buffers hold, and a little of ours.
    #expect(held < 16 << 20, "\(held) bytes sent to a reader that reads nothing")
    var count = 0
    while let piece = try await stream.body.next() {
      for index in stride(from: 0, to: piece.count, by: 1021) {
        #expect(piece[index] == block[(count + index) & 0xFFFF])
      }
      count += piece.count
    }
    #expect(count == total)
  }

  @Test("C135 a stream goes by an idle limit of its own, longer than its heartbeat, and outlives the others' limits")
  func heartbeat() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      for _ in 0..<10 {
        try connection.sleep(.milliseconds(60))
        try connection.send(":\n")
      }
      try connection.waitForClient()
    }
    var configuration = HTTPConfiguration()
    configuration.limits.idle = .milliseconds(20)
    configuration.limits.total = .milliseconds(200)
    let transport = try HTTPTransport(configuration)
    let url = try HTTPURL(server.url)
    // A whole answer would have been given up long before.
    let whole = try await #require(throws: SluiceError.self) { try await transport.send(HTTPRequest(.get, url)) }
    #expect(whole.code == .timeout)
    let stream = try await transport.stream(HTTPRequest(.get, url, limits: .endless(idle: .seconds(1))))
    var beats = 0
    let error = try await #require(throws: SluiceError.self) {
      while let piece = try await stream.body.next() { beats += piece.count(where: { $0 == 0x3A }) }
    }
    #expect(beats == 10)
    #expect(error.code == .timeout && error.retry == .transient)
    #expect(error.message == "GET /: no byte arrived for 1 s, the limit for idling")
  }

  @Test("a stream that breaks throws after what came before it")
  func broken() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    }
    let stream = try await HTTPTransport().stream(HTTPRequest(.get, HTTPURL(server.url)))
    #expect(try await stream.body.next() == Array("short".utf8))
    let error = try await #require(throws: SluiceError.self) { try await stream.body.next() }
    #expect(error.retry == .transient)
    #expect(error.message.contains("5 of 100 bytes"))
  }

  @Test("dropping the body, cancelling it, and cancelling the reader each close the connection", arguments: 0..<3)
  func ended(way: Int) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\r\nx")
      try connection.waitForClient()
    }
    let transport = try HTTPTransport()
    let request = try HTTPRequest(.get, HTTPURL(server.url), limits: .endless(idle: nil))
    switch way {
    case 0: _ = try await transport.stream(request).head
    case 1:
      let stream = try await transport.stream(request)
      stream.body.cancel()
      _ = try? await stream.body.next()
      await #expect(throws: CancellationError.self) { try await stream.body.next() }
    default:
      let stream = try await transport.stream(request)
      #expect(try await stream.body.next() == Array("x".utf8))
      let reader = Task { try await stream.body.next() }
      reader.cancel()
      await #expect(throws: CancellationError.self) { try await reader.value }
    }
    await server.waitForClosedConnections(1)
  }

  @Test("a slow reader of one stream stalls no other request")
  func independence() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/small" {
          try connection.respond(text: "ok")
        } else {
          try connection.send("HTTP/1.1 200 OK\r\n\r\n")
          while true { try connection.send([UInt8](repeating: 1, count: 1 << 16)) }
        }
      }
    }
    let transport = try HTTPTransport()
    let stream = try await transport.stream(
      HTTPRequest(.get, HTTPURL("\(server.url)/big"), limits: .endless(idle: nil)))
    for _ in 0..<50 {
      let response = try await transport.send(HTTPRequest(.get, HTTPURL("\(server.url)/small")))
      #expect(response.status == 200)
    }
    #expect(try await stream.body.next() != nil)
  }

  @Test("a body limit holds for a stream too")
  func limit() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while true { try connection.send([UInt8](repeating: 1, count: 1 << 16)) }
    }
    var limits = HTTPLimits()
    limits.maxBodyBytes = 1 << 20
    let stream = try await HTTPTransport().stream(HTTPRequest(.get, HTTPURL(server.url), limits: limits))
    var count = 0
    let error = try await #require(throws: SluiceError.self) {
      while let piece = try await stream.body.next() { count += piece.count }
    }
    #expect(error.code == .limitExceeded)
    #expect(count <= 1 << 20)
  }
}
