import FirestoreServer
import Foundation
import SluiceCore
import Testing

@Suite("Faults by script")
struct FaultTests {
  /// What a client that follows every token sees, up to ten requests: the first id of each page, or what went wrong.
  static func trail(_ client: TinyClient, requests: Int = 10, size: Int = 10) throws -> [String] {
    var trail: [String] = []
    var token: String?
    for _ in 0..<requests {
      let reply = try client.send(
        "GET", "users?pageSize=\(size)" + (token.map { "&pageToken=" + $0.queryEscaped } ?? ""))
      let after = reply.headers["retry-after"].map { " retry \($0)" } ?? ""
      if reply.status == 0 {
        trail.append("closed")
      } else if reply.status != 200 {
        trail.append("\(reply.status)\(after)")
      } else if !reply.isComplete {
        trail.append("cut")
      } else if reply.json == .null {
        trail.append(reply.body.isEmpty ? "blank" : reply.text.hasPrefix("<") ? "html" : "bad")
      } else {
        trail.append(reply.ids.first ?? "empty")
        token = reply.nextPageToken
        if token == nil { return trail + ["end"] }
      }
    }
    return trail
  }

  @Test("a script limited to some requests leaves the others alone, and counts each path by itself")
  func limited() throws {
    let server = try FirestoreServer.started(documents: 50)
    defer { server.stop() }
    let first = try FaultScript.named("loop", page: 3).limited(to: .path(containing: "/projects/one/"))
    let second = try FaultScript.named("r429", page: 3).limited(to: .path(containing: "/projects/two/"))
    server.script(first + second)
    func statuses(_ project: String) throws -> [Int] {
      let client = TinyClient(server)
      var token = ""
      return try (0..<6).map { _ in
        let path = "/v1/projects/\(project)/databases/(default)/documents/users?pageSize=10&pageToken="
        let reply = try client.send("GET", path + token.queryEscaped)
        if reply.status == 200 { token = reply.nextPageToken ?? "" }
        return reply.status == 200 ? Int(reply.ids.first?.dropFirst() ?? "") ?? 0 : -reply.status
      }
    }
    #expect(try statuses("one") == [1, 11, 21, 21, 21, 21])
    #expect(try statuses("two") == [1, 11, -429, -429, 21, 31])
    #expect(try statuses("three") == [1, 11, 21, 31, 41, 1])
  }

  @Test(
    "every named script, at page 3 of 5",
    arguments: [
      "ok": "1 2 3 4 5 end", "loop": "1 2 3 3 3 3 3 3 3 3", "loop2": "1 2 3 4 3 4 3 4 3 4",
      "sameTokenForever": "1 2 3 4 5 5 5 5 5 5", "ignoreToken": "1 1 1 1 1 1 1 1 1 1",
      "ignorePageSize": "1 end", "cap": "1 2 3 4 5 end", "empty": "1 2 empty 4 5 end", "endsHere": "1 2 3 end",
      "r401": "1 2 401 401 401 401 401 401 401 401", "r401once": "1 2 401 3 4 5 end",
      "r429": "1 2 429 retry 7|429 retry 7|3 4 5 end", "r500": "1 2 500 500 3 4 5 end",
      "r429forever":
        "1 2 429 retry 7|429 retry 7|429 retry 7|429 retry 7|429 retry 7|429 retry 7|429 retry 7|429 retry 7",
      "r503": "1 2 503 retry 7|503 retry 7|3 4 5 end",
      "r503forever":
        "1 2 503 retry 7|503 retry 7|503 retry 7|503 retry 7|503 retry 7|503 retry 7|503 retry 7|503 retry 7",
      "cut": "1 2 cut 3 4 5 end", "cutforever": "1 2 cut cut cut cut cut cut cut cut", "drop": "1 2 closed 3 4 5 end",
      "dropforever": "1 2 closed closed closed closed closed closed closed closed", "bad1": "1 2 bad 3 4 5 end",
      "bad": "1 2 bad bad bad bad bad bad bad bad", "html": "1 2 html html html html html html html html",
      "html1": "1 2 html 3 4 5 end", "html502": "1 2 502 502 502 502 502 502 502 502",
      "html502once": "1 2 502 3 4 5 end", "loop3": "1 2 3 4 5 3 4 5 3 4", "loop50": "1 2 3 4 5 end",
      "emptyForever": "1 2 empty empty empty empty empty empty empty empty",
      "emptyToken": "1 2 3 4 5 1 2 3 4 5", "nullToken": "1 2 3 4 5 end", "tokenAtEnd": "1 2 3 4 5 5 5 5 5 5",
      "overlap": "1 d0009 d0019 d0029 d0039 end", "fixedPageSize": "1 2 3 4 5 end",
      "insertBefore": "1 2 3 4 5 end", "deleteBefore": "1 2 3 4 5 end", "saysPage1": "1 2 3 4 5 end",
      "idleClose": "1 2 3 4 5 end", "refuseToken": "1 2 400 3 4 5 end", "expiredReadTime": "1 2 400 3 4 5 end",
      "emptyBody": "1 2 blank blank blank blank blank blank blank blank",
      "emptyBody1": "1 2 blank 3 4 5 end", "slow": "1 2 3 4 5 end",
    ])
  func named(name: String, expected: String) throws {
    // Pages of ten: page 3 begins with d0021. The own page size is 50, so that ignoring the asked one shows.
    let server = try FirestoreServer.started(documents: 50) { $0.defaultPageSize = 50 }
    defer { server.stop() }
    server.script(try .named(name, page: 3, retryAfter: 7))
    let words = expected.replacingOccurrences(of: " retry 7|", with: "_retry_7 ").replacingOccurrences(
      of: " retry 7", with: "_retry_7"
    )
    .split(separator: " ").map { word in
      Int(word).map { $0 < 10 ? String(format: "d%04d", ($0 - 1) * 10 + 1) : "\($0)" }
        ?? word.replacingOccurrences(of: "_", with: " ")
    }
    #expect(try Self.trail(TinyClient(server)) == words)
  }

