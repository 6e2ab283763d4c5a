/// In front of another visitor: cuts times to a number of digits of a second's fraction, as a sink does that keeps no
/// more. So that what such a sink holds compares equal with what it was given.
struct CoarseTimes<Inner: ValueVisitor & ~Copyable>: ValueVisitor, ~Copyable {
  private var inner: Inner
  /// Nanoseconds that the last digit kept stands for.
  private let unit: UInt32

  /// `digits` is 0…9; more count as 9.
  init(_ inner: consuming Inner, digits: Int) {
    self.inner = inner
    unit = (0..<max(0, 9 - digits)).reduce(1) { unit, _ in min(unit * 10, 1_000_000_000) }
  }

  /// The visitor behind, with what it was told.
  consuming func end() -> Inner { inner }

  mutating func name(_ utf8: Span<UInt8>, plain: Bool) { inner.name(utf8, plain: plain) }

  mutating func value(_ scalar: Scalar) {
    guard case .timestamp(let time) = scalar else { return inner.value(scalar) }
    inner.value(.timestamp(Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds / unit * unit)))
  }

  mutating func begin(_ container: Container) { inner.begin(container) }

  mutating func end(_ container: Container) { inner.end(container) }
}
