import SluiceCore
import Synchronization

/// Fits: a feed of every change, followed from a position, that a bad position loses and a cancel ends.
final class WatchedSource: Watchable {
  typealias Config = StoreConfig
  static let name = "dictionary_feed"
  static let summary = "The changes of a dictionary."
  static func capabilities(of config: Config) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: WatchedSource.self)
    capabilities.feed = .events
    return capabilities
  }

  private let store: DictionaryStore
  init(_ config: Config, context: AdapterContext) async throws { store = config.store }

  var retention: Duration? { get async { nil } }

  func mark() async throws -> WatchPosition { WatchPosition(String(store.logLength)) }

  func changes(after position: WatchPosition) async throws -> BatchStream {
    guard let start = Int(position.token), start <= store.logLength else {
      throw SluiceError(.positionLost, "the feed has no position \(position.token)")
    }
    let cursor = Cursor(start)
    let store = store
    return BatchStream {
      while !cursor.isCancelled {
        let changes = store.changes(from: cursor.index)
        guard !changes.isEmpty else {
          await store.waitForChange(beyond: cursor.index)
          continue
        }
        var builder = BatchBuilder()
        for (id, value) in changes {
          cursor.advance()
          let version = Version.sequence(UInt64(cursor.index))
          if let value {
            builder.add(key: Key(id), header: DocumentHeader(version: version), [Field("n", .int(value))])
          } else {
            builder.delete(key: Key(id), version: version)
          }
        }
        return ChangeBatch(try builder.finish(), position: WatchPosition(String(cursor.index)))
      }
      return nil
    } onCancel: {
      cursor.cancel()
      store.wake()
    }
  }
}

/// Where a follower stands. Its puller is one task; a cancel may come from any.
final class Cursor: Sendable {
  private let state: Mutex<(index: Int, isCancelled: Bool)>
  init(_ index: Int) { state = .init((index, false)) }
  var index: Int { state.withLock { $0.index } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  func advance() { state.withLock { $0.index += 1 } }
  func cancel() { state.withLock { $0.isCancelled = true } }
}
