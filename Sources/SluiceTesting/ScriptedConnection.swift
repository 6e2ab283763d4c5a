#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One accepted connection, as its script sees it. Used by the script's thread only; every call blocks, and throws
/// `ScriptedServer.Stopped` when the server is stopped meanwhile.
///
/// `@unchecked Sendable`: it is made by the accepting thread and handed to the script's before anybody uses it.
public final class ScriptedConnection: @unchecked Sendable {
  /// The number of the connection, counted from 0.
  public let number: Int

  private var descriptor: Int32
  private let stopping: Gate
  private let record: ServerRecord
  private var pending: [UInt8] = []

  init(_ descriptor: Int32, number: Int, stopping: Gate, record: ServerRecord) {
    self.descriptor = descriptor
    self.number = number
    self.stopping = stopping
    self.record = record
  }

  // MARK: Reading

  /// Reads one request with its body (by Content-Length) and records it; nil when the client has closed.
  public func readRequest() throws -> RecordedRequest? {
    var end = Self.headEnd(pending)
    while end == nil {
      guard try fill() else { return nil }
      end = Self.headEnd(pending)
    }
    guard let end else { return nil }
    let lines = pending[..<(end - 4)].split(separator: 10)
      .map { String(decoding: $0.last == 13 ? $0.dropLast() : $0, as: UTF8.self) }
    pending.removeFirst(end)
    let words = (lines.first ?? "").split(separator: " ")
    let head = RecordedRequest(
      method: String(words.first ?? ""), target: String(words.dropFirst().first ?? ""),
      headerLines: Array(lines.dropFirst()), body: [], connection: number)
    let length = head.header("Content-Length").flatMap { Int($0) } ?? 0
    while pending.count < length { guard try fill() else { return nil } }
    let request = RecordedRequest(
      method: head.method, target: head.target, headerLines: head.headerLines, body: Array(pending.prefix(length)),
      connection: number)
    pending.removeFirst(length)
    record.update { $0.requests.append(request) }
    return request
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    let end: [UInt8] = [13, 10, 13, 10]
    for start in 0...(bytes.count - 4) where bytes[start] == 13 && bytes[start..<start + 4].elementsEqual(end) {
      return start + 4
    }
    return nil
  }

  /// Reads what is there; false at the end of the stream.
  private func fill() throws -> Bool {
    guard descriptor >= 0 else { return false }
    guard waitUntilReadable(descriptor, or: stopping) else { throw ScriptedServer.Stopped() }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0 { throw ScriptedServer.ConnectionLost(call: "recv", number: errno) }
    pending.append(contentsOf: buffer.prefix(count))
    return count > 0
  }

  // MARK: Sending

  /// Sends these bytes and nothing else.
  public func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      guard waitUntilWritable(descriptor, or: stopping) else { throw ScriptedServer.Stopped() }
      let count = bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress! + sent, bytes.count - sent) }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count < 0 { throw ScriptedServer.ConnectionLost(call: "send", number: errno) }
      sent += count
    }
  }

  /// Sends this text as UTF-8 and nothing else.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends a whole, correct answer. A `Content-Length` among the headers replaces the true one: that is how to lie.
  public func respond(_ status: Int = 200, headers: [String] = [], body: [UInt8] = []) throws {
    var head = "HTTP/1.1 \(status) Scripted\r\n"
    for line in headers { head += "\(line)\r\n" }
    if !headers.contains(where: { $0.lowercased().hasPrefix("content-length:") }) {
      head += "Content-Length: \(body.count)\r\n"
    }
    try send(Array((head + "\r\n").utf8) + body)
  }

  /// Sends a whole, correct answer with a text as its body.
  public func respond(_ status: Int = 200, headers: [String] = [], text: String) throws {
    try respond(status, headers: headers, body: Array(text.utf8))
  }

  /// Sends the bytes one by one, with a pause after each.
  public func drip(_ text: String, every pause: Duration) throws {
    for byte in text.utf8 {
      try send([byte])
      try sleep(pause)
    }
  }

  /// Whether the client leaves no room for a byte during `time`: it has stopped reading.
  public func isBlocked(for time: Duration) throws -> Bool {
    if waitUntilWritable(descriptor, or: stopping, milliseconds: time.wholeMilliseconds) { return false }
    if stopping.isOpen { throw ScriptedServer.Stopped() }
    return true
  }

  // MARK: Waiting and ending

  /// Waits until the test opens the gate.
  public func wait(for gate: Gate) throws {
    guard waitUntilReadable(gate.reader, or: stopping) else { throw ScriptedServer.Stopped() }
  }

  /// Waits until the client closes its side; what it still sends is thrown away.
  public func waitForClient() throws {
    do { while try fill() { pending.removeAll() } } catch is ScriptedServer.ConnectionLost {}
  }

  /// Waits until the server is stopped.
  public func hang() throws { try wait(for: Gate()) }

  /// Lets time pass. For dripping; a test's own conditions are gates.
  public func sleep(_ time: Duration) throws {
    if waitUntilReadable(stopping.reader, or: nil, milliseconds: time.wholeMilliseconds) {
      throw ScriptedServer.Stopped()
    }
  }

  /// Closes the connection in good order. Harmless when repeated.
  public func close() {
    guard descriptor >= 0 else { return }
    closeDescriptor(descriptor)
    descriptor = -1
    record.update { $0.closed += 1 }
  }

  /// Breaks the connection: the client gets a reset, and what it has not read yet is lost.
  public func reset() throws {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close()
  }
}
