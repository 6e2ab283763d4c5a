import Foundation
import SluiceTesting

@testable import SluiceSQLite

/// When a run is killed.
struct KillPoint: Sendable {
  /// What is waited for.
  enum Event: Sendable {
    /// The program was started.
    case started
    /// So many list requests came.
    case requested(Int)
    /// The file was replaced.
    case fileReplaced
    /// The table was swapped.
    case tableSwapped
    /// The table's database was seen changed so often.
    case tableCommitted(Int)
  }

  var event: Event
  /// Microseconds that pass after it.
  var delay = 0

  /// Kills a child at this point, unless it ends before. Answers what became of it.
  func kill(_ child: ChildProcess, in workshop: Workshop, _ requests: ListRequests) async throws -> ChildProcess.Result
  {
    let first = requests.count
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = await child.wait()
        requests.release()
      }
      let file = workshop.folder.file("out/users.jsonl")
      let table = TableWatch(workshop.folder.file("out/users.db"))
      switch event {
      case .started: break
      case .requested(let count): await requests.reached(first + count)
      case .fileReplaced: await child.change(of: { FileIdentity(of: file) })
      case .tableSwapped: await child.change(of: { table.generation })
      case .tableCommitted(let count): for _ in 0..<count { await child.change(of: { table.version }) }
      }
      let end = ContinuousClock.now + .microseconds(delay)
      while ContinuousClock.now < end, !child.hasEnded { await Task.yield() }
      child.signal(SIGKILL)
      try await group.waitForAll()
      return await child.wait()
    }
  }
}

extension ChildProcess {
  /// Looks without a pause, so that what follows comes within microseconds. Ends with the child, too.
  fileprivate func change<T: Equatable>(of value: () -> T) async {
    let before = value()
    while !hasEnded, value() == before { await Task.yield() }
  }
}

/// Looks at a published table.
private final class TableWatch {
  private let path: String
  private var connection: Connection?

  init(_ path: String) { self.path = path }

  /// The published generation; nil as long as nothing can be seen.
  var generation: Int64? { value("SELECT generation FROM _sluice_publications WHERE target = 'users'") }

  /// Another one after each commit of another process.
  var version: Int64? { value("PRAGMA data_version") }

  private func value(_ sql: String) -> Int64? {
    do {
      if connection == nil { connection = try Connection(path: path, creating: false, synchronous: .normal) }
      return try connection?.first(sql) { $0.int(0) }
    } catch {
      return nil
    }
  }
}
