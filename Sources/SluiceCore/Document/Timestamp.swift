/// A moment: seconds since 1970-01-01T00:00:00Z and nanoseconds within the second.
///
/// Two numbers, because the years 1…9999 of Firestore and RFC 3339 do not fit one `Int64` of nanoseconds.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Seconds since 1970, negative before.
  public var seconds: Int64
  /// Nanoseconds after `seconds`, 0…999,999,999.
  public var nanoseconds: UInt32

  /// A moment. `nanoseconds` must be below 1,000,000,000.
  @inlinable public init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// In the order of time.
  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }
}
