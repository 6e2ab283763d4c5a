import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time a server goes by: the system's, or one that tests set.
///
/// Commits are later than one another by at least a microsecond, so a clock that stands still does no harm.
public final class ServerClock: Sendable {
  private let isManual: Bool
  private let time: Mutex<Timestamp>

  /// The system's clock.
  public static let system = ServerClock(isManual: false, Timestamp(seconds: 0, nanoseconds: 0))

  /// A clock that stands still until it is set.
  public convenience init(at timestamp: Timestamp) { self.init(isManual: true, timestamp) }

  private init(isManual: Bool, _ timestamp: Timestamp) {
    self.isManual = isManual
    time = Mutex(timestamp)
  }

  /// Sets a clock that tests made; may go backwards. Of no effect on the system's clock.
  public func set(to timestamp: Timestamp) { time.withLock { $0 = timestamp } }

  /// Moves a clock that tests made by whole seconds.
  public func advance(bySeconds seconds: Int64) { time.withLock { $0.seconds += seconds } }

  /// The time, in microseconds since 1970.
  var microseconds: Int64 {
    if isManual { return time.withLock { Microseconds.of($0) } }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}

/// Times of commits: microseconds since 1970, as Firestore has them.
enum Microseconds {
  /// Rounded down.
  static func of(_ timestamp: Timestamp) -> Int64 {
    timestamp.seconds * 1_000_000 + Int64(timestamp.nanoseconds) / 1000
  }

  static func timestamp(_ microseconds: Int64) -> Timestamp {
    let seconds = microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    return Timestamp(seconds: seconds, nanoseconds: UInt32(microseconds - seconds * 1_000_000) * 1000)
  }
}
