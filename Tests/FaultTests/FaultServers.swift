import FirestoreServer
import Foundation
import SluiceCore
import SluiceJSON
import SluiceTesting
import Testing

/// Both fault servers over the same documents, running while a suite runs.
final class FaultServers: Sendable {
  /// Those of the suite that runs.
  @TaskLocal static var current: FaultServers?

  /// One of the two.
  enum Kind: String, Sendable, CaseIterable {
    /// The shared bench's, a process of its own.
    case script
    /// The embedded Firestore.
    case embedded
  }

  private let data: BenchData
  private let script: ChildProcess
  private let scriptOrigin: String
  private let embedded: FirestoreServer

  init() async throws {
    data = try await BenchData()
    (script, scriptOrigin) = try await data.startFaultServer()
    embedded = try FirestoreServer()
    try embedded.store.seed(jsonLines: data.typedLines(), into: BenchData.collection)
    // The server shows every project the same data: each mode has a project, so that one server serves them all.
    var faults = FaultScript()
    for mode in FaultRow.table.map(\.mode) {
      let script = try FaultScript.named(mode, page: FaultRow.page)
      faults = faults + script.limited(to: .path(containing: "/projects/\(mode)/"))
    }
    embedded.script(faults)
  }

  func stop() {
    // Collected when it is let go.
    script.signal(SIGKILL)
    embedded.stop()
  }

  /// Project and endpoint of a mode.
  func address(of mode: String, _ kind: Kind) -> (project: String, endpoint: String) {
    switch kind {
    case .script: ("demo", "\(scriptOrigin)/f/\(mode)")
    case .embedded: (mode, embedded.origin)
    }
  }

  /// How often each page was asked for in a mode, in the order of the pages.
  func requests(of mode: String, _ kind: Kind) throws -> [Int] {
    switch kind {
    case .script:
      var counts: [Int: Int] = [:]
      for line in try data.folder.text("fault.log").split(separator: "\n") {
        guard case .map(let record) = try JSON.parse(String(line)), record.contains(Field("mode", .string(mode))),
          case .int(let page)? = record.first(where: { $0.name == "page" })?.value
        else { continue }
        counts[Int(page), default: 0] += 1
      }
      return (0..<(counts.keys.max() ?? -1) + 1).map { counts[$0] ?? 0 }
    case .embedded:
      let counts = embedded.log.requestsPerPage(pathContaining: "/projects/\(mode)/")
      return (0..<(counts.keys.max() ?? 0)).map { counts[$0 + 1] ?? 0 }
    }
  }
}

/// Starts the fault servers before a suite and stops them after it, however it ends.
struct FaultServersTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let servers = try await FaultServers()
    defer { servers.stop() }
    try await FaultServers.$current.withValue(servers) { try await function() }
  }
}

extension Trait where Self == FaultServersTrait {
  /// Both fault servers, one pair for the suite.
  static var faultServers: Self { Self() }
}

extension Trait where Self == ConditionTrait {
  /// For tests that run the shared bench's scripts.
  static var needsBench: Self {
    .enabled(
      if: BenchData.bench != nil && BenchData.hasPython, "needs the shared bench (SLUICE_SHARED) and python3")
  }
}