  @Test("a name that is none is an error")
  func names() throws {
    #expect(throws: SluiceError.self) { try FaultScript.named("nonsense") }
  }

  @Test("Retry-After as a date and as rubbish")
  func retryAfter() throws {
    let server = try FirestoreServer.started(documents: 1)
    defer { server.stop() }
    let client = TinyClient(server)
    for (name, status) in [("r429date", 429), ("r503date", 503)] {
      server.script(try .named(name, page: 1, retryAfter: 100))
      let reply = try client.send("GET", "users")
      #expect(reply.status == status)
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let text = try #require(reply.headers["retry-after"])
      let date = try #require(formatter.date(from: text))
      #expect(formatter.string(from: date) == text)
      #expect(95...101 ~= date.timeIntervalSinceNow)
    }
    server.script(try .named("r429rubbish", page: 1))
    #expect(try client.send("GET", "users").headers["retry-after"] == "soon")
  }

  @Test("a changed page size is refused where the script says so; the same one is not")
  func fixedPageSize() throws {
    let server = try FirestoreServer.started(documents: 30)
    defer { server.stop() }
    server.script(try .named("fixedPageSize"))
    let client = TinyClient(server)
    let first = try client.send("GET", "users?pageSize=10")
    let token = try #require(first.nextPageToken).queryEscaped
    #expect(try client.send("GET", "users?pageSize=5&pageToken=\(token)").status == 400)
    #expect(try client.send("GET", "users?pageSize=10&pageToken=\(token)").ids.count == 10)
  }

  @Test("documents come and go between two pages of one listing")
  func changes() throws {
    let server = try FirestoreServer.started(documents: 6)
    defer { server.stop() }
    server.script(try .named("insertBefore", page: 2) + .named("deleteBefore", page: 3))
    #expect(try Self.trail(TinyClient(server), size: 2) == ["d0001", "d0003", "d0005", "end"])
    let now = try server.store.documents(in: "users").map(\.path)
    // What was put in first is what the deletion found.
    #expect(now == (1...6).map { "users/d000\($0)" })
  }

  @Test("counts requests by page, connections, and which request came over which")
  func counters() async throws {
    let server = try FirestoreServer.started(documents: 30)
    defer { server.stop() }
    server.script(try .named("bad", page: 2) + .named("idleClose"))
    _ = try Self.trail(TinyClient(server), requests: 4)
    #expect(server.log.requestsPerPage() == [1: 1, 2: 3])
    #expect(server.log.requestsPerPage(pathContaining: "/others") == [:])
    #expect(server.log.counters.connections == 4)
    #expect(server.log.requests.map(\.connection) == [1, 2, 3, 4])
  }

