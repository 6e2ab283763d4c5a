import Synchronization

/// A request that a server answered.
public struct RequestRecord: Sendable {
  /// `GET`, `POST`, …
  public var verb: String
  /// The path with its escapes.
  public var path: String
  /// The query without escapes, in order; credentials in it are left out.
  public var query: [(name: String, value: String)]
  /// What was asked for; nil where there is no such thing.
  public var method: ServerMethod?
  /// The status of the answer.
  public var status: Int
  /// Documents in the answer.
  public var documents: Int
  /// Bytes of the answer's body, before a fault damages it on its way.
  public var bytes: Int
  /// Which page of a listing was asked for, from 1; nil for other requests, and where a token names none.
  public var page: Int?
  /// The number of the connection that the request came over, from 1.
  public var connection: Int

  /// The last value of this name in the query.
  public func parameter(_ name: String) -> String? { query.last { $0.name == name }?.value }
}

/// Sums over the requests that a server answered.
public struct RequestCounters: Sendable, Equatable {
  /// Requests.
  public var requests = 0
  /// Of them, those answered with a status of 400 or above.
  public var failures = 0
  /// Documents in answers.
  public var documents = 0
  /// Reads as Firestore would bill them: one for each document, at least one for each query.
  public var billedReads = 0
  /// Writes that took effect, deletes not counted.
  public var writes = 0
  /// Deletes that took effect.
  public var deletes = 0
  /// Bytes of answers' bodies.
  public var bytes = 0
  /// Connections that were accepted.
  public var connections = 0

  /// Nothing yet.
  public init() {}
}

/// What a server was asked, for tests to look at. Safe to use from any task.
public final class RequestLog: Sendable {
  private struct State {
    var records: [RequestRecord] = []
    var counters = RequestCounters()
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// The requests in the order of their answers: the first ones, up to the configured number.
  public var requests: [RequestRecord] { state.withLock { $0.records } }

  /// Sums over all requests.
  public var counters: RequestCounters { state.withLock { $0.counters } }

  /// How often each page of a listing was asked for, by its number, of the paths that hold a text.
  public func requestsPerPage(pathContaining text: String = "") -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for request in requests where request.path.contains(text) {
      if let page = request.page { counts[page, default: 0] += 1 }
    }
    return counts
  }

  /// Forgets everything.
  public func reset() { state.withLock { $0 = State() } }

  func connectionOpened() { state.withLock { $0.counters.connections += 1 } }

  func append(_ record: RequestRecord, _ answer: Answer?) {
    state.withLock { state in
      if state.records.count < capacity { state.records.append(record) }
      state.counters.requests += 1
      if record.status >= 400 { state.counters.failures += 1 }
      state.counters.bytes += record.bytes
      state.counters.documents += record.documents
      state.counters.billedReads += answer?.billedReads ?? 0
      state.counters.writes += answer?.writes ?? 0
      state.counters.deletes += answer?.deletes ?? 0
    }
  }
}
