import Foundation
import SluiceCore
import SluiceJSON
import SluiceStdout
import Testing

@Suite("Standard output as a sink", .serialized)
struct StdoutTests {
  private static func sink(
    _ descriptor: Int32, encoding: JSONLinesEncoding = .plain, keyField: String = "_key"
  ) -> StdoutAdapter {
    var config = StdoutAdapter.Config()
    config.encoding = encoding
    config.keyField = keyField
    return StdoutAdapter(config, descriptor: descriptor)
  }

  /// What arrives at the other end of a pipe while `body` writes into it.
  private static func printed(
    isNonblocking: Bool = false, _ body: (Int32) async throws -> Void
  ) async throws -> String {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    if isNonblocking { #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0) }
    let end = pipe.fileHandleForReading
    let (gate, arrived) = (DispatchSemaphore(value: 0), Arrived())
    // A thread of its own: the writer may block one of the few that tasks share.
    Thread.detachNewThread {
      arrived.data = end.readDataToEndOfFile()
      gate.signal()
    }
    do {
      try await body(descriptor)
      try pipe.fileHandleForWriting.close()
    } catch {
      try pipe.fileHandleForWriting.close()
      throw error
    }
    return arrived.text(after: gate)
  }

  /// Written by one thread, read by another after the semaphore: that is why it may be unchecked.
  private final class Arrived: @unchecked Sendable {
    var data = Data()
    func text(after gate: DispatchSemaphore) -> String {
      gate.wait()
      return String(decoding: data, as: UTF8.self)
    }
  }

  @Test("documents and deletes come as lines, in either encoding")
  func lines() async throws {
    var builder = BatchBuilder()
    builder.add(key: "a", ["n": .int(1)])
    builder.delete(key: Key("b"))
    let batch = try builder.finish()
    let plain = try await Self.printed { descriptor in
      var driver = SinkDriver(Self.sink(descriptor, keyField: "id"))
      let receipt = try await driver.send(batch)
      #expect(receipt.stage == nil)
      #expect(receipt.sequence == 1)
    }
    #expect(plain == "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"_deleted\":true}\n")
    let typed = try await Self.printed { descriptor in
      var driver = SinkDriver(Self.sink(descriptor, encoding: .typed))
      try await driver.send(batch)
    }
    let read = try TypedDecoder().lines(Array(typed.utf8))
    #expect(read.indices.map(read.kind(at:)) == [.upsert, .delete])
    #expect(read.fields(at: 0)["n"] == .int(1))
  }

  @Test(
    "more than a pipe holds arrives whole, in order, also on a descriptor that does not wait",
    arguments: [false, true])
  func large(isNonblocking: Bool) async throws {
    let text = String(repeating: "x", count: 500)
    let printed = try await Self.printed(isNonblocking: isNonblocking) { descriptor in
      var driver = SinkDriver(Self.sink(descriptor))
      for start in [0, 500] { try await driver.send(try numbered(start..<start + 500, text: text)) }
    }
    let lines = printed.split(separator: "\n")
    #expect(lines.count == 1_000)
    #expect(lines.enumerated().allSatisfy { $1.hasPrefix("{\"_key\":\"\(numberedKey($0))\"") })
    #expect(printed.utf8.count > 500_000)
  }

  @Test("a reader that went away is an error that says so, not the end of the process")
  func brokenPipe() async throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    var driver = SinkDriver(Self.sink(pipe.fileHandleForWriting.fileDescriptor))
    let error = await failure(of: &driver, try numbered(0..<1))
    #expect(error?.code == .io)
    #expect(error?.message.contains("stopped reading") == true)
    #expect(error?.hint != nil)
  }

  @Test("a descriptor that is not open, and a full device")
  func otherFailures() async throws {
    var closed = SinkDriver(Self.sink(-1))
    let error = await failure(of: &closed, try numbered(0..<1))
    #expect(error?.message.contains("Bad file descriptor") == true)
    #if os(Linux)
      let full = open("/dev/full", O_WRONLY)
      defer { close(full) }
      var driver = SinkDriver(Self.sink(full))
      let fullError = await failure(of: &driver, try numbered(0..<1))
      #expect(fullError?.message.contains("No space left") == true)
    #endif
  }

  @Test("a document with a field of the key's name is rejected, or nothing of the delivery is printed")
  func clash() async throws {
    var builder = BatchBuilder()
    builder.add(key: "a", ["n": .int(1)])
    builder.add(key: "b", ["_key": .int(1)])
    let batch = try builder.finish()
    let printed = try await Self.printed { descriptor in
      var driver = SinkDriver(Self.sink(descriptor))
      let error = await failure(of: &driver, batch, acceptsRejections: false)
      #expect(error?.code == .rejected)
      #expect(error?.place.key == "b")
      let receipt = try await driver.send(batch)
      #expect(receipt.rejections.map(\.key) == [Key("b")])
    }
    #expect(printed == "{\"_key\":\"a\",\"n\":1}\n")
  }

  @Test("it can only be written, has no identity, and every run lists anew")
  func contract() async throws {
    let sink = Self.sink(-1)
    #expect(try await sink.identity(creating: true) == nil)
    #expect(try await sink.isEmpty())
    let capabilities = StdoutAdapter.capabilities(of: StdoutAdapter.Config())
    #expect(capabilities.publishMode == .append)
    #expect(!capabilities.isReadable)
  }
}

/// The error of a delivery; nil where it went through.
private func failure(
  of driver: inout SinkDriver, _ batch: @autoclosure () throws -> Batch, acceptsRejections: Bool = true
) async -> SluiceError? {
  do {
    try await driver.send(try batch(), acceptsRejections: acceptsRejections)
    return nil
  } catch {
    return error as? SluiceError ?? SluiceError(.internal, "\(error)")
  }
}
