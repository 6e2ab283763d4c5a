import SluiceCore
import SluiceTesting
import Synchronization
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

  @Test("C143 10,000 requests, half of them cancelled, leave no memory, descriptor or thread behind")
  func noLeak() async throws {
    // Answers a quick request once the hanging one of its number has come, which may be cancelled then.
    let arrived = Mutex<Set<Substring>>([])
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let number = request.target.split(separator: "/")[1]
        if request.target.hasPrefix("/hang") {
          arrived.withLock { _ = $0.insert(number) }
          try connection.waitForClient()
        } else {
          while !arrived.withLock({ $0.contains(number) }) { poll(nil, 0, 1) }
          try connection.respond(text: "ok")
        }
      }
    }
    // In a process of its own: other tests open and close descriptors too, and the server remembers what it has seen.
    await #expect(processExitsWith: .success) { [url = server.url as String] in
      var number = 0
      func round(_ count: Int) async throws {
        let transport = try HTTPTransport()
        for _ in 0..<(count / 20) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
              number += 1
              let (quick, hanging) = try (HTTPURL("\(url)/quick/\(number)"), HTTPURL("\(url)/hang/\(number)"))
              let task = Task { try await transport.send(HTTPRequest(.get, hanging)) }
              group.addTask {
                _ = try await transport.send(HTTPRequest(.get, quick))
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
              }
            }
            try await group.waitForAll()
          }
        }
        transport.close()
      }
      // The first round starts what stays for the life of the process.
      try await round(40)
      let before = (Self.openDescriptors(), Self.threads())
      try await round(2000)
      let filled = Self.residentKilobytes()
      try await round(8000)
      let after = (Self.openDescriptors(), Self.threads())
      let grown = Self.residentKilobytes() - filled
      #expect(after.0 == before.0, "descriptors: \(before.0) before, \(after.0) after")
      #expect(after.1 <= before.1 + 1, "threads: \(before.1) before, \(after.1) after")
      // A kilobyte left behind by each of 8,000 would be eight megabytes. A sanitizer keeps what was freed.
      #expect(grown < 4096 || Self.isSanitized, "\(grown) KB more after 10,000 requests than after 2,000")
    }
    #expect(server.requests.count >= 10_000)
  }

  /// What the process holds in memory; 0 where the system does not tell.
  private static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 200)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024 : 0
  }

  private static var isSanitized: Bool {
    (["__tsan_init", "__asan_init"] as [String]).contains { dlsym(UnsafeMutableRawPointer(bitPattern: 0), $0) != nil }
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
