import SluiceCore
import SluiceTesting
import Synchronization

/// Fits: a sink that commits data, checkpoint and ledger as one, and can die before any commit.
final class TransactionalSink: Transactional {
  struct Config: Configurable {
    var database = Database()
    init() {}
    init(_ database: Database) { self.database = database }
    static let spec = ConfigSpec<Config>("A database.", [])
  }

  /// What survives a crash.
  final class Database: Sendable {
    struct Contents {
      var rows: [Key: Value] = [:]
      var checkpoint: Checkpoint?
      var commits = 0
      var dieAfterCommit: Int?
    }
    let contents = Mutex(Contents())
    let ledger = MemoryLedger(identity: SinkIdentity("database"))
  }

  static let name = "transactional"
  static let summary = "A database."

  private let database: Database
  init(_ config: Config, context: AdapterContext) async throws { database = config.database }

  func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    let batch = delivery.batch
    let progress = delivery.progress
    let mustDie = database.contents.withLock { contents in
      for change in batch {
        switch change {
        case .upsert(let document): contents.rows[document.key] = .map(document.fields.materialized)
        case .delete(let key, _): contents.rows[key] = nil
        case .dropped: break
        }
      }
      contents.checkpoint = progress?.checkpoint
      contents.commits += 1
      return contents.commits == contents.dieAfterCommit
    }
    if let page = progress?.ledger { database.ledger.learn(page) }
    // The commit is done; the state store will not hear of it.
    if mustDie { throw SluiceError(.io, "killed") }
    return delivery.confirm()
  }

  func identity(creating: Bool) async throws -> SinkIdentity? { database.ledger.identity }
  func isEmpty() async throws -> Bool { database.contents.withLock { $0.rows.isEmpty } }
  func savedCheckpoint(job: String) async throws -> Checkpoint? {
    database.contents.withLock { $0.checkpoint?.job == job ? $0.checkpoint : nil }
  }
  func ledger(job: String) async throws -> any Ledger { database.ledger }
}
