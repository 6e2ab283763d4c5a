import SluiceCore

/// What happens beside a run, in child tasks of its one task: at most one page is fetched, and each sink has at most one
/// delivery.
enum WorkEvent: Sendable {
  /// Somebody asked to stop, or the run is cancelled.
  case stopped
  /// The page that was asked for is here, or is not to be had.
  case fetched(Result<Page, any Error>)
  /// A sink has confirmed a page, or failed.
  case delivered(lane: Int, page: UInt64, Result<SinkLane.Outcome, any Error>)
  /// Sinks that have not confirmed this page by now lag behind.
  case graceOver(page: UInt64)
}

/// One group for a whole listing: one made for each page would cost a task and three changes of threads more between two
/// requests.
typealias Work = ThrowingTaskGroup<WorkEvent, any Error>

/// How a page moves the listing on.
typealias PageChange = (partition: Int, next: PagingStep, highest: Key?, isEmpty: Bool)

/// What is on its way from the source and to the sinks of a run.
struct Feeds {
  /// How long the source and the other sinks wait for a sink at one page before it lags. Less than that is no reason to
  /// write pages to disk and read them again: two local sinks differ by that much when the disk is busy.
  static let grace = Duration.milliseconds(250)

  /// The page that came while another was being confirmed.
  var fetched: Result<Page, any Error>?
  /// Whether the run is to end.
  var isStopped = false
  /// Lanes with a delivery that is not confirmed yet.
  var busy: Set<Int> = []
  /// The number of the page that is being confirmed.
  var page: UInt64?
  /// What became of that page so far.
  var outcomes: [Int: SinkLane.Outcome] = [:]
  /// Whether the time runs by whose end a sink lags.
  var isTimed = false
  /// The newest page whose time is over.
  var graceOver: UInt64 = 0
}
