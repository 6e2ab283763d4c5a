import SluiceCore

/// Ends the process where a property does not hold; libFuzzer keeps the input.
func expect(_ holds: Bool, _ property: @autoclosure () -> String, line: Int = #line, file: StaticString = #fileID) {
  if !holds { fatalError("\(file):\(line): does not hold: \(property())") }
}

/// What reading gave: a value, or an error of the reader.
enum Outcome<T> {
  case value(T)
  case error(SluiceError)

  init(_ body: () throws(SluiceError) -> T) {
    do throws(SluiceError) { self = .value(try body()) } catch { self = .error(error) }
  }

  var value: T? { if case .value(let value) = self { value } else { nil } }
  var error: SluiceError? { if case .error(let error) = self { error } else { nil } }
}

/// Reads JSON, and checks what an error says of its place: it lies within the input, line and column agree with the
/// offset, and "ends too early" is said only where the end of the input is to blame.
func read<T>(_ bytes: [UInt8], _ body: ([UInt8]) throws(SluiceError) -> T) -> Outcome<T> {
  let outcome = Outcome { () throws(SluiceError) in try body(bytes) }
  guard let error = outcome.error else { return outcome }
  // What the other side said of itself has no place in the answer.
  if error.code != .malformedData, error.code != .limitExceeded { return outcome }
  guard let offset = error.place.byteOffset, let line = error.place.line, let column = error.place.column else {
    fatalError("does not hold: an error has a place: \(error)")
  }
  expect((0...bytes.count).contains(offset), "byte \(offset) of \(bytes.count): \(error)")
  let before = bytes[..<offset]
  expect(line == before.count { $0 == 0x0A } + 1, "line \(line): \(error)")
  let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
  expect(column == bytes[start..<offset].count { $0 & 0xC0 != 0x80 } + 1, "column \(column): \(error)")
  if saysTooEarly(error) {
    expect(offset == bytes.count, "the end is the place: \(error)")
    // A byte that is allowed nowhere is to blame itself.
    if let later = Outcome({ () throws(SluiceError) in try body(bytes + [0x01]) }).error {
      expect(!saysTooEarly(later), "the end is to blame: \(error)")
    } else {
      expect(false, "a control character is refused: \(error)")
    }
  }
  return outcome
}

private func saysTooEarly(_ error: SluiceError) -> Bool { error.message.hasPrefix("the JSON ends too early") }

extension Batch {
  /// Checks that another batch holds the same changes in the same order, and that copies of them say so.
  func expectSame(as other: Batch, _ property: String) {
    expect(count == other.count, "\(property): \(count) and \(other.count) changes")
    for index in indices {
      expect(self[index] == other[index], "\(property): change \(index) is \(self[index]), then \(other[index])")
      expect(key(at: index) == other.key(at: index), "\(property): the key of change \(index)")
      expect(header(at: index) == other.header(at: index), "\(property): the header of change \(index)")
      if kind(at: index) == .upsert {
        expect(fingerprint(at: index) == other.fingerprint(at: index), "\(property): the fingerprint of \(index)")
      }
    }
  }
}
