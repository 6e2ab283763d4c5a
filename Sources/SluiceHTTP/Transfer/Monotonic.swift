#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import SluiceCore

/// Nanoseconds of a clock that never jumps; for limits.
struct Monotonic: Comparable, Sendable {
  var nanoseconds: Int64

  static var now: Monotonic {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Monotonic(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (a: Monotonic, b: Monotonic) -> Bool { a.nanoseconds < b.nanoseconds }

  static func + (a: Monotonic, b: Duration) -> Monotonic {
    let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.clampedNanoseconds)
    return Monotonic(nanoseconds: overflow ? .max : sum)
  }
}

extension Duration {
  /// In nanoseconds, at most about 292 years.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// In milliseconds for libcurl, never 0 (which would mean "no limit"), at most 24 days.
  var curlMilliseconds: Int {
    Int(max(1, min(clampedNanoseconds / 1_000_000, Int64(Int32.max))))
  }

  /// For a message: `2 s`, `150 ms`.
  var label: String {
    let milliseconds = clampedNanoseconds / 1_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

extension Timestamp {
  /// The wall clock.
  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }
}
