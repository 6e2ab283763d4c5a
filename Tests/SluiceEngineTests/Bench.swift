import SluiceCore
import SluiceEngine
import SluicePaging
import SluiceTesting
import Synchronization

/// A job on scripted parts, run as often as a test likes on one state store.
struct Bench {
  var script: PageScript
  var stores: [RecordingStore]
  var state = MemoryStateStore()
  var name = "job"
  var mode = Mode.copy
  var deletes = DeleteStyle.hard
  var timestampDigits = 9
  var publish = Capabilities.PublishMode.inPlace
  var order = Capabilities.Order.byKey
  var identity = "scripted"
  var account: String?
  var freeReadsPerDay: Int?
  var size = 3
  var transforms: [TransformPlan] = []
  var onReject = OnReject.stop
  var onPositionLost = OnPositionLost.resnapshot
  var limits = LimitSettings()
  var stop = StopSignal()
  let events = Events()

  init(_ script: PageScript, into stores: RecordingStore...) {
    self.script = script
    self.stores = stores
  }

  var plan: JobPlan {
    var config = ScriptedSource.Config(script, order: order, account: account)
    config.identity = identity
    config.freeReadsPerDay = freeReadsPerDay
    var paging = PageToken.Config()
    paging.size = size
    return JobPlan(
      name: name, source: AdapterPlan(ScriptedSource.self, config), paging: PagingPlan(PageToken(paging)),
      transforms: transforms,
      sinks: stores.enumerated().map {
        JobPlan.SinkPlan(
          name: "sink\($0.offset)",
          adapter: AdapterPlan(RecordingSink.self, RecordingSink.Config($0.element, publish, digits: timestampDigits)))
      }, mode: mode, deletes: deletes, onReject: onReject, onPositionLost: onPositionLost, limits: limits)
  }

  @discardableResult func run(_ options: RunOptions = RunOptions()) async -> RunReport {
    let events = events
    let environment = RunEnvironment(
      now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) }, observe: { events.add($0) }, stop: stop)
    return await Engine(store: state, environment: environment).run(plan, options: options)
  }
}

/// The events of a run, in order.
final class Events: Sendable {
  private let all = Mutex<[RunEvent]>([])
  func add(_ event: RunEvent) { all.withLock { $0.append(event) } }
  var list: [RunEvent] { all.withLock { $0 } }
}

extension RunReport {
  /// The code of the error it failed with.
  var code: SluiceError.Code? { if case .failed(let error) = outcome { error.code } else { nil } }
  /// The error it failed with.
  var error: SluiceError? { if case .failed(let error) = outcome { error } else { nil } }
}

/// Documents `k0001`… with their number as the only field.
func documents(_ numbers: some Sequence<Int>) -> [(key: Key, fields: [Field])] {
  numbers.map { (key(String($0)), [Field("n", .int(Int64($0)))]) }
}

func key(_ number: String) -> Key { Key("k" + String(repeating: "0", count: 4 - number.count) + number) }

/// Documents that a test changes between runs.
final class Source: Sendable {
  private let numbers: Mutex<[Int]>
  init(_ numbers: some Sequence<Int>) { self.numbers = Mutex(Array(numbers)) }
  func set(_ new: some Sequence<Int>) {
    let new = Array(new)
    numbers.withLock { $0 = new }
  }
  var script: PageScript { .documents { documents(self.numbers.withLock { $0 }) } }
}

/// Asks a script as an adapter would.
func answer(_ script: PageScript, _ request: PageRequest) async throws -> Page {
  let context = AdapterContext(role: .source)
  return try await ScriptedSource(ScriptedSource.Config(script), context: context).page(request)
}
