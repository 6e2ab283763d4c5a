import SluiceCore
import SluiceTesting
import Testing

@testable import SluiceHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("Cancelling and closing", .timeLimit(.minutes(5)))
struct CancellationTests {
  @Test("a cancelled request returns at once and its connection is closed")
  func cancelled() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.waitForClient()
    }
    let transport = try HTTPTransport()
    let request = try HTTPRequest(.get, HTTPURL(server.url))
    let task = Task { try await transport.send(request) }
    await server.waitForRequests(1)
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - start < .seconds(20), "the server would hold the answer for ever")
    await server.waitForClosedConnections(1)
  }

  @Test("a task that is cancelled already sends nothing")
  func cancelledBefore() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil { try connection.respond(text: "ok") }
    }
    let transport = try HTTPTransport()
    let request = try HTTPRequest(.get, HTTPURL(server.url))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(request)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test("close ends what is under way, and what comes later fails")
  func closed() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.waitForClient()
    }
    let transport = try HTTPTransport()
    let request = try HTTPRequest(.get, HTTPURL(server.url))
    let task = Task { try await transport.send(request) }
    await server.waitForRequests(1)
    transport.close()
    transport.close()
    let error = try await #require(throws: SluiceError.self) { try await task.value }
    #expect(error.message == "the HTTP transport was closed")
    await #expect(throws: SluiceError.self) { try await transport.send(request) }
    await server.waitForClosedConnections(1)
  }

  @Test("C143 a thousand requests, half of them cancelled, leave no descriptor and no thread behind")
  func noLeak() async {
    // In a process of its own: other tests open and close descriptors too.
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer { connection in
        while let request = try connection.readRequest() {
          if request.target == "/hang" { try connection.waitForClient() } else { try connection.respond(text: "ok") }
        }
      }
      func round(_ count: Int) async throws {
        let transport = try HTTPTransport()
        let (quick, hanging) = try (HTTPURL("\(server.url)/quick"), HTTPURL("\(server.url)/hang"))
        for _ in 0..<(count / 20) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
              group.addTask { _ = try await transport.send(HTTPRequest(.get, quick)) }
              let seen = server.requests.count
              let task = Task { try await transport.send(HTTPRequest(.get, hanging)) }
              group.addTask {
                await server.waitForRequests(seen + 1)
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
              }
            }
            try await group.waitForAll()
          }
        }
        transport.close()
        await server.waitUntilAllConnectionsAreClosed()
      }
      // The first round starts what stays for the life of the process.
      try await round(40)
      let before = (Self.openDescriptors(), Self.threads())
      try await round(1000)
      let after = (Self.openDescriptors(), Self.threads())
      #expect(after.0 == before.0, "descriptors: \(before.0) before, \(after.0) after")
      #expect(after.1 <= before.1 + 1, "threads: \(before.1) before, \(after.1) after")
      #expect(server.requests.count >= 500)
    }
  }

  private static func openDescriptors() -> Int {
    (0..<Int32(4096)).count { fcntl($0, F_GETFD) != -1 }
  }

  /// The threads of this process; 0 where the system does not tell.
  private static func threads() -> Int {
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) { if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 } }
    return count
  }
}
