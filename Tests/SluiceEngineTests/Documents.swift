import SluiceCore
import SluiceTesting
import Synchronization

/// Documents that a test changes one by one between runs.
final class Documents: Sendable {
  private let all: Mutex<[Key: [Field]]>

  init(_ numbers: some Sequence<Int>) {
    all = Mutex(Dictionary(uniqueKeysWithValues: documents(numbers).map { ($0.key, $0.fields) }))
  }

  func change(_ body: (inout [Key: [Field]]) -> Void) {
    var copy = all.withLock { $0 }
    body(&copy)
    let changed = copy
    all.withLock { $0 = changed }
  }

  var script: PageScript { .documents { self.all.withLock { $0.map { ($0.key, $0.value) } } } }
}