  @Test("a loop can begin at the first page")
  func loopAtOnce() throws {
    let server = try FirestoreServer.started(documents: 50)
    defer { server.stop() }
    server.script(try .named("loop", page: 1))
    #expect(try Self.trail(TinyClient(server), requests: 3) == ["d0001", "d0001", "d0001"])
    server.script(try .named("loop2", page: 1))
    #expect(try Self.trail(TinyClient(server), requests: 4) == ["d0001", "d0011", "d0001", "d0011"])
  }

  @Test("rules combine: matches by method, collection and attempt, and several actions at once")
  func rules() throws {
    let server = try FirestoreServer.started(documents: 20)
    defer { server.stop() }
    try server.store.set("others/o", [])
    let client = TinyClient(server)
    server.script(
      FaultScript(
        FaultRule(.collection("users") && !.method(.get), .cap(5)),
        FaultRule(.method(.get) && .attempts(upTo: 1), .status(503, retryAfterText: "Fri, 31 Dec 1999 23:59:59 GMT"))))
    #expect(try client.send("GET", "users?pageSize=10").ids.count == 5)
    let refused = try client.send("GET", "others/o")
    #expect(refused.status == 503 && refused.errorStatus == "UNAVAILABLE")
    #expect(refused.headers["retry-after"] == "Fri, 31 Dec 1999 23:59:59 GMT")
    #expect(try client.send("GET", "others/o").status == 200)
    server.script(FaultScript())
    #expect(try client.send("GET", "users?pageSize=10").ids.count == 10)
  }

  @Test("a refused commit is not done; a dropped one is")
  func writes() throws {
    let server = try FirestoreServer.started()
    defer { server.stop() }
    let client = TinyClient(server)
    func commit(_ id: String) throws -> TinyReply {
      let name = "projects/demo/databases/(default)/documents/c/\(id)"
      return try client.send("POST", ":commit", #"{"writes":[{"update":{"name":"\#(name)","fields":{}}}]}"#)
    }
    server.script(
      FaultScript(
        FaultRule(.method(.commit) && .page(1) && .attempts(upTo: 1), .status(503)),
        FaultRule(.method(.commit) && .page(2) && .attempts(upTo: 1), .drop)))
    #expect(try commit("a").status == 503)
    #expect(try server.store.count(in: "c") == 0)
    #expect(try commit("a").status == 200)
    #expect(try commit("b").status == 0)
    #expect(try server.store.count(in: "c") == 2)
    #expect(try commit("b").status == 200)
  }

  @Test("a gate holds answers until it opens, while others are answered")
  func gate() async throws {
    let server = try FirestoreServer.started(documents: 1)
    defer { server.stop() }
    let gate = FaultGate()
    server.script(FaultScript(FaultRule(.collection("users"), .hold(gate))))
    let client = TinyClient(server)
    let held = Thread.result { try client.send("GET", "users") }
    await gate.arrived()
    #expect(try client.send("GET", "others").text == "{}")
    #expect(gate.arrivals == 1)
    gate.open()
    #expect(try await held.value().ids == ["d0001"])
    #expect(try client.send("GET", "users").ids == ["d0001"])
  }

  @Test("a server stops while it holds answers")
  func stopWhileHolding() async throws {
    let server = try FirestoreServer.started(documents: 1)
    let gate = FaultGate()
    server.script(FaultScript(FaultRule(.any, .hold(gate))))
    let client = TinyClient(server)
    let held = Thread.result { try client.send("GET", "users") }
    await gate.arrived()
    server.stop()
    _ = try await held.value()
    gate.open()
  }
}

/// A result that a thread of its own works out, so that a waiting socket blocks no task.
final class ThreadResult<R: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var result: Result<R, any Error>?
  private var continuation: CheckedContinuation<R, any Error>?

  func finish(_ result: Result<R, any Error>) {
    // Whoever comes second, the result or the one who waits, finds the other under the lock.
    let continuation = condition.withLock {
      self.result = result
      return self.continuation
    }
    continuation?.resume(with: result)
  }

  func value() async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let result = condition.withLock {
        self.continuation = continuation
        return self.result
      }
      if let result { continuation.resume(with: result) }
    }
  }
}

extension Thread {
  static func result<R: Sendable>(_ body: @escaping @Sendable () throws -> R) -> ThreadResult<R> {
    let result = ThreadResult<R>()
    Thread { result.finish(Result { try body() }) }.start()
    return result
  }
}
